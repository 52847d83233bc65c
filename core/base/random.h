// random.h: where randomness comes from: ids, jitter, simulation. A seed replays everything that used it.
#pragma once

#include <cstdint>

namespace leat {

class Random {
 public:
  virtual ~Random() = default;
  virtual uint64_t next() noexcept = 0;

  uint64_t below(uint64_t bound) noexcept;  // uniform in [0, bound); bound > 0
  bool one_in(uint64_t count) noexcept { return below(count) == 0; }
};

class SystemRandom final : public Random {  // the operating system's generator: for ids that others must not guess
 public:
  uint64_t next() noexcept override;
};

class SeededRandom final : public Random {  // splitmix64
 public:
  explicit SeededRandom(uint64_t seed) noexcept : state_(seed) {}
  uint64_t next() noexcept override;

 private:
  uint64_t state_;
};

}  // namespace leat
