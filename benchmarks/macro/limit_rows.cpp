// limit_rows.cpp: what the machine itself can do, without a protocol: a round trip over loopback, bytes through
// loopback, a write to the page cache, a sync. The other thread is an echo or a sink on a socket pair over TCP.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <utility>

#include "benchmarks/load/scratch.h"
#include "benchmarks/macro/broker.h"

namespace leat::bench {
namespace {

using Steady = std::chrono::steady_clock;

double seconds_since(Steady::time_point begin) { return std::chrono::duration<double>(Steady::now() - begin).count(); }

uint64_t nanoseconds_since(Steady::time_point begin) {
  return static_cast<uint64_t>((Steady::now() - begin) / std::chrono::nanoseconds(1));
}

struct TcpPair {
  Socket near, far;
};

Result<TcpPair> connected_pair() {
  Socket listener(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  if (bind(listener.descriptor(), reinterpret_cast<sockaddr*>(&where), size) != 0 ||
      listen(listener.descriptor(), 1) != 0 ||
      getsockname(listener.descriptor(), reinterpret_cast<sockaddr*>(&where), &size) != 0) {
    return fail(Errc::kIo, "no listener on loopback");
  }
  TRY(near, Socket::connect({.host = "127.0.0.1", .port = ntohs(where.sin_port)}));
  Socket far(accept(listener.descriptor(), nullptr, nullptr));
  const int on = 1;
  (void)setsockopt(far.descriptor(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return TcpPair{std::move(near), std::move(far)};
}

// Takes `step` on one side, again and again, while a thread does `far_side` on the other until the stream ends.
template <class FarSide, class Step>
Result<LoadResult> over_loopback(const FarSide& far_side, const Step& step) {
  TRY(pair, connected_pair());
  std::thread other([&far_side, &far = pair.far] { far_side(far); });
  LoadResult result;
  Result<void> going;
  const auto begin = Steady::now();
  while (going && seconds_since(begin) < throughput_seconds()) {
    going = step(pair.near, result);
    ++result.requests;
  }
  result.seconds = seconds_since(begin);
  (void)shutdown(pair.near.descriptor(), SHUT_RDWR);
  other.join();
  if (!going) return fail(going.error());
  return result;
}

Result<LoadResult> ping_pong() {
  uint8_t ball[64] = {};
  const auto echo = [](Socket& far) {
    uint8_t returned[sizeof ball];
    while (far.receive_all(returned) && far.send_all(returned)) {
    }
  };
  return over_loopback(echo, [&ball](Socket& near, LoadResult& result) -> Result<void> {
    const auto sent = Steady::now();
    TRY(near.send_all(ball));
    TRY(near.receive_all(ball));
    result.latency.add(nanoseconds_since(sent));
    return {};
  });
}

Result<LoadResult> loopback() {
  const std::vector<uint8_t> chunk(1 << 20, 'x');
  const auto sink = [](Socket& far) {
    std::vector<uint8_t> into(256 << 10);
    for (Result<size_t> count = size_t{1}; count;) count = far.receive_some(into);
  };
  return over_loopback(sink, [&chunk](Socket& near, LoadResult& result) -> Result<void> {
    TRY(near.send_all(chunk));
    result.bytes += chunk.size();
    return {};
  });
}

// The file is closed and so deleted after the clock has stopped.
Result<LoadResult> write_file(size_t chunk_bytes, uint64_t bytes_max, bool synced) {
  TRY(file, ScratchFile::create());
  const std::vector<uint8_t> chunk(chunk_bytes, 'x');
  LoadResult result;
  const auto begin = Steady::now();
  while (result.bytes < bytes_max && seconds_since(begin) < throughput_seconds()) {
    const auto started = Steady::now();
    TRY(file.append(chunk));
    if (synced) TRY(file.sync());
    result.latency.add(nanoseconds_since(started));
    result.bytes += chunk.size();
    ++result.requests;
  }
  result.seconds = seconds_since(begin);
  return result;
}

void add(const char* name, Result<LoadResult> (*run)()) {
  auto* row = benchmark::RegisterBenchmark(name, [run](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
      const Result<LoadResult> result = run();
      if (!result) return state.SkipWithError(result.error().context.c_str());
      report(state, *result);
    }
  });
  configure(row);
}

}  // namespace

void register_limit_rows() {
  add("limit/tcp_ping_pong", ping_pong);
  add("limit/loopback", loopback);
  add("limit/pwrite_touched", [] {
    touch_memory(scaled(2.2e9));
    return write_file(1 << 20, scaled(2e9), false);
  });
  add("limit/sync_4KiB", [] {
    settle_disk();
    return write_file(4096, UINT64_MAX, true);
  });
}

}  // namespace leat::bench
