// poller.cpp: see poller.h.
#include "benchmarks/load/poller.h"

#include <poll.h>
#ifdef __linux__
#include <sys/epoll.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/base/check.h"

namespace leat::bench {

#ifdef __linux__

Poller::Poller() : epoll_(epoll_create1(EPOLL_CLOEXEC)) { ENSURE(epoll_ >= 0); }
Poller::~Poller() { (void)close(epoll_); }

void Poller::add(int descriptor, size_t token) {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = token}};
  ENSURE(epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0);
}

void Poller::wait_for_room(int descriptor, size_t token, bool wanted) {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = token}};
  if (wanted) event.events |= EPOLLOUT;
  ENSURE(epoll_ctl(epoll_, EPOLL_CTL_MOD, descriptor, &event) == 0);
}

void Poller::remove(int descriptor) { (void)epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr); }

std::span<const Poller::Ready> Poller::wait(int timeout_ms) {
  std::array<epoll_event, 256> events;
  const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout_ms);
  ready_.clear();
  for (int i = 0; i < count; ++i) {
    const uint32_t what = events[static_cast<size_t>(i)].events;
    ready_.push_back({.token = events[static_cast<size_t>(i)].data.u64,
                      .readable = (what & ~static_cast<uint32_t>(EPOLLOUT)) != 0,
                      .writable = (what & EPOLLOUT) != 0});
  }
  return ready_;
}

#else

Poller::Poller() = default;
Poller::~Poller() = default;

void Poller::add(int descriptor, size_t token) {
  watched_.push_back({.descriptor = descriptor, .token = token, .for_room = false});
}

void Poller::wait_for_room(int descriptor, size_t /*token*/, bool wanted) {
  for (Watched& watched : watched_) {
    if (watched.descriptor == descriptor) watched.for_room = wanted;
  }
}

void Poller::remove(int descriptor) {
  std::erase_if(watched_, [descriptor](const Watched& watched) { return watched.descriptor == descriptor; });
}

std::span<const Poller::Ready> Poller::wait(int timeout_ms) {
  std::vector<pollfd> polled;
  for (const Watched& watched : watched_) {
    polled.push_back({watched.descriptor, static_cast<short>(POLLIN | (watched.for_room ? POLLOUT : 0)), 0});
  }
  ready_.clear();
  if (poll(polled.data(), static_cast<nfds_t>(polled.size()), timeout_ms) <= 0) return ready_;
  for (size_t i = 0; i < polled.size(); ++i) {
    if (polled[i].revents == 0) continue;
    ready_.push_back({.token = watched_[i].token,
                      .readable = (polled[i].revents & ~POLLOUT) != 0,
                      .writable = (polled[i].revents & POLLOUT) != 0});
  }
  return ready_;
}

#endif

}  // namespace leat::bench
