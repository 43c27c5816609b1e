#include "real/train/checkpoint_flag.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "real/checkpoint/staging.hpp"

namespace fourfold::real {

std::filesystem::path find_checkpoint(const std::filesystem::path& given) {
  if (std::filesystem::exists(given / "manifest.json")) return given;
  if (const auto latest = latest_checkpoint(given)) return *latest;
  throw ConfigError(fmt::format(
      "--checkpoint {}: there is no checkpoint; give the --out folder of a run", given.string()));
}

}  // namespace fourfold::real
