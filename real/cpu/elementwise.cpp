#include "real/cpu/kernels.hpp"
#include "real/cpu/operands.hpp"
#include "real/cpu/vector_math.hpp"

namespace fourfold::real::cpu {
namespace {

/// Elements that are worth a thread.
constexpr std::int64_t kGrain = 16384;

/// `body(row, values before the row)` for every row of (R, C), rows shared out to the threads.
template <typename Body>
void for_rows(CpuEngine& engine, const Tensor& matrix, Body body) {
  const std::int64_t columns = columns_of(matrix);
  engine.threads.for_ranges(rows_of(matrix), kGrain / columns + 1,
                            [&](std::int64_t begin, std::int64_t end, int) {
                              for (std::int64_t r = begin; r < end; ++r) body(r, r * columns);
                            });
}

/// output (R, C) = function(input + bias).
template <typename T, typename Function>
void map_biased(CpuEngine& engine, const Tensor& input, const Tensor& bias, const Tensor& output,
                Function function) {
  const std::int64_t columns = columns_of(input);
  const T* in = elements_of<T>(input, input.elements(), "input");
  const T* bias_row = elements_of<T>(bias, columns, "bias");
  T* out = elements_of<T>(output, input.elements(), "output");
  for_rows(engine, input, [=](std::int64_t, std::int64_t at) {
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) {
      out[at + c] = static_cast<T>(function(widen(in[at + c]) + widen(bias_row[c])));
    }
  });
}

template <typename T>
void run_typed(const BiasGeluBackward& kernel, CpuEngine& engine) {
  const std::int64_t columns = columns_of(kernel.input);
  const T* in = elements_of<T>(kernel.input, kernel.input.elements(), "input");
  const T* bias = elements_of<T>(kernel.bias, columns, "bias");
  const T* d_out = elements_of<T>(kernel.d_output, kernel.input.elements(), "d_output");
  T* d_in = elements_of<T>(kernel.d_input, kernel.input.elements(), "d_input");
  for_rows(engine, kernel.input, [=](std::int64_t, std::int64_t at) {
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) {
      d_in[at + c] = static_cast<T>(widen(d_out[at + c]) *
                                    gelu_derivative(widen(in[at + c]) + widen(bias[c])));
    }
  });
}

template <typename T>
void run_typed(const BiasResidual& kernel, CpuEngine& engine) {
  const std::int64_t columns = columns_of(kernel.input);
  const T* in = elements_of<T>(kernel.input, kernel.input.elements(), "input");
  const T* bias = elements_of<T>(kernel.bias, columns, "bias");
  const T* residual = elements_of<T>(kernel.residual, kernel.input.elements(), "residual");
  T* out = elements_of<T>(kernel.output, kernel.input.elements(), "output");
  const DropoutMask& mask = kernel.dropout;
  for_rows(engine, kernel.input, [=](std::int64_t r, std::int64_t at) {
    if (mask.probability == 0.0) {
#pragma omp simd
      for (std::int64_t c = 0; c < columns; ++c) {
        out[at + c] = static_cast<T>(widen(in[at + c]) + widen(bias[c]) + widen(residual[at + c]));
      }
    } else {
#pragma omp simd
      for (std::int64_t c = 0; c < columns; ++c) {
        const auto factor = static_cast<Wide<T>>(mask.factor(r, c));
        out[at + c] =
            static_cast<T>(factor * (widen(in[at + c]) + widen(bias[c])) + widen(residual[at + c]));
      }
    }
  });
}

template <typename T>
void run_typed(const Dropout& kernel, CpuEngine& engine) {
  const std::int64_t columns = columns_of(kernel.input);
  const T* in = elements_of<T>(kernel.input, kernel.input.elements(), "input");
  T* out = elements_of<T>(kernel.output, kernel.input.elements(), "output");
  for_rows(engine, kernel.input, [=, mask = kernel.mask](std::int64_t r, std::int64_t at) {
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) {
      out[at + c] = static_cast<T>(widen(in[at + c]) * static_cast<Wide<T>>(mask.factor(r, c)));
    }
  });
}

template <typename T>
void run_typed(const Fill& kernel, CpuEngine& engine) {
  T* out = elements_of<T>(kernel.output, kernel.output.elements(), "output");
  engine.threads.for_ranges(kernel.output.elements(), kGrain,
                            [&](std::int64_t begin, std::int64_t end, int) {
                              std::fill(out + begin, out + end, static_cast<T>(kernel.value));
                            });
}

template <typename From, typename To>
void run_typed(const Cast& kernel, CpuEngine& engine) {
  const std::int64_t count = kernel.input.elements();
  const From* in = elements_of<From>(kernel.input, count, "input");
  To* out = elements_of<To>(kernel.output, count, "output");
  engine.threads.for_ranges(count, kGrain, [&](std::int64_t begin, std::int64_t end, int) {
    convert(in + begin, out + begin, end - begin);
  });
}

template <typename T>
void run_typed(const Accumulate& kernel, CpuEngine& engine) {
  const std::int64_t count = kernel.output.elements();
  const T* in = elements_of<T>(kernel.input, count, "input");
  Wide<T>* out = elements_of<Wide<T>>(kernel.output, count, "output");
  engine.threads.for_ranges(count, kGrain, [&](std::int64_t begin, std::int64_t end, int) {
#pragma omp simd
    for (std::int64_t i = begin; i < end; ++i) out[i] += widen(in[i]);
  });
}

}  // namespace

void run(const AddBias& kernel, CpuEngine& engine) {
  with_float_type(kernel.input.dtype, [&](auto type) {
    map_biased<decltype(type)>(engine, kernel.input, kernel.bias, kernel.output,
                               [](auto u) { return u; });
  });
}

void run(const BiasGelu& kernel, CpuEngine& engine) {
  with_float_type(kernel.input.dtype, [&](auto type) {
    map_biased<decltype(type)>(engine, kernel.input, kernel.bias, kernel.output,
                               [](auto u) { return gelu(u); });
  });
}

void run(const BiasGeluBackward& kernel, CpuEngine& engine) {
  with_float_type(kernel.input.dtype,
                  [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

void run(const BiasResidual& kernel, CpuEngine& engine) {
  with_float_type(kernel.input.dtype,
                  [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

void run(const Dropout& kernel, CpuEngine& engine) {
  with_float_type(kernel.input.dtype,
                  [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

void run(const Fill& kernel, CpuEngine& engine) {
  if (kernel.output.dtype == DType::int32) return run_typed<std::int32_t>(kernel, engine);
  with_float_type(kernel.output.dtype,
                  [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

void run(const Cast& kernel, CpuEngine& engine) {
  with_float_type(kernel.input.dtype, [&](auto from) {
    with_float_type(kernel.output.dtype,
                    [&](auto to) { run_typed<decltype(from), decltype(to)>(kernel, engine); });
  });
}

void run(const Accumulate& kernel, CpuEngine& engine) {
  with_float_type(kernel.input.dtype,
                  [&](auto type) { run_typed<decltype(type)>(kernel, engine); });
}

}  // namespace fourfold::real::cpu
