#pragma once
// GPUs of one type are not equally fast: chips differ, and so do cooling and power. A training step waits for the
// slowest of them, so that the more GPUs take part the slower all of them get.
//
// Speeds are taken to be normally distributed. On five clusters that were measured the same kernel differed by 8 % on
// average and 22 % at most, with outliers of 1.5 times the median (Sinha et al., SC22, arXiv 2208.11035).

namespace fourfold {

/// How many times longer than the mean GPU the slowest of `gpus` is expected to take for the same kernels:
/// 1 + spread x E[largest of so many standard normal deviates], which Blom's formula approximates (G. Blom, Statistical
/// Estimates and Transformed Beta-Variables, 1958). `spread` is the standard deviation over the mean, 0 = all alike.
double slowest_of(int gpus, double spread);

}  // namespace fourfold
