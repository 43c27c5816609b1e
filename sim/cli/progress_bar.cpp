#include "sim/cli/progress_bar.hpp"

#include <string>

#include <fmt/format.h>
#include <unistd.h>

namespace fourfold::sim {

ProgressBar::ProgressBar(bool quiet) : visible_(!quiet && ::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (shown_percent_ >= 0) fmt::print(stderr, "\r\033[K");
}

void ProgressBar::show(double fraction) {
  constexpr int kWidth = 40;
  const int percent = static_cast<int>(100 * fraction);
  if (!visible_ || percent == shown_percent_) return;
  shown_percent_ = percent;
  fmt::print(stderr, "\rsimulating [{:<{}}] {:3} %",
             std::string(static_cast<std::size_t>(kWidth * percent / 100), '#'), kWidth, percent);
}

}  // namespace fourfold::sim
