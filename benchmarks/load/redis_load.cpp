// redis_load.cpp: see redis_load.h. A request is an array of bulk strings, an answer to XADD the new id as a bulk
// string: "$15\r\n1700000000000-0\r\n"; "-..." is an error.
#include "benchmarks/load/redis_load.h"

#include <fmt/format.h>
#include <poll.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace leat::bench {
namespace {

using Steady = std::chrono::steady_clock;

std::string command(const std::vector<std::string>& words) {
  std::string text = fmt::format("*{}\r\n", words.size());
  for (const std::string& word : words) text += fmt::format("${}\r\n{}\r\n", word.size(), word);
  return text;
}

struct Client {
  Socket socket;
  std::string answer = {};
  Steady::time_point sent_at = {};
  bool waiting = false;
};

constexpr int kLinesOfAnId = 2;

// Whether the answer is whole; an error of the server's is ours.
Result<bool> receive(Client& client) {
  uint8_t chunk[256];
  TRY(count, client.socket.receive_some(chunk));
  client.answer.append(reinterpret_cast<const char*>(chunk), count);
  int lines = 0;
  for (size_t at = client.answer.find("\r\n"); at != std::string::npos; at = client.answer.find("\r\n", at + 2)) {
    ++lines;
  }
  if (!client.answer.empty() && client.answer[0] == '-' && lines > 0) return fail(Errc::kIo, "redis: " + client.answer);
  return lines >= kLinesOfAnId;
}

Result<void> delete_stream(const Address& server) {
  TRY(socket, Socket::connect(server));
  TRY(socket.send_all(as_bytes(command({"DEL", "leat-bench"}))));
  uint8_t chunk[64];
  TRY(socket.receive_some(chunk));
  return {};
}

Result<std::vector<Client>> connect_all(const RedisLoad& load) {
  std::vector<Client> clients;
  for (int i = 0; i < load.connections; ++i) {
    TRY(socket, Socket::connect(load.server));
    clients.push_back({.socket = std::move(socket)});
  }
  return clients;
}

}  // namespace

Result<LoadResult> run_redis(const RedisLoad& load) {
  const std::string text =
      command({"XADD", "leat-bench", "*", "v", std::string(static_cast<size_t>(load.record_bytes), 'x')});
  TRY(delete_stream(load.server));
  TRY(clients, connect_all(load));
  std::vector<pollfd> polled;
  for (const Client& client : clients) polled.push_back({client.socket.descriptor(), POLLIN, 0});
  LoadResult result;
  uint64_t sent = 0;
  bool over = false;
  const auto begin = Steady::now();
  for (size_t waiting = 1; waiting > 0;) {
    const auto now = Steady::now();
    if (load.seconds_max > 0 && now - begin > std::chrono::duration<double>(load.seconds_max)) over = true;
    waiting = 0;
    for (Client& client : clients) {
      if (!client.waiting && !over && sent < load.request_count) {
        client.sent_at = Steady::now();
        TRY(client.socket.send_all(as_bytes(text)));
        client.waiting = true;
        ++sent;
      }
      waiting += client.waiting ? 1 : 0;
    }
    if (waiting == 0) break;
    if (poll(polled.data(), polled.size(), 30'000) == 0) return fail(Errc::kTimedOut, "redis: no answer for 30 s");
    for (size_t i = 0; i < clients.size(); ++i) {
      if (polled[i].revents == 0) continue;
      TRY(whole, receive(clients[i]));
      if (!whole) continue;
      result.latency.add(static_cast<uint64_t>((Steady::now() - clients[i].sent_at) / std::chrono::nanoseconds(1)));
      ++result.requests;
      clients[i].answer.clear();
      clients[i].waiting = false;
    }
  }
  result.seconds = std::chrono::duration<double>(Steady::now() - begin).count();
  result.records = result.requests;
  result.bytes = result.requests * static_cast<uint64_t>(load.record_bytes);
  return result;
}

}  // namespace leat::bench
