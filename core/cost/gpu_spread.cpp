#include "core/cost/gpu_spread.hpp"

#include <boost/math/distributions/normal.hpp>

namespace fourfold {

double slowest_of(int gpus, double spread) {
  const double probability = (gpus - 0.375) / (gpus + 0.25);
  return 1.0 + spread * boost::math::quantile(boost::math::normal(), probability);
}

}  // namespace fourfold
