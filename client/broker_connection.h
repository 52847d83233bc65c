// broker_connection.h: one connection on which requests wait for their answers, in versions that both sides speak.
// Small on purpose: the asynchronous client takes its place. Thread: one at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/host_port.h"
#include "client/tcp_socket.h"
#include "core/base/clock.h"
#include "core/base/result.h"
#include "net/protocol/api_key.h"
#include "net/protocol/frame.h"

namespace leat {

struct ConnectionOptions {
  std::string client_id = "leat";
  Millis connect_timeout{5'000};
  Millis request_timeout{30'000};
};

struct ApiRange {
  ApiKey key;
  int16_t min;
  int16_t max;
};

// What a person may do when an address is not reached: nobody answers there, or its host is not known.
struct ReachAdvice {
  std::string nobody_there;
  std::string unknown_host;
};

class BrokerConnection {
 public:
  // Connects and asks for the broker's versions. kIo or kTimedOut: not reached, and the error ends with the advice.
  static Result<BrokerConnection> open(const HostPort& address, const ConnectionOptions& options,
                                       const ReachAdvice& advice);

  // The newest version that both sides speak, not above `most`; kUnsupported names the API when there is none.
  Result<int16_t> version_of(ApiKey key, int16_t most = INT16_MAX) const;

  // One request and its answer. `extra` is time that the broker may take on purpose (a fetch that waits).
  template <class Response, class Request>
  Result<Response> call(const Request& request, int16_t most = INT16_MAX, Millis extra = Millis(0)) {
    TRY(version, version_of(static_cast<ApiKey>(Request::kVersions.key), most));
    const int32_t correlation_id = ++last_correlation_id_;
    TRY(frame, encode_request(request, version, correlation_id, options_.client_id));
    TRY(payload, exchange(frame, extra));
    return decode_response<Response>(std::move(payload), version, correlation_id);
  }
  // A request without an answer (Produce with acks=0).
  template <class Request>
  Result<void> send(const Request& request, int16_t most = INT16_MAX) {
    TRY(version, version_of(static_cast<ApiKey>(Request::kVersions.key), most));
    TRY(frame, encode_request(request, version, ++last_correlation_id_, options_.client_id));
    return describe(socket_.send(frame, options_.request_timeout));
  }

  const HostPort& address() const noexcept { return address_; }

 private:
  BrokerConnection(HostPort address, ConnectionOptions options, TcpSocket socket)
      : address_(std::move(address)), options_(std::move(options)), socket_(std::move(socket)) {}
  Result<void> negotiate();
  Result<Slice> exchange(std::span<const Slice> frame, Millis extra);
  Result<void> describe(Result<void> result) const;  // adds the address, and what to do when no answer came

  HostPort address_;
  ConnectionOptions options_;
  TcpSocket socket_;
  std::vector<ApiRange> ranges_;
  int32_t last_correlation_id_ = 0;
};

}  // namespace leat
