#pragma once

#include <filesystem>

namespace fourfold::real {

inline constexpr const char* kCheckpointHelp =
    "checkpoint (DIR/step-N), or folder of checkpoints: the latest";

/// The checkpoint that --checkpoint means. Throws ConfigError if there is none.
std::filesystem::path find_checkpoint(const std::filesystem::path& given);

}  // namespace fourfold::real
