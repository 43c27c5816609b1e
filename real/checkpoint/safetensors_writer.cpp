#include "real/checkpoint/safetensors_writer.hpp"

#include <nlohmann/json.hpp>

namespace fourfold::real {
namespace {

/// The data begins at a multiple of this, so that it can be used where it is mapped.
constexpr std::size_t kAlignment = 8;

std::string header_of(const std::vector<SafetensorsWriter::Entry>& entries,
                      const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header;
  header["__metadata__"] = metadata;
  Bytes begin = 0;
  for (const auto& entry : entries) {
    const Bytes end = begin + element_count(entry.shape) * size_of(entry.dtype);
    header[entry.name] = {{"dtype", safetensors_name(entry.dtype)},
                          {"shape", entry.shape},
                          {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  return text;
}

}  // namespace

std::string safetensors_name(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return "F64";
    case DType::float32:
      return "F32";
    case DType::bfloat16:
      return "BF16";
    case DType::int32:
      return "I32";
  }
  return "?";
}

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path,
                                     const std::vector<Entry>& entries,
                                     const std::map<std::string, std::string>& metadata)
    : file_(path) {
  const std::string header = header_of(entries, metadata);
  const std::uint64_t length = header.size();
  file_.write(std::as_bytes(std::span(&length, 1)));
  file_.write(std::as_bytes(std::span(header)));
}

}  // namespace fourfold::real
