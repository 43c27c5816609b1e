#include "sim/cli/sweep_table.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/base/error.hpp"
#include "sim/report/csv_report.hpp"

namespace fourfold::sim {
namespace {

namespace fs = std::filesystem;

std::string header() {
  return "run,status,error," + csv_header();
}

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Locks the file for this process; false if another one has it. A record lock: unlike flock's it is
/// not handed down to children, which may outlive a killed sweep for a moment. It is lost when this
/// process closes the file, through whichever descriptor.
bool lock(int file) {
  struct flock whole_file {};
  whole_file.l_type = F_WRLCK;
  whole_file.l_whence = SEEK_SET;
  return ::fcntl(file, F_SETLK, &whole_file) == 0;
}

std::string content_of(int file) {
  std::string content;
  char buffer[65536];
  while (true) {
    const ssize_t count = ::pread(file, buffer, sizeof buffer, static_cast<off_t>(content.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return content;
    content.append(buffer, static_cast<std::size_t>(count));
  }
}

/// The lines that end in a newline, header left out. Messages hold no newlines, so a line is a row.
std::vector<std::string> whole_rows(const fs::path& file) {
  const std::string content = content_of(file);
  std::vector<std::string> rows;
  for (std::size_t begin = 0, end = 0; (end = content.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    if (begin > 0) rows.push_back(content.substr(begin, end + 1 - begin));
  }
  return rows;
}

std::string run_of(const std::string& row) {
  return row.substr(0, row.find(','));
}

/// A message as one CSV cell on one line.
std::string cell(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(text.begin(), text.end(), '"', '\'');
  return "\"" + text + "\"";
}

}  // namespace

std::set<std::string> finished_runs(const fs::path& file) {
  std::set<std::string> runs;
  for (const std::string& row : whole_rows(file)) runs.insert(run_of(row));
  return runs;
}

SweepTable::SweepTable(const fs::path& file) : path_(file) {
  const auto fail = [&](const std::string& problem) {
    return ConfigError(fmt::format("{}: {}", file.string(), problem));
  };
  file_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) throw fail(fmt::format("cannot be written: {}", std::strerror(errno)));
  try {
    if (!lock(file_)) {
      throw fail("is in use by another sweep; wait for it or choose another --csv");
    }
    const std::string content = content_of(file_);
    const std::size_t whole = content.rfind('\n') + 1;  // 0 without any newline
    const std::string first_line = header();
    if (whole > 0 && !content.starts_with(first_line)) {
      throw fail("exists with other columns; choose another --csv or remove it");
    }
    if (whole == 0 && !first_line.starts_with(content)) {
      throw fail("exists and is no sweep table; choose another --csv or remove it");
    }
    if (::ftruncate(file_, static_cast<off_t>(whole)) != 0) throw fail(std::strerror(errno));
    if (whole == 0) append(first_line);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

SweepTable::~SweepTable() {
  ::close(file_);
}

void SweepTable::add_result(const std::string& run, const std::string& row) {
  append(run + ",ok,," + row);
}

void SweepTable::add_failure(const std::string& run, const std::string& message) {
  const std::string columns = csv_header();
  const auto commas = std::count(columns.begin(), columns.end(), ',');
  append(run + ",failed," + cell(message) + "," +
         std::string(static_cast<std::size_t>(commas), ',') + "\n");
}

void SweepTable::append(const std::string& text) {
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = ::write(file_, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw Error(fmt::format("{}: cannot be written: {}", path_.string(), std::strerror(errno)));
    }
    written += static_cast<std::size_t>(count);
  }
  if (::fsync(file_) != 0) {
    throw Error(fmt::format("{}: cannot be synced: {}", path_.string(), std::strerror(errno)));
  }
}

void merge_tables(const std::vector<fs::path>& parts, const fs::path& file) {
  std::set<std::string> done = finished_runs(file);
  std::string rows = fs::exists(file) ? "" : header();
  for (const fs::path& part : parts) {
    for (const std::string& row : whole_rows(part)) {
      if (done.insert(run_of(row)).second) rows += row;
    }
  }
  const OutputFile output("csv", file.string());
  output.write(content_of(file) + rows);
}

}  // namespace fourfold::sim
