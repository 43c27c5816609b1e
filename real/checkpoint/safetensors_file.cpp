#include "real/checkpoint/safetensors_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/json_reader.hpp"
#include "core/base/names.hpp"

namespace fourfold::real {
namespace {

const std::map<std::string, Bytes> kElementSizes = {
    {"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8}, {"I32", 4}, {"I16", 2},
    {"I8", 1},  {"U64", 8}, {"U32", 4}, {"U16", 2},  {"U8", 1},  {"BOOL", 1}};

double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const int mantissa = bits & 0x3ff;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0x1f) return mantissa == 0 ? sign * HUGE_VAL : std::nan("");
  return exponent == 0 ? sign * std::ldexp(mantissa, -24)
                       : sign * std::ldexp(mantissa + 0x400, exponent - 25);
}

double from_bfloat16(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U));
}

/// `convert` turns a stored T into a double.
template <typename T, typename Convert>
std::vector<double> converted(std::span<const std::byte> bytes, std::int64_t begin,
                              std::int64_t count, Convert convert) {
  std::vector<T> stored(static_cast<std::size_t>(count));
  if (count > 0) {
    std::memcpy(stored.data(), bytes.data() + begin * static_cast<std::int64_t>(sizeof(T)),
                stored.size() * sizeof(T));
  }
  std::vector<double> values(stored.size());
  std::transform(stored.begin(), stored.end(), values.begin(), convert);
  return values;
}

/// The element count, or -1 where sizes are negative or their product is beyond any file.
std::int64_t checked_elements(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count)) return -1;
  }
  return count;
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : file_(path) {
  read_header();
}

void SafetensorsFile::fail(std::string_view problem) const {
  throw ConfigError(fmt::format("\"{}\": {}", path().string(), problem));
}

void SafetensorsFile::read_header() {
  const std::span<const std::byte> bytes = file_.bytes();
  std::uint64_t length = 0;
  if (bytes.size() < sizeof(length)) fail("is too short for a safetensors file");
  std::memcpy(&length, bytes.data(), sizeof(length));
  if (length > bytes.size() - sizeof(length)) {
    fail(fmt::format("is truncated or no safetensors file: it announces a header of {} bytes",
                     length));
  }
  const std::span<const std::byte> data =
      bytes.subspan(sizeof(length) + static_cast<std::size_t>(length));
  JsonObject header =
      parse_json({reinterpret_cast<const char*>(bytes.data()) + sizeof(length), length},
                 path().string() + ": header");
  for (const std::string& name : header.keys()) {
    if (name == "__metadata__") continue;
    JsonObject tensor = header.object(name);
    const std::string dtype = tensor.string("dtype");
    const Shape shape = tensor.integers("shape");
    const std::vector<std::int64_t> offsets = tensor.integers("data_offsets");
    tensor.finish();
    if (!kElementSizes.count(dtype)) tensor.fail("dtype", fmt::format("unknown type {}", dtype));
    const std::int64_t elements = checked_elements(shape);
    if (offsets.size() != 2 || offsets[0] < 0 || offsets[1] < offsets[0] || elements < 0 ||
        elements > INT64_MAX / 8 || offsets[1] - offsets[0] != elements * kElementSizes.at(dtype)) {
      tensor.fail("data_offsets",
                  fmt::format("do not fit type {} and shape {}", dtype, to_string(shape)));
    }
    if (offsets[1] > static_cast<std::int64_t>(data.size())) {
      fail(fmt::format("is truncated: tensor {} ends {} bytes behind the end", name,
                       offsets[1] - static_cast<std::int64_t>(data.size())));
    }
    const auto begin = static_cast<std::size_t>(offsets[0]);
    entries_[name] = {dtype, shape,
                      data.subspan(begin, static_cast<std::size_t>(offsets[1]) - begin)};
  }
  check_coverage(data);
}

void SafetensorsFile::check_coverage(std::span<const std::byte> data) const {
  std::vector<std::span<const std::byte>> parts;
  for (const auto& [name, entry] : entries_) parts.push_back(entry.bytes);
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
    return std::pair(a.data(), a.size()) < std::pair(b.data(), b.size());
  });
  const std::byte* end = data.data();
  for (const auto& part : parts) {
    if (part.data() != end) fail("tensors overlap or leave gaps; the file is corrupt");
    end = part.data() + part.size();
  }
  if (end != data.data() + data.size()) fail("has bytes that belong to no tensor; it is corrupt");
}

const SafetensorsFile::Entry& SafetensorsFile::at(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found != entries_.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [other, entry] : entries_) known.push_back(other);
  const std::string nearest = nearest_name(name, known);
  fail(fmt::format("has no tensor {}{}", name,
                   nearest.empty() ? "" : fmt::format("; the nearest is {}", nearest)));
}

std::vector<double> to_doubles(const SafetensorsFile::Entry& entry, std::int64_t begin,
                               std::int64_t count) {
  const auto widen = [](auto value) { return static_cast<double>(value); };
  if (entry.dtype == "F64") return converted<double>(entry.bytes, begin, count, widen);
  if (entry.dtype == "F32") return converted<float>(entry.bytes, begin, count, widen);
  if (entry.dtype == "F16") return converted<std::uint16_t>(entry.bytes, begin, count, from_half);
  if (entry.dtype == "BF16") {
    return converted<std::uint16_t>(entry.bytes, begin, count, from_bfloat16);
  }
  throw ConfigError(fmt::format(
      "a weight has type {}; F64, F32, F16 and BF16 can be read as weights", entry.dtype));
}

}  // namespace fourfold::real
