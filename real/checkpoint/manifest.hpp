#pragma once
// What a checkpoint says about itself: manifest.json and model.json.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/models/gpt_config.hpp"
#include "core/tensor/dtype.hpp"
#include "core/tensor/placement.hpp"
#include "real/checkpoint/durable_file.hpp"

namespace fourfold::real {

/// Where a run is, and what it needs to go on.
struct RunState {
  std::int64_t step = 0;      ///< steps done
  std::int64_t position = 0;  ///< samples read
  // What gives the position its meaning:
  std::uint64_t seed = 0;
  std::int64_t windows = 0;   ///< samples in an epoch
  std::int64_t sequence = 0;  ///< tokens in a sample
};

struct StoredParameter {
  std::string name;
  Shape shape;  ///< of the whole matrix
  Placement placement;
};

struct StoredFile {
  std::string name;
  FileSummary summary;
};

struct Manifest {
  RunState state;
  Grid grid;
  DType dtype = DType::float32;  ///< of the stored tensors, a wide type
  std::vector<StoredParameter> parameters;
  std::map<int, StoredFile> shards;  ///< by the rank that wrote them
};

/// "shard-00003.safetensors".
std::string shard_name(int rank);

/// Both files into `directory`, durably. Throws Error.
void write_manifest(const std::filesystem::path& directory, const Manifest& manifest);
void write_model(const std::filesystem::path& directory, const GptConfig& model);

/// Throws ConfigError, naming the file, for a folder that is no checkpoint, damaged, or of another version.
Manifest read_manifest(const std::filesystem::path& directory);
GptConfig read_model(const std::filesystem::path& directory);

}  // namespace fourfold::real
