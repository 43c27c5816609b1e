#pragma once
// Folding in time. Micro-batches of a step are alike: once the first ones have set the rhythm, each further one adds the
// same time, the same work and the same bytes, and the end of the step is as it is for fewer.

#include "sim/report/run_report.hpp"

namespace fourfold::sim {

/// The report of a step of `micro_batches`, from those of the same step with one micro-batch less than `last` replayed
/// and with `last.replayed_micro_batches`. Memory, timeline and the effort of the simulation are those of `last`.
RunReport continue_linearly(const RunReport& previous, const RunReport& last,
                            std::int64_t micro_batches);

}  // namespace fourfold::sim
