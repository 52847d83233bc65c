// client.h: where everything begins: a connection to a cluster, and producers, consumers and an admin on it.
//   auto client = Client::create({.bootstrap_servers = "localhost:9092"});                 // a thread of its own
//   auto client = Client::create_on(uv_default_loop(), {.bootstrap_servers = "..."});      // your loop
// Nothing is connected before something is asked. A client on your loop keeps it alive until it is destroyed, which is
// done in the loop's thread; its handles are closed in the loop's next turn. Destroy producers and consumers first, or
// close() them: what is under way when the client is destroyed is answered with kClosed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <leat/admin.h>
#include <leat/consumer.h>
#include <leat/pending.h>
#include <leat/producer.h>
#include <leat/result.h>
#include <leat/task.h>
#include <leat/version.h>

struct uv_loop_s;

namespace leat::client {

// What calls do while a broker that they need cannot be reached, or does not answer in time. Records that a producer
// has taken always wait for their delivery_timeout_ms.
enum class WhenUnreachable : uint8_t {
  kTryOn,  // they try again as long as their time lasts: brokers are restarted. Consumers wait for as long as it takes
  kFail,   // they fail at once, with kUnreachable or kTimedOut; poll() gives it: for tools, whose user looks on
};

struct ClientSettings {
  std::string bootstrap_servers = "127.0.0.1:9092";  // host:port, separated by commas; one that answers will do
  std::string client_id = "leat";
  int64_t connect_timeout_ms = 10'000;
  int64_t request_timeout_ms = 30'000;  // of all but Produce, which has its own
  int64_t reconnect_backoff_ms = 50;    // doubles with each failure in a row, with jitter
  int64_t reconnect_backoff_max_ms = 1'000;
  int64_t retry_backoff_ms = 100;  // between attempts of metadata and other requests
  int64_t retry_backoff_max_ms = 1'000;
  int64_t metadata_max_age_ms = 300'000;
  WhenUnreachable when_unreachable = WhenUnreachable::kTryOn;
  size_t response_bytes_max = size_t{256} << 20;  // a larger frame is taken for nonsense
};

namespace detail {
class ClientCore;
}

class Client {
 public:
  static Result<std::unique_ptr<Client>> create(const ClientSettings& settings = {});
  static Result<std::unique_ptr<Client>> create_on(uv_loop_s* loop, const ClientSettings& settings = {});
  explicit Client(std::unique_ptr<detail::ClientCore> core) noexcept;  // for the two above, and tests
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Answered when a broker has been reached, or with what the first of the bootstrap servers said when none was; each
  // is tried once. Nobody needs to call it: everything else connects by itself.
  Pending<> connect();

  // kInvalidArgument names the setting.
  Result<std::unique_ptr<Producer>> producer(const ProducerSettings& settings = {});
  Result<std::unique_ptr<Consumer>> consumer(const ConsumerSettings& settings);
  Admin& admin() noexcept;

  // Runs the task in the loop's thread, until its end. The client must live until then.
  void spawn(Task<> task);
  // The same, and waits for the end: for programs without a loop. Not to be called in the loop's thread.
  template <class T>
  T run(Task<T> task);

 private:
  void block_on(Task<> task);
  template <class T>
  static Task<> keep_result(Task<T> task, std::optional<T>* result) {
    result->emplace(co_await std::move(task));
  }

  std::unique_ptr<detail::ClientCore> core_;
};

template <class T>
T Client::run(Task<T> task) {
  if constexpr (std::is_void_v<T>) {
    block_on(std::move(task));
  } else {
    std::optional<T> result;
    block_on(keep_result(std::move(task), &result));
    return std::move(*result);
  }
}

}  // namespace leat::client
