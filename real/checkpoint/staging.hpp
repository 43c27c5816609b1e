#pragma once
// A folder that appears all at once: it is filled under a hidden name and renamed when everything is on the disk.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace fourfold::real {

/// DIRECTORY/step-00000200.
std::filesystem::path checkpoint_path(const std::filesystem::path& directory, std::int64_t step);
/// The hidden folder in which that one is prepared.
std::filesystem::path staging_path(const std::filesystem::path& directory, std::int64_t step);

/// Makes the hidden folder and removes what killed writers have left. Called by one rank. Throws Error.
void create_staging(const std::filesystem::path& directory, std::int64_t step);
/// Renames the hidden folder to its final name, durably. Called by one rank when all files are finished. Throws
/// Error, also where that checkpoint exists.
void publish_staging(const std::filesystem::path& directory, std::int64_t step);

/// The complete checkpoints in `directory`, oldest step first; none if there is no such folder.
std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& directory);
std::optional<std::filesystem::path> latest_checkpoint(const std::filesystem::path& directory);
/// Removes all but the `keep` latest. Each vanishes at once.
void remove_old_checkpoints(const std::filesystem::path& directory, std::size_t keep);

}  // namespace fourfold::real
