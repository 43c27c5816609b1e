#pragma once
// fourfold-train started as a user starts it, in a folder with a tiny model and a text that is easy to learn.

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/types.h>

#include "tests/support/temporary_directory.hpp"

namespace fourfold::test {

struct Outcome {
  int exit_code = 0;   ///< 128 + signal where a signal ended it
  std::string output;  ///< standard output and standard error
};

/// mpirun on one machine: more ranks than cores, also as root (containers).
std::string mpirun(int ranks);

/// Runs "LAUNCHER fourfold-train ARGUMENTS" to its end.
Outcome run(const std::string& arguments, const std::string& launcher = "");

/// The same, while the test goes on. Ends with the object.
class BackgroundRun {
 public:
  BackgroundRun(const std::string& arguments, const std::string& launcher = "");
  ~BackgroundRun();
  BackgroundRun(const BackgroundRun&) = delete;
  BackgroundRun& operator=(const BackgroundRun&) = delete;

  /// Of the launcher, where there is one.
  pid_t pid() const { return pid_; }
  bool running();
  /// Waits for the end.
  Outcome wait();

 private:
  TemporaryDirectory directory_;
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

/// Processes that `parent` has started and that have not ended.
std::vector<pid_t> children_of(pid_t parent);

class ProgramTest : public testing::Test {
 protected:
  ProgramTest();

  std::filesystem::path path(const std::string& name) const { return directory_ / name; }
  /// Flags of a short run.
  std::string flags(const std::string& more = "") const;
  std::string out(const std::string& name) const;

  /// The rows of a run's metrics.
  std::vector<nlohmann::json> metrics(const std::string& name) const;
  std::vector<double> losses(const std::string& name) const;

  /// Waits until the run has saved the checkpoint of `step` in the folder `name`.
  void await_checkpoint(BackgroundRun& run, const std::string& name, std::int64_t step) const;
  /// Starts a run and kills it as soon as that checkpoint is there.
  void kill_at_checkpoint(const std::string& arguments, const std::string& name,
                          std::int64_t step) const;

  TemporaryDirectory directory_;
};

}  // namespace fourfold::test
