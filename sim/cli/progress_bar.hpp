#pragma once
// A progress bar on standard error, only where a person sees it.

namespace fourfold::sim {

class ProgressBar {
 public:
  /// Stays silent when standard error is not a terminal or `quiet`.
  explicit ProgressBar(bool quiet);
  /// Wipes the line.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Fraction from 0 to 1.
  void show(double fraction);

 private:
  bool visible_;
  int shown_percent_ = -1;
};

}  // namespace fourfold::sim
