// random.cpp: splitmix64, and the system's entropy.
#include "core/base/random.h"

#include <random>

namespace leat {

uint64_t Random::below(uint64_t bound) noexcept {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
}

uint64_t SystemRandom::next() noexcept {
  thread_local std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) | device();
}

uint64_t SeededRandom::next() noexcept {
  state_ += 0x9e3779b97f4a7c15;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace leat
