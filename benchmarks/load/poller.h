// poller.h: which of many sockets are ready. epoll on Linux, where poll() would cost the generator time for each of its
// connections at each wake-up; poll() elsewhere. Level-triggered. Thread: the owner's.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace leat::bench {

class Poller {
 public:
  struct Ready {
    size_t token;
    bool readable;  // or failed: the next receive tells
    bool writable;
  };

  Poller();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  void add(int descriptor, size_t token);  // for reading; the token is given back in Ready
  void wait_for_room(int descriptor, size_t token, bool wanted);
  void remove(int descriptor);
  std::span<const Ready> wait(int timeout_ms);  // empty when the time is over; valid until the next call

 private:
  struct Watched {
    int descriptor;
    size_t token;
    bool for_room;
  };
  int epoll_ = -1;
  std::vector<Watched> watched_;  // where there is no epoll
  std::vector<Ready> ready_;
};

}  // namespace leat::bench
