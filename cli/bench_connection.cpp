// bench_connection.cpp: trains and the inbox.
#include "cli/bench_connection.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "core/codec/reader.h"

namespace leat::cli {
namespace {

constexpr size_t kTrainBytes = 64 * 1024;
constexpr size_t kInboxBytes = 256 * 1024;
constexpr size_t kAnswerBytesMax = size_t{512} << 20;

}  // namespace

FrameTrain::FrameTrain(const std::vector<Slice>& frame) {
  for (const Slice& piece : frame) bytes_.insert(bytes_.end(), piece.view().begin(), piece.view().end());
  frame_bytes_ = bytes_.size();
  const std::vector<uint8_t> one = bytes_;
  while (bytes_.size() + one.size() <= kTrainBytes) bytes_.insert(bytes_.end(), one.begin(), one.end());
}

Result<BenchConnection> BenchConnection::open(const HostPort& address, Millis timeout) {
  Result<TcpSocket> socket = TcpSocket::connect(address, timeout);
  if (!socket) {
    return fail(socket.error().code,
                fmt::format("broker {} is not reachable ({})", address.to_string(), socket.error().context));
  }
  return BenchConnection(*std::move(socket));
}

void BenchConnection::set_request(FrameTrain train) {
  train_ = std::move(train);
  to_send_ = 0;
  sent_ = 0;
}

Result<void> BenchConnection::send_some() {
  while (wants_to_send()) {
    const ByteView train = train_.from(sent_);
    const ByteView piece = train.first(static_cast<size_t>(std::min<uint64_t>(train.size(), to_send_ - sent_)));
    TRY(size, socket_.send_some(piece));
    if (size == 0) return {};
    sent_ += size;
  }
  return {};
}

// An inbox that answers still point into is left to them.
void BenchConnection::make_room(size_t size) {
  const size_t kept = end_ - begin_;
  const bool fits = inbox_ && inbox_.unique() && kept + size <= inbox_.capacity();
  if (fits) {
    if (begin_ + size > inbox_.capacity() || kept == 0) {
      if (kept > 0) std::memmove(inbox_.data(), inbox_.data() + begin_, kept);
      begin_ = 0;
      end_ = kept;
    }
    return;
  }
  BlockRef larger = BlockRef::allocate(std::max(kInboxBytes, kept + size));
  if (kept > 0) std::memcpy(larger.data(), inbox_.data() + begin_, kept);
  inbox_ = std::move(larger);
  begin_ = 0;
  end_ = kept;
}

Result<void> BenchConnection::read() {
  constexpr size_t kLeast = 4096;
  if (!inbox_ || inbox_.capacity() - end_ < kLeast || begin_ == end_) make_room(kLeast);
  TRY(size, socket_.receive_some({inbox_.data() + end_, inbox_.capacity() - end_}));
  end_ += size;
  return {};
}

Result<std::optional<Slice>> BenchConnection::next_answer() {
  if (end_ - begin_ < kFrameSizeBytes) return std::nullopt;
  const auto size = from_big_endian<int32_t>(inbox_.data() + begin_);
  if (size < 4 || static_cast<size_t>(size) > kAnswerBytesMax) {
    return fail(Errc::kProtocol, fmt::format("an answer of {} bytes cannot be", size));
  }
  const size_t whole = kFrameSizeBytes + static_cast<size_t>(size);
  if (end_ - begin_ < whole) {
    if (begin_ + whole > inbox_.capacity()) make_room(whole - (end_ - begin_));
    return std::nullopt;
  }
  Slice answer(inbox_, begin_ + kFrameSizeBytes, static_cast<size_t>(size));
  begin_ += whole;
  return answer;
}

void wait_for_any(std::span<BenchConnection* const> connections, Nanos timeout) {
  std::vector<pollfd> waiting;
  for (const BenchConnection* connection : connections) {
    const auto events = static_cast<int16_t>(POLLIN | (connection->wants_to_send() ? POLLOUT : 0));
    waiting.push_back({.fd = connection->descriptor(), .events = events, .revents = 0});
  }
  const Nanos least = std::max(timeout, Nanos(0));
#ifdef __linux__
  const timespec time{.tv_sec = static_cast<time_t>(least.count() / 1'000'000'000),
                      .tv_nsec = least.count() % 1'000'000'000};
  (void)::ppoll(waiting.data(), waiting.size(), &time, nullptr);
#else
  (void)::poll(waiting.data(), static_cast<nfds_t>(waiting.size()), static_cast<int>(least.count() / 1'000'000));
#endif
}

}  // namespace leat::cli
