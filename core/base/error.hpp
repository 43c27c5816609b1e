#pragma once
// Errors say what was wrong and what to do about it; the message comes first and is meant for the user.
// Programs catch `Error` in main: ConfigError and ShapeError end with exit code 2, the others with 1.

#include <stdexcept>
#include <string>

#include "core/base/units.hpp"

namespace fourfold {

/// Base of everything Fourfold throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Bad usage or input: a file, a flag, an unknown name, a number out of range.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// Sizes that do not fit together, such as a dimension that the grid does not divide.
class ShapeError : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

/// An allocation that does not fit. Also a result of the planner: an infeasible configuration.
class OutOfMemory : public Error {
 public:
  OutOfMemory(Bytes needed, Bytes free, const std::string& place);
  Bytes needed() const { return needed_; }
  Bytes free() const { return free_; }

 private:
  Bytes needed_;
  Bytes free_;
};

/// A library (SimGrid, MPI, CUDA, NCCL, ...) failed or refused.
class BackendError : public Error {
 public:
  using Error::Error;
};

}  // namespace fourfold
