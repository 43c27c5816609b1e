#include "core/cost/gpu_fleet.hpp"

#include <boost/math/distributions/normal.hpp>

namespace fourfold {

double slowdown(const GpuFleet& fleet, int gpus) {
  const double probability = (gpus - 0.375) / (gpus + 0.25);
  const double deviates = boost::math::quantile(boost::math::normal(), probability);
  return (1.0 + fleet.spread * deviates) / fleet.speed;
}

}  // namespace fourfold
