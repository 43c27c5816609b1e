#include "core/tensor/dtype.hpp"

#include <string>

#include "core/base/error.hpp"
#include "core/base/names.hpp"

namespace fourfold {

std::string_view name_of(DType dtype) {
  switch (dtype) {
    case DType::float64: return "float64";
    case DType::float32: return "float32";
    case DType::bfloat16: return "bfloat16";
    case DType::int32: return "int32";
  }
  return "?";
}

DType parse_dtype(std::string_view text) {
  if (text == "bf16" || text == "bfloat16") return DType::bfloat16;
  if (text == "fp32" || text == "float32") return DType::float32;
  if (text == "fp64" || text == "float64") return DType::float64;
  throw ConfigError(unknown_name_message("dtype", text, {"bf16", "fp32", "fp64"}));
}

}  // namespace fourfold
