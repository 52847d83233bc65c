// null_responder.cpp: see null_responder.h. Produce v7, Fetch v11, OffsetCommit v7 and InitProducerId v1, as the load
// sends them.
#include "benchmarks/load/null_responder.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "benchmarks/load/poller.h"
#include "benchmarks/load/scratch.h"
#include "core/base/check.h"
#include "core/codec/reader.h"
#include "core/codec/writer.h"

namespace leat::bench {
namespace {

constexpr size_t kChunkBytes = 256 << 10;
constexpr int kChunksInARow = 16;     // of one peer before the others have their turn
constexpr size_t kHeadBytes = 4 + 2;  // size and API key
constexpr int16_t kFetchKey = 1;
constexpr int16_t kOffsetCommitKey = 8;
constexpr int16_t kInitProducerIdKey = 22;

void write_name(Writer& out, const std::string& name) {
  out.i16(static_cast<int16_t>(name.size()));
  out.raw(as_bytes(name));
}

std::vector<uint8_t> finish(Writer& out) {
  to_big_endian(static_cast<int32_t>(out.size() - 4), out.at(0));
  return std::move(out).take();
}

std::vector<uint8_t> produce_answer(const std::string& topic) {
  Writer out;
  out.i32(0);
  out.i32(7);
  out.i32(1);
  write_name(out, topic);
  out.i32(1);
  out.i32(0);
  out.i16(0);
  out.i64(0);
  out.i64(-1);
  out.i64(0);
  out.i32(0);
  return finish(out);
}

std::vector<uint8_t> fetch_answer(const std::string& topic, ByteView records) {
  Writer out;
  out.i32(0);
  out.i32(7);
  out.i32(0);
  out.i16(0);
  out.i32(0);
  out.i32(1);
  write_name(out, topic);
  out.i32(1);
  out.i32(0);
  out.i16(0);
  out.i64(INT64_MAX);
  out.i64(INT64_MAX);
  out.i64(0);
  out.i32(-1);
  out.i32(-1);
  out.i32(static_cast<int32_t>(records.size()));
  out.raw(records);
  return finish(out);
}

std::vector<uint8_t> commit_answer(const std::string& topic) {
  Writer out;
  out.i32(0);
  out.i32(7);
  out.i32(0);
  out.i32(1);
  write_name(out, topic);
  out.i32(1);
  out.i32(0);
  out.i16(0);
  return finish(out);
}

std::vector<uint8_t> producer_id_answer() {
  Writer out;
  out.i32(0);
  out.i32(1);  // correlation id of call()
  out.i32(0);
  out.i16(0);
  out.i64(4711);
  out.i16(0);
  return finish(out);
}

struct Answers {
  std::vector<uint8_t> produce, fetch, commit, producer_id;
  const std::vector<uint8_t>& for_key(int16_t key) const noexcept {
    if (key == kFetchKey) return fetch;
    if (key == kOffsetCommitKey) return commit;
    return key == kInitProducerIdKey ? producer_id : produce;
  }
};

struct Peer {
  explicit Peer(int descriptor) : socket(descriptor) {}
  Socket socket;
  uint8_t head[kHeadBytes] = {};
  size_t head_size = 0;
  size_t body_left = 0;  // of the frame whose head is whole
  std::vector<uint8_t> output;
  bool needs_room = false;  // and so told the poller
};

// Counts whole frames in what arrived and puts their answers into the peer's output.
void take(Peer& peer, ByteView bytes, const Answers& answers) {
  while (!bytes.empty()) {
    if (peer.head_size < kHeadBytes) {
      const size_t count = std::min(kHeadBytes - peer.head_size, bytes.size());
      std::memcpy(peer.head + peer.head_size, bytes.data(), count);
      peer.head_size += count;
      bytes = bytes.subspan(count);
      if (peer.head_size < kHeadBytes) return;
      peer.body_left = static_cast<size_t>(std::max(from_big_endian<int32_t>(peer.head) - 2, 1));
    }
    const size_t count = std::min(peer.body_left, bytes.size());
    bytes = bytes.subspan(count);
    peer.body_left -= count;
    if (peer.body_left > 0) return;
    const std::vector<uint8_t>& answer = answers.for_key(from_big_endian<int16_t>(peer.head + 4));
    peer.output.insert(peer.output.end(), answer.begin(), answer.end());
    peer.head_size = 0;
  }
}

// The state of the responder's thread.
class Serving {
 public:
  Serving(int listener, Answers answers, Keep keep) : listener_(listener), answers_(std::move(answers)), keep_(keep) {
    poller_.add(listener, kListenerToken);
    if (keep == Keep::kNothing) return;
    Result<ScratchFile> file = ScratchFile::create();
    ENSURE(file.has_value());
    file_.emplace(std::move(*file));
  }

