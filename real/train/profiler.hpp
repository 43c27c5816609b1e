#pragma once
// Times every operation of a real rank: a decorator that waits for each kernel and collective before it goes on.
// Nothing overlaps while it is on, so the times are those of the operations alone; a collective's includes the wait for
// its slowest member.

#include <map>
#include <string>
#include <utility>

#include "core/backend/rank_context.hpp"

namespace fourfold::real {

struct KernelProfile {
  std::int64_t count = 0;
  Seconds busy = 0;
  Flops flops = 0;
};

struct CollectiveProfile {
  std::int64_t count = 0;
  Seconds busy = 0;
  double sent_bytes = 0;  ///< by a rank, in a ring
};

class Profiler final : public Device, public Communicator {
 public:
  /// All three must outlive the profiler.
  Profiler(Device& device, Communicator& communicator, const Grid& grid)
      : device_(device), communicator_(communicator), grid_(grid) {}

  /// Between these operations are timed; otherwise they pass through.
  void begin_step();
  void end_step();

  std::int64_t steps() const { return steps_; }
  const std::map<std::string, KernelProfile>& kernels() const { return kernels_; }
  const std::map<std::pair<CollectiveKind, AxisSet>, CollectiveProfile>& collectives() const {
    return collectives_;
  }

  Tensor allocate(Shape shape, DType dtype, MemoryKind kind) override;
  void launch(Stream stream, const Kernel& kernel) override;
  void launch(Stream stream, const Collective& collective) override;
  Event record(Stream stream) override { return device_.record(stream); }
  void wait(Stream stream, Event event) override { device_.wait(stream, event); }
  void synchronize() override { device_.synchronize(); }
  void upload(Stream stream, std::span<const std::byte> source, const Tensor& destination) override;
  void download(Stream stream, const Tensor& source, std::span<std::byte> destination) override;
  void push_range(std::string_view name) override { device_.push_range(name); }
  void pop_range() override { device_.pop_range(); }

 private:
  Device& device_;
  Communicator& communicator_;
  const Grid& grid_;
  bool on_ = false;
  std::int64_t steps_ = 0;
  std::map<std::string, KernelProfile> kernels_;
  std::map<std::pair<CollectiveKind, AxisSet>, CollectiveProfile> collectives_;
};

/// Profiles for its lifetime, if `on`.
class ProfiledStep {
 public:
  ProfiledStep(Profiler& profiler, bool on) : profiler_(on ? &profiler : nullptr) {
    if (profiler_ != nullptr) profiler_->begin_step();
  }
  ~ProfiledStep() {
    if (profiler_ != nullptr) profiler_->end_step();
  }
  ProfiledStep(const ProfiledStep&) = delete;
  ProfiledStep& operator=(const ProfiledStep&) = delete;

 private:
  Profiler* profiler_;
};

}  // namespace fourfold::real
