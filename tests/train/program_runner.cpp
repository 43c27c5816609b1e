#include "tests/train/program_runner.hpp"

#include <cstdio>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "real/checkpoint/staging.hpp"

namespace fourfold::test {
namespace {

int exit_code_of(int status) {
  constexpr int kSignalled = 128;
  return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string contents(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace

std::string mpirun(int ranks) {
  return fmt::format("{} --oversubscribe --allow-run-as-root --bind-to none -n {} ",
                     FOURFOLD_MPIRUN, ranks);
}

Outcome run(const std::string& arguments, const std::string& launcher) {
  return BackgroundRun(arguments, launcher).wait();
}

BackgroundRun::BackgroundRun(const std::string& arguments, const std::string& launcher) {
  const std::string command =
      fmt::format("exec {}{} {} > {} 2>&1 < /dev/null", launcher, FOURFOLD_TRAIN, arguments,
                  (directory_ / "output").string());
  pid_ = ::fork();
  if (pid_ != 0) return;
  ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  ::_exit(1);
}

BackgroundRun::~BackgroundRun() {
  if (!running()) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool BackgroundRun::running() {
  ended_ = ended_ || ::waitpid(pid_, &status_, WNOHANG) != 0;
  return !ended_;
}

Outcome BackgroundRun::wait() {
  if (!ended_) ::waitpid(pid_, &status_, 0);
  ended_ = true;
  return {exit_code_of(status_), contents(directory_ / "output")};
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    // "PID (NAME) STATE PARENT ...", where the name may hold anything.
    const std::string stat = contents(entry.path() / "stat");
    const std::size_t end_of_name = stat.rfind(')');
    if (end_of_name == std::string::npos) continue;
    char state = 0;
    pid_t its_parent = 0;
    std::istringstream(stat.substr(end_of_name + 1)) >> state >> its_parent;
    if (its_parent == parent && state != 'Z') children.push_back(std::stoi(stat));
  }
  return children;
}

ProgramTest::ProgramTest() {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "the quick brown fox jumps over the lazy dog. ";
  directory_.file("text.txt", text);
  directory_.file("tiny.json",
                  R"({"layers": 1, "hidden": 16, "heads": 2, "sequence": 16, "vocabulary": 256})");
}

std::string ProgramTest::flags(const std::string& more) const {
  return fmt::format("--model {} --data {} --batch 8 --peak-tflops 1 {}",
                     path("tiny.json").string(), path("text.txt").string(), more);
}

std::string ProgramTest::out(const std::string& name) const {
  return fmt::format("--out {}", path(name).string());
}

std::vector<nlohmann::json> ProgramTest::metrics(const std::string& name) const {
  std::vector<nlohmann::json> rows;
  std::ifstream stream(path(name) / "metrics.jsonl");
  for (std::string line; std::getline(stream, line);) rows.push_back(nlohmann::json::parse(line));
  return rows;
}

std::vector<double> ProgramTest::losses(const std::string& name) const {
  std::vector<double> values;
  for (const auto& row : metrics(name)) values.push_back(row.at("loss"));
  return values;
}

void ProgramTest::await_checkpoint(BackgroundRun& run, const std::string& name,
                                   std::int64_t step) const {
  while (!std::filesystem::exists(real::checkpoint_path(path(name), step))) {
    ASSERT_TRUE(run.running()) << "ended before its checkpoint:\n" << run.wait().output;
    ::usleep(1000);
  }
}

void ProgramTest::kill_at_checkpoint(const std::string& arguments, const std::string& name,
                                     std::int64_t step) const {
  BackgroundRun run(arguments + " --quiet");
  await_checkpoint(run, name, step);
}

}  // namespace fourfold::test
