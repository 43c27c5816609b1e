#include "core/analytic/memory_formulas.hpp"

#include <algorithm>

namespace fourfold {
namespace {

constexpr double kHalf = 2, kSingle = 4;  // bytes of an element

double real(std::int64_t value) {
  return static_cast<double>(value);
}

}  // namespace

double model_state_bytes_per_parameter(const MegatronSetup& setup) {
  return setup.distributed_optimizer ? 6 + 12 / real(setup.data) : 18;
}

double layer_parameters(const MegatronSetup& setup) {
  const double h = real(setup.hidden);
  const double attention = h * (2 * h + 2 * real(setup.key_value_width));
  const double feed_forward = (setup.gated ? 3 : 2) * h * real(setup.ffn);
  return real(setup.layers) * (attention + feed_forward);
}

double gpt_layer_activation_bytes(const MegatronSetup& setup) {
  const double h = real(setup.hidden), t = real(setup.tensor);
  const double width = setup.tokens() * h;
  if (setup.kept == KeptActivations::only_layer_inputs) return 2 * width;
  const double attention =
      setup.kept == KeptActivations::all ? 5 * real(setup.heads) * real(setup.sequence) / h : 0;
  if (setup.sequence_parallel) return width * (34 + attention) / t;
  return width * (10 + 24 / t + attention / t);
}

double llama_layer_activation_bytes(const MegatronSetup& setup) {
  const double token =
      12 * real(setup.hidden) + 4 * real(setup.key_value_width) + 6 * real(setup.ffn);
  return setup.tokens() * token / real(setup.tensor);
}

double first_stage_activation_bytes(const MegatronSetup& setup, double layer_bytes) {
  const double p = real(setup.pipeline), parts = real(setup.interleave);
  const double interleaving = parts > 1 ? 1 + (p - 1) / (p * parts) : 1;
  return real(setup.layers) * layer_bytes * interleaving;
}

double llama_peak_bytes(const MegatronSetup& setup) {
  const double t = real(setup.tensor), p = real(setup.pipeline);
  const double table = real(setup.vocabulary) * real(setup.hidden) / t;
  const double per_parameter = model_state_bytes_per_parameter(setup);
  const double layers = layer_parameters(setup) / t;
  const double dummies = kHalf * layers / real(setup.layers);
  const double activations =
      first_stage_activation_bytes(setup, llama_layer_activation_bytes(setup));
  const double head =
      setup.tokens() * real(setup.vocabulary) / t * (kHalf + kSingle) + kHalf * table;
  if (setup.pipeline == 1) {
    return per_parameter * (layers + 2 * table) + activations + dummies + head;
  }
  const double states = per_parameter * (layers / p + table) + dummies;
  return states + std::max(activations, activations / p + head);
}

}  // namespace fourfold
