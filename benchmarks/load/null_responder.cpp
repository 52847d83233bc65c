// null_responder.cpp: see null_responder.h.
#include "benchmarks/load/null_responder.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstring>
#include <memory>
#include <vector>

#include "core/base/check.h"
#include "core/codec/reader.h"
#include "core/codec/writer.h"
#include "core/record/batch.h"

namespace leat::bench {
namespace {

struct Peer {
  explicit Peer(int descriptor) : socket(descriptor), input(4 << 20) {}
  Socket socket;
  std::vector<uint8_t> input;
  size_t held = 0;
  std::vector<uint8_t> output;
};

void write_name(Writer& out, const std::string& name) {
  out.i16(static_cast<int16_t>(name.size()));
  out.raw(as_bytes(name));
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
  to_big_endian(static_cast<int32_t>(out.size() - 4), out.at(0));
  return std::move(out).take();
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
  to_big_endian(static_cast<int32_t>(out.size() - 4), out.at(0));
  return std::move(out).take();
}

// Takes whole frames out of the peer's input and puts their answers into its output.
bool serve(Peer& peer, ByteView produce, ByteView fetch) {
  if (peer.held == peer.input.size()) peer.input.resize(peer.input.size() * 2);
  const Result<size_t> count = peer.socket.receive_some(MutableByteView(peer.input).subspan(peer.held));
  if (!count) return false;
  peer.held += *count;
  size_t at = 0;
  while (peer.held - at >= 6) {
    const auto size = static_cast<size_t>(from_big_endian<int32_t>(peer.input.data() + at));
    if (peer.held - at - 4 < size) break;
    const ByteView answer = from_big_endian<int16_t>(peer.input.data() + at + 4) == 1 ? fetch : produce;
    peer.output.insert(peer.output.end(), answer.begin(), answer.end());
    at += 4 + size;
  }
  std::memmove(peer.input.data(), peer.input.data() + at, peer.held - at);
  peer.held -= at;
  const Result<size_t> sent = peer.socket.send_some(peer.output);
  if (!sent) return false;
  peer.output.erase(peer.output.begin(), peer.output.begin() + static_cast<ptrdiff_t>(*sent));
  return true;
}

}  // namespace

NullResponder::NullResponder(std::string topic, std::vector<uint8_t> fetched)
    : topic_(std::move(topic)), fetched_(std::move(fetched)), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&where), size) == 0 && listen(listener_, 64) == 0);
  CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&where), &size) == 0);
  port_ = ntohs(where.sin_port);
  thread_ = std::thread([this] { run(); });
}

NullResponder::~NullResponder() {
  stopping_ = true;
  thread_.join();
}

void NullResponder::run() noexcept {
  const Socket listener(listener_);
  const std::vector<uint8_t> produce = produce_answer(topic_);
  const std::vector<uint8_t> fetch = fetch_answer(topic_, fetched_);
  std::vector<std::unique_ptr<Peer>> peers;
  while (!stopping_) {
    std::vector<pollfd> polled{{listener.descriptor(), POLLIN, 0}};
    for (const auto& peer : peers) {
      polled.push_back(
          {peer->socket.descriptor(), static_cast<short>(POLLIN | (peer->output.empty() ? 0 : POLLOUT)), 0});
    }
    if (poll(polled.data(), polled.size(), 50) <= 0) continue;
    for (size_t i = peers.size(); i-- > 0;) {
      if (polled[i + 1].revents == 0) continue;
      if (!serve(*peers[i], produce, fetch)) peers.erase(peers.begin() + static_cast<ptrdiff_t>(i));
    }
    if ((polled[0].revents & POLLIN) != 0) {
      peers.push_back(std::make_unique<Peer>(accept(listener_, nullptr, nullptr)));
      const int on = 1;
      (void)setsockopt(peers.back()->socket.descriptor(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      if (!peers.back()->socket.set_nonblocking()) peers.pop_back();
    }
  }
}

}  // namespace leat::bench
