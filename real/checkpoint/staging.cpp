#include "real/checkpoint/staging.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "real/checkpoint/durable_file.hpp"

namespace fourfold::real {
namespace {

using std::filesystem::path;

constexpr std::string_view kPrefix = "step-";
constexpr std::string_view kHidden = ".unfinished-";

/// The step in a name like "step-00000200".
std::optional<std::int64_t> step_of(const std::string& name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  std::int64_t step = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + kPrefix.size(), end, step);
  return error == std::errc() && rest == end ? std::optional(step) : std::nullopt;
}

/// Hides a folder, by a rename, before its files are removed one by one.
void remove_at_once(const path& folder) {
  const path hidden = folder.parent_path() / (std::string(kHidden) + folder.filename().string());
  std::filesystem::remove_all(hidden);
  std::filesystem::rename(folder, hidden);
  std::filesystem::remove_all(hidden);
}

}  // namespace

path checkpoint_path(const path& directory, std::int64_t step) {
  return directory / fmt::format("{}{:08}", kPrefix, step);
}

path staging_path(const path& directory, std::int64_t step) {
  return directory / (std::string(kHidden) + checkpoint_path(directory, step).filename().string());
}

void create_staging(const path& directory, std::int64_t step) {
  try {
    std::filesystem::create_directories(directory);
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().filename().string().starts_with(kHidden)) {
        std::filesystem::remove_all(entry.path());
      }
    }
    std::filesystem::create_directory(staging_path(directory, step));
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error(fmt::format("cannot prepare a checkpoint in \"{}\": {}", directory.string(),
                            error.code().message()));
  }
}

void publish_staging(const path& directory, std::int64_t step) {
  const path final_path = checkpoint_path(directory, step);
  sync_directory(staging_path(directory, step));
  try {
    std::filesystem::rename(staging_path(directory, step), final_path);
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error(fmt::format("cannot publish checkpoint \"{}\": {}", final_path.string(),
                            error.code().message()));
  }
  sync_directory(directory);
}

std::vector<path> list_checkpoints(const path& directory) {
  std::vector<std::pair<std::int64_t, path>> found;
  if (std::filesystem::is_directory(directory)) {
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      const auto step = step_of(entry.path().filename().string());
      if (step && entry.is_directory()) found.emplace_back(*step, entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<path> paths;
  for (auto& [step, folder] : found) paths.push_back(std::move(folder));
  return paths;
}

std::optional<path> latest_checkpoint(const path& directory) {
  const std::vector<path> all = list_checkpoints(directory);
  return all.empty() ? std::nullopt : std::optional(all.back());
}

void remove_old_checkpoints(const path& directory, std::size_t keep) {
  std::vector<path> all = list_checkpoints(directory);
  if (all.size() <= keep) return;
  all.resize(all.size() - keep);
  for (const path& old : all) remove_at_once(old);
}

}  // namespace fourfold::real
