// A training state saved on one grid and loaded on others; damage.

#include <mutex>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/backend/ops.hpp"
#include "core/base/error.hpp"
#include "real/checkpoint/load.hpp"
#include "real/checkpoint/save.hpp"
#include "real/checkpoint/staging.hpp"
#include "real/reference/run_ranks.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tensor_values.hpp"
#include "tests/train/small_model.hpp"

namespace fourfold::real {
namespace {

using test::message_of;
using test::small_model;
using test::small_training;
using test::TemporaryDirectory;
using testing::HasSubstr;

/// A number for every element of every state that no other element has.
double value_of(std::size_t parameter, std::size_t state, std::int64_t element) {
  return static_cast<double>(element) +
         5000.0 * static_cast<double>(kStateCount * parameter + state);
}

template <typename Visit>
void for_each_element(RankContext& context, const ParameterStore& store, Visit visit) {
  const auto states = parameter_states(store);
  for (std::size_t p = 0; p < states.size(); ++p) {
    const ParameterSpec& spec = states[p].parameter->spec;
    const auto runs = shard_runs(spec.shape, spec.placement, context.grid, context.rank);
    for (std::size_t i = 0; i < kStateCount; ++i) {
      std::vector<double> values;
      for (const ShardRun& run : runs) {
        for (std::int64_t e = 0; e < run.count; ++e)
          values.push_back(value_of(p, i, run.global + e));
      }
      visit(states[p].tensors[i], values, spec.name);
    }
  }
}

void save_numbered(const std::filesystem::path& directory, const Grid& grid,
                   DType dtype = DType::float32, std::int64_t step = 7) {
  run_ranks(grid, [&](RankContext& context) {
    Gpt gpt(context, small_model(), small_training(grid, dtype));
    for_each_element(context, gpt.parameters(),
                     [&](const Tensor& tensor, const auto& values, const auto&) {
                       test::upload_values(context.device, tensor, values);
                     });
    save_checkpoint(context, small_model(), gpt.parameters(), {step, 56, 1, 10, 8}, directory);
  });
}

/// Loads on `grid` and expects every element to have its number.
void expect_numbered(const std::filesystem::path& directory, const Grid& grid,
                     DType dtype = DType::float32) {
  std::mutex mutex;
  run_ranks(grid, [&](RankContext& context) {
    Gpt gpt(context, small_model(), small_training(grid, dtype));
    load_checkpoint(context, Checkpoint(*latest_checkpoint(directory)), gpt.parameters());
    for_each_element(
        context, gpt.parameters(),
        [&](const Tensor& tensor, const std::vector<double>& expected, const std::string& name) {
          const std::vector<double> found = test::download_values(context.device, tensor);
          const std::lock_guard lock(mutex);
          EXPECT_EQ(found, expected)
              << name << " on " << grid.to_string() << ", rank " << context.rank;
        });
  });
}

std::string load_error(const std::filesystem::path& directory, const Grid& grid = Grid()) {
  return message_of<ConfigError>([&] { expect_numbered(directory, grid); });
}

TEST(CheckpointTest, StateMovesBetweenAllGrids) {
  const std::vector<Grid> grids = {
      Grid(),           Grid(2, 1, 1, 1), Grid(1, 2, 1, 1),
      Grid(1, 1, 2, 1), Grid(1, 1, 1, 2), Grid(2, 2, 2, 1),
      Grid(4, 1, 2, 1), Grid(1, 2, 2, 2), Grid(2, 2, 1, 2, parse_axis_order("yxzd"))};
  for (const Grid& from : grids) {
    const TemporaryDirectory directory;
    save_numbered(directory.path(), from);
    for (const Grid& to : grids) expect_numbered(directory.path(), to);
  }
}

TEST(CheckpointTest, DataParallelCopiesWriteNothing) {
  const TemporaryDirectory directory;
  save_numbered(directory.path(), Grid(2, 1, 1, 2));
  const Checkpoint checkpoint(*latest_checkpoint(directory.path()));
  // Ranks 0 and 1 are x of data replica 0, ranks 2 and 3 of replica 1.
  EXPECT_EQ(checkpoint.manifest().shards.size(), 2U);
  EXPECT_TRUE(checkpoint.manifest().shards.contains(0));
  EXPECT_TRUE(checkpoint.manifest().shards.contains(1));
}

TEST(CheckpointTest, EveryElementIsWrittenOnce) {
  const TemporaryDirectory directory;
  save_numbered(directory.path(), Grid(2, 2, 2, 1));
  const Checkpoint checkpoint(*latest_checkpoint(directory.path()));
  std::int64_t elements = 0;
  for (const auto& [rank, stored] : checkpoint.manifest().shards) {
    const SafetensorsFile file(checkpoint.path() / stored.name);
    for (const auto& [name, entry] : file.entries()) elements += entry.elements();
  }
  EXPECT_EQ(elements, 3 * small_model().parameters());
}

TEST(CheckpointTest, ManifestTellsTheState) {
  const TemporaryDirectory directory;
  save_numbered(directory.path(), Grid(2, 1, 1, 1, parse_axis_order("yxzd")));
  const Manifest manifest = read_manifest(*latest_checkpoint(directory.path()));
  EXPECT_EQ(manifest.state.step, 7);
  EXPECT_EQ(manifest.state.position, 56);
  EXPECT_EQ(manifest.state.windows, 10);
  EXPECT_EQ(manifest.grid, Grid(2, 1, 1, 1, parse_axis_order("yxzd")));
  EXPECT_EQ(read_model(*latest_checkpoint(directory.path())).hidden, 16);
}

TEST(CheckpointTest, BFloat16RunsKeepTheirMasterWeights) {
  const TemporaryDirectory directory;
  save_numbered(directory.path(), Grid(), DType::bfloat16);  // numbers that bf16 cannot hold
  expect_numbered(directory.path(), Grid(2, 1, 1, 1), DType::bfloat16);
  expect_numbered(directory.path(), Grid(), DType::float32);  // fp32 has the same master type
  EXPECT_THAT(
      message_of<ConfigError>([&] { expect_numbered(directory.path(), Grid(), DType::float64); }),
      HasSubstr("holds float32 weights, a run with dtype float64 needs float64"));
}

TEST(CheckpointTest, AnotherModelIsRefused) {
  const TemporaryDirectory directory;
  save_numbered(directory.path(), Grid());
  const auto load_as = [&](const GptConfig& model) {
    return message_of<ConfigError>([&] {
      run_ranks(Grid(), [&](RankContext& context) {
        Gpt gpt(context, model, small_training(Grid()));
        load_checkpoint(context, Checkpoint(*latest_checkpoint(directory.path())),
                        gpt.parameters());
      });
    });
  };
  GptConfig larger = small_model();
  larger.hidden = 32;
  EXPECT_THAT(load_as(larger), HasSubstr("has shape (64, 16), the model needs (64, 32)"));
  EXPECT_THAT(load_as(small_model(false)), HasSubstr("has no parameter head.weight"));
}

TEST(CheckpointTest, DamageIsRefusedWithTheReason) {
  const TemporaryDirectory directory;
  save_numbered(directory.path(), Grid(2, 1, 1, 1));
  const std::filesystem::path path = *latest_checkpoint(directory.path());
  const std::filesystem::path shard = path / "shard-00001.safetensors";
  const auto whole = std::filesystem::file_size(shard);
  ASSERT_EQ(load_error(directory.path()), "");

  {  // one bit of the data
    std::fstream stream(shard, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(whole - 1));
    const char last = static_cast<char>(stream.get() ^ 1);
    stream.seekp(static_cast<std::streamoff>(whole - 1));
    stream.put(last);
  }
  EXPECT_THAT(load_error(directory.path()),
              HasSubstr("shard-00001.safetensors is corrupt: its CRC-32"));
  EXPECT_THAT(load_error(directory.path(), Grid(1, 1, 2, 2)), HasSubstr("corrupt"))
      << "found by another rank";

  std::filesystem::resize_file(shard, whole - 10);
  EXPECT_THAT(load_error(directory.path()),
              HasSubstr(fmt::format("has {} bytes instead of {}", whole - 10, whole)));
  std::filesystem::remove(shard);
  EXPECT_THAT(load_error(directory.path()), HasSubstr("No such file"));

  std::filesystem::resize_file(path / "manifest.json", 100);
  EXPECT_THAT(load_error(directory.path()), HasSubstr("malformed JSON"));
  std::ofstream(path / "manifest.json") << R"({"format": "other", "version": 1})";
  EXPECT_THAT(load_error(directory.path()), HasSubstr("is not a checkpoint of Fourfold"));
  std::ofstream(path / "manifest.json") << R"({"format": "fourfold checkpoint", "version": 9})";
  EXPECT_THAT(load_error(directory.path()),
              HasSubstr("9 is unknown to this program, which reads version 1"));
}

TEST(StagingTest, LatestIsTheHighestStep) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(latest_checkpoint(directory.path()));
  EXPECT_FALSE(latest_checkpoint(directory / "missing"));
  for (const char* name : {"step-00000009", "step-00000010", "step-100000000",
                           ".unfinished-step-999999999", "other", "step-x"}) {
    std::filesystem::create_directory(directory / name);
  }
  EXPECT_EQ(latest_checkpoint(directory.path())->filename(), "step-100000000");
  remove_old_checkpoints(directory.path(), 2);
  EXPECT_EQ(list_checkpoints(directory.path()).size(), 2U);
  EXPECT_FALSE(std::filesystem::exists(directory / "step-00000009"));
}

TEST(StagingTest, RemainsOfKilledWritersAreRemoved) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / ".unfinished-step-00000003");
  save_numbered(directory.path(), Grid());
  EXPECT_FALSE(std::filesystem::exists(directory / ".unfinished-step-00000003"));
}

TEST(StagingTest, AFullDiskOrAForbiddenFolderIsAnError) {
  EXPECT_THAT(message_of<Error>([] { save_numbered("/proc/forbidden", Grid()); }),
              HasSubstr("cannot prepare"));
}

}  // namespace
}  // namespace fourfold::real