  // Takes from all that have something, keeps it, then answers all.
  void serve(int timeout_ms) {
    touched_.clear();
    bool arrived = false;
    for (const Poller::Ready& ready : poller_.wait(timeout_ms)) {
      if (ready.token == kListenerToken) {
        accept_one();
        continue;
      }
      arrived = arrived || ready.readable;
      if (ready.readable && !receive(*peers_[ready.token])) {
        end(ready.token);
      } else {
        touched_.push_back(ready.token);
      }
    }
    if (arrived && keep_ == Keep::kDurable) ENSURE(file_->sync().has_value());
    for (const size_t token : touched_) {
      if (!send(token)) end(token);
    }
  }

 private:
  static constexpr size_t kListenerToken = SIZE_MAX;

  bool receive(Peer& peer) {
    for (int i = 0; i < kChunksInARow; ++i) {
      const Result<size_t> count = peer.socket.receive_some(chunk_);
      if (!count) return false;
      const ByteView bytes(chunk_.data(), *count);
      if (file_.has_value() && !file_->append(bytes)) return false;
      take(peer, bytes, answers_);
      if (*count < chunk_.size()) break;
    }
    return true;
  }

  bool send(size_t token) {
    Peer& peer = *peers_[token];
    const Result<size_t> sent = peer.output.empty() ? Result<size_t>(0) : peer.socket.send_some(peer.output);
    if (!sent) return false;
    peer.output.erase(peer.output.begin(), peer.output.begin() + static_cast<ptrdiff_t>(*sent));
    if (peer.output.empty() == peer.needs_room) {
      peer.needs_room = !peer.needs_room;
      poller_.wait_for_room(peer.socket.descriptor(), token, peer.needs_room);
    }
    return true;
  }

  void accept_one() {
    auto peer = std::make_unique<Peer>(accept(listener_, nullptr, nullptr));
    if (peer->socket.descriptor() < 0 || !peer->socket.set_nonblocking()) return;
    const int on = 1;
    (void)setsockopt(peer->socket.descriptor(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    poller_.add(peer->socket.descriptor(), peers_.size());
    peers_.push_back(std::move(peer));
  }

  void end(size_t token) {
    poller_.remove(peers_[token]->socket.descriptor());
    peers_[token].reset();
  }

  int listener_;
  Answers answers_;
  Keep keep_;
  Poller poller_;
  std::vector<uint8_t> chunk_ = std::vector<uint8_t>(kChunkBytes);
  std::optional<ScratchFile> file_;
  std::vector<std::unique_ptr<Peer>> peers_;  // by token; a place is not used again
  std::vector<size_t> touched_;
};

}  // namespace

NullResponder::NullResponder(Plan plan) : plan_(std::move(plan)), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  ENSURE(bind(listener_, reinterpret_cast<sockaddr*>(&where), size) == 0 && listen(listener_, 1024) == 0);
  ENSURE(getsockname(listener_, reinterpret_cast<sockaddr*>(&where), &size) == 0);
  port_ = ntohs(where.sin_port);
  thread_ = std::thread([this] { run(); });
}

NullResponder::~NullResponder() {
  stopping_ = true;
  thread_.join();
}

void NullResponder::run() noexcept {
  const Socket listener(listener_);
  Serving serving(listener.descriptor(),
                  {.produce = produce_answer(plan_.topic),
                   .fetch = fetch_answer(plan_.topic, plan_.fetched),
                   .commit = commit_answer(plan_.topic),
                   .producer_id = producer_id_answer()},
                  plan_.keep);
  while (!stopping_) serving.serve(50);
}

}  // namespace leat::bench
