#include "real/reference/rank_fibers.hpp"

#include <cstddef>
#include <new>
#include <utility>

#include <sys/mman.h>
#include <ucontext.h>

namespace fourfold::real {
namespace {

/// Memory for a fiber's calls: taken from the system where it is touched; an overflow ends the program.
class Stack {
 public:
  Stack()
      : begin_(
            ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (begin_ == MAP_FAILED) throw std::bad_alloc();
    ::mprotect(begin_, kGuard, PROT_NONE);
  }
  ~Stack() { ::munmap(begin_, kBytes); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  stack_t description() const { return {begin_, 0, kBytes}; }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;
  static constexpr std::size_t kGuard = std::size_t{1} << 16;  // a multiple of any system's pages
  void* begin_;
};

/// makecontext passes nothing but ints: the two halves of the address of the function to call.
void call(unsigned high, unsigned low) {
  const auto address = (std::uintptr_t{high} << 32U) | low;
  (*reinterpret_cast<const std::function<void()>*>(address))();
}

}  // namespace

struct RankFibers::Fiber {
  Stack stack;
  ucontext_t context{};  ///< where it goes on, while it does not run
  std::function<void()> program;
  bool sleeps = false;
};

struct RankFibers::Scheduler {
  ucontext_t context{};
};

RankFibers::RankFibers(int count)
    : fibers_(static_cast<std::size_t>(count)), scheduler_(std::make_unique<Scheduler>()) {}

RankFibers::~RankFibers() = default;

RankFibers::Fiber& RankFibers::of(int rank) {
  return fibers_[static_cast<std::size_t>(rank)];
}

void RankFibers::run(const std::function<void(int)>& program) {
  for (int rank = 0; rank < static_cast<int>(fibers_.size()); ++rank) {
    Fiber& fiber = of(rank);
    fiber.program = [rank, &program] { program(rank); };
    ::getcontext(&fiber.context);
    fiber.context.uc_stack = fiber.stack.description();
    fiber.context.uc_link = &scheduler_->context;  // at the end of the program
    const auto address = reinterpret_cast<std::uintptr_t>(&fiber.program);
    ::makecontext(&fiber.context, reinterpret_cast<void (*)()>(call), 2,
                  static_cast<unsigned>(address >> 32U), static_cast<unsigned>(address));
    ready_.push_back(rank);
  }
  while (!ready_.empty()) {
    const int next = ready_.front();
    ready_.pop_front();
    ::swapcontext(&scheduler_->context, &of(next).context);
  }
}

void RankFibers::sleep(int rank) {
  of(rank).sleeps = true;
  ::swapcontext(&of(rank).context, &scheduler_->context);
}

void RankFibers::wake(int rank) {
  if (std::exchange(of(rank).sleeps, false)) ready_.push_back(rank);
}

}  // namespace fourfold::real
