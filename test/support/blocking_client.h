// blocking_client.h: a plain TCP client with blocking calls, for a thread of its own beside the loop under test. A
// receive that takes longer than the timeout counts as "nothing came": a test that hangs fails instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat {

class BlockingClient {
 public:
  explicit BlockingClient(uint16_t port, const std::string& host = "127.0.0.1", int receive_buffer_bytes = 0);
  BlockingClient(BlockingClient&& other) noexcept;
  BlockingClient(const BlockingClient&) = delete;
  BlockingClient& operator=(const BlockingClient&) = delete;
  ~BlockingClient();

  bool connected() const noexcept { return descriptor_ >= 0; }
  bool send(std::string_view bytes);           // false: the other side is gone
  bool send_frame(std::string_view payload);   // with its size field
  std::optional<std::string> receive_frame();  // the payload; nothing at the end of the stream or after the timeout
  std::string receive_all();                   // until the end of the stream or the timeout
  bool wait_for_end();                         // true when the server closed, false when bytes or nothing came
  void shut_sending() noexcept;

 private:
  bool receive_exactly(char* into, size_t size);

  int descriptor_ = -1;
};

std::string frame_of(std::string_view payload);

}  // namespace leat
