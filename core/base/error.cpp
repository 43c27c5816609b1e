#include "core/base/error.hpp"

#include <fmt/format.h>

namespace fourfold {

OutOfMemory::OutOfMemory(Bytes needed, Bytes free, const std::string& place)
    : Error(fmt::format("out of memory at {}: {:.2f} GiB needed, {:.2f} GiB free", place,
                        static_cast<double>(needed) / kGiB, static_cast<double>(free) / kGiB)),
      needed_(needed),
      free_(free) {}

}  // namespace fourfold
