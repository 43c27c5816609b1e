#pragma once
// The GPUs of a machine are slower than the one in the data of their type, and not equally fast: chips differ, and so do
// cooling and power. A training step waits for the slowest of them, so that the more GPUs take part the slower all get.
//
// Speeds are taken to be normally distributed. On five clusters that were measured the same kernel differed by 8 % on
// average and 22 % at most, with outliers of 1.5 times the median (Sinha et al., SC22, arXiv 2208.11035).

namespace fourfold {

struct GpuFleet {
  double speed = 1;   ///< mean, against the kernel times of platforms/gpus
  double spread = 0;  ///< standard deviation over the mean; 0 = all alike
};

/// How many times longer than modelled the slowest of `gpus` is expected to take for any kernel:
/// (1 + spread x E[largest of so many standard normal deviates]) / speed. Blom's formula approximates the expectation (G.
/// Blom, Statistical Estimates and Transformed Beta-Variables, 1958).
double slowdown(const GpuFleet& fleet, int gpus);

}  // namespace fourfold
