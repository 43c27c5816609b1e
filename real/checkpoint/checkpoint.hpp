#pragma once
// Reads a checkpoint, on any grid or on none: pieces of whole parameters are put together from the shards.

#include <array>
#include <map>
#include <memory>

#include "real/checkpoint/manifest.hpp"
#include "real/checkpoint/parameter_state.hpp"
#include "real/checkpoint/safetensors_file.hpp"

namespace fourfold::real {

class Checkpoint {
 public:
  /// Opens DIRECTORY/step-N. Throws ConfigError with the reason for anything that is not a whole checkpoint.
  explicit Checkpoint(std::filesystem::path directory);

  const std::filesystem::path& path() const { return directory_; }
  const Manifest& manifest() const { return manifest_; }
  const GptConfig& model() const { return model_; }

  /// Compares the checksums of every `parts`-th file, from `part` on. Throws ConfigError naming a corrupt file.
  void verify(int part, int parts) const;

  /// Throws ConfigError naming the parameter if there is none of that name and shape.
  const StoredParameter& parameter(const std::string& name, const Shape& shape) const;

  /// The elements that `runs` name by their global positions, one after the other: the bytes of weights, first and
  /// second moments in manifest().dtype.
  using StateBytes = std::array<std::vector<std::byte>, kStateCount>;
  StateBytes read(const StoredParameter& parameter, const std::vector<ShardRun>& runs) const;

 private:
  void check_sizes() const;
  const SafetensorsFile& shard(int rank) const;

  std::filesystem::path directory_;
  Manifest manifest_;
  GptConfig model_;
  mutable std::map<int, std::unique_ptr<SafetensorsFile>> shards_;  // opened when first needed
};

}  // namespace fourfold::real
