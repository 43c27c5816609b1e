// Weights in Hugging Face's naming of GPT-2, out and in again.

#include "real/checkpoint/hugging_face.hpp"

#include <numeric>

#include <gmock/gmock.h>

#include "core/backend/ops.hpp"
#include "core/base/error.hpp"
#include "real/checkpoint/safetensors_writer.hpp"
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

TEST(HuggingFace, NamesAreThoseOfTransformers) {
  EXPECT_EQ(hugging_face_name("embedding.tokens.weight"), "wte.weight");
  EXPECT_EQ(hugging_face_name("embedding.positions.weight"), "wpe.weight");
  EXPECT_EQ(hugging_face_name("blocks.11.norm1.weight"), "h.11.ln_1.weight");
  EXPECT_EQ(hugging_face_name("blocks.0.attention.qkv.bias"), "h.0.attn.c_attn.bias");
  EXPECT_EQ(hugging_face_name("blocks.0.attention.projection.weight"), "h.0.attn.c_proj.weight");
  EXPECT_EQ(hugging_face_name("blocks.3.norm2.bias"), "h.3.ln_2.bias");
  EXPECT_EQ(hugging_face_name("blocks.3.mlp.fc1.weight"), "h.3.mlp.c_fc.weight");
  EXPECT_EQ(hugging_face_name("blocks.3.mlp.fc2.bias"), "h.3.mlp.c_proj.bias");
  EXPECT_EQ(hugging_face_name("final_norm.weight"), "ln_f.weight");
  EXPECT_EQ(hugging_face_name("head.weight"), "lm_head.weight");
}

/// Initial weights of the small model, saved on `grid` and exported.
std::filesystem::path export_initial(const TemporaryDirectory& directory, const Grid& grid,
                                     const GptConfig& model) {
  run_ranks(grid, [&](RankContext& context) {
    Gpt gpt(context, model, small_training(grid));
    initialize_parameters(context, gpt.parameters(), 3);
    save_checkpoint(context, model, gpt.parameters(), {0, 0, 3, 10, 8}, directory / "run");
  });
  export_weights(Checkpoint(*latest_checkpoint(directory / "run")),
                 directory / "weights.safetensors");
  return directory / "weights.safetensors";
}

TEST(HuggingFace, ExportHasPyTorchsShapes) {
  const TemporaryDirectory directory;
  const SafetensorsFile file(export_initial(directory, Grid(2, 2, 1, 1), small_model(false)));
  EXPECT_EQ(file.entries().size(),
            2U + 2U * 12U + 2U + 1U);  // embeddings, blocks, final norm, head
  EXPECT_EQ(file.at("wte.weight").shape, (Shape{64, 16}));
  EXPECT_EQ(file.at("h.1.attn.c_attn.weight").shape, (Shape{16, 48}));  // Conv1D: (inputs, outputs)
  EXPECT_EQ(file.at("h.1.attn.c_attn.bias").shape, (Shape{48}));
  EXPECT_EQ(file.at("lm_head.weight").shape, (Shape{64, 16}));
}

TEST(HuggingFace, ImportRestoresWhatWasExported) {
  const TemporaryDirectory directory;
  const auto file = export_initial(directory, Grid(2, 1, 2, 1), small_model());
  const Grid grid(1, 2, 2, 1);
  run_ranks(grid, [&](RankContext& context) {
    Gpt initial(context, small_model(), small_training(grid)),
        imported(context, small_model(), small_training(grid));
    initialize_parameters(context, initial.parameters(), 3);
    import_weights(context, file, imported.parameters());
    for (std::size_t i = 0; i < initial.parameters().buckets().size(); ++i) {
      const auto values = [&](const Gpt& gpt) {
        return test::download_values(context.device, gpt.parameters().buckets()[i].values);
      };
      EXPECT_EQ(values(imported), values(initial));
    }
  });
}

/// Writes a file like `source` but for one tensor, and under names with a prefix.
std::filesystem::path rewritten(const TemporaryDirectory& directory, const SafetensorsFile& source,
                                const std::string& changed, const Shape& shape,
                                const std::string& prefix) {
  std::vector<SafetensorsWriter::Entry> entries;
  for (const auto& [name, entry] : source.entries()) {
    entries.push_back({prefix + name, DType::float32, name == changed ? shape : entry.shape});
  }
  const std::filesystem::path path = directory / (prefix + changed + ".safetensors");
  SafetensorsWriter writer(path, entries, {});
  for (const auto& [name, entry] : source.entries()) {
    const std::int64_t elements = name == changed ? element_count(shape) : entry.elements();
    writer.write(entry.bytes.first(static_cast<std::size_t>(elements * size_of(DType::float32))));
  }
  writer.finish();
  return path;
}

TEST(HuggingFace, SmallerVocabularyIsFilledUpWithItsLastRow) {
  const TemporaryDirectory directory;
  const SafetensorsFile whole(export_initial(directory, Grid(), small_model()));
  const auto file = rewritten(directory, whole, "wte.weight", {61, 16}, "transformer.");
  const std::vector<double> table = to_doubles(whole.at("wte.weight"), 0, 64 * 16);
  run_ranks(Grid(), [&](RankContext& context) {
    Gpt gpt(context, small_model(), small_training(Grid()));
    import_weights(context, file, gpt.parameters());
    const auto& tokens = *gpt.parameters().parameters().front();
    ASSERT_EQ(tokens.spec.name, "embedding.tokens.weight");
    const std::vector<double> found = test::download_values(context.device, tokens.value);
    for (std::size_t row = 0; row < 64; ++row) {
      for (std::size_t column = 0; column < 16; ++column) {
        EXPECT_EQ(found[row * 16 + column], table[std::min<std::size_t>(row, 60) * 16 + column]);
      }
    }
  });
}

TEST(HuggingFace, WeightsOfAnotherModelAreRefused) {
  const TemporaryDirectory directory;
  const SafetensorsFile whole(export_initial(directory, Grid(), small_model()));
  const auto import_error = [&](const std::filesystem::path& file, const GptConfig& model) {
    return message_of<ConfigError>([&] {
      run_ranks(Grid(), [&](RankContext& context) {
        Gpt gpt(context, model, small_training(Grid()));
        import_weights(context, file, gpt.parameters());
      });
    });
  };
  EXPECT_THAT(import_error(rewritten(directory, whole, "ln_f.weight", {8}, ""), small_model()),
              HasSubstr("ln_f.weight has shape (8), the model needs (16)"));
  EXPECT_THAT(import_error(whole.path(), small_model(false)),
              HasSubstr("has no tensor lm_head.weight"));
}

}  // namespace
}  // namespace fourfold::real
