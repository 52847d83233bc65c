// broker_connection.cpp: the first handshake, and the exchange of one frame for another.
#include "client/broker_connection.h"

#include <fmt/format.h>

#include <algorithm>

#include "net/protocol/messages/api_versions.h"

namespace leat {
namespace {

constexpr int32_t kResponseBytesMax = int32_t{1} << 30;

}  // namespace

Result<BrokerConnection> BrokerConnection::open(const HostPort& address, const ConnectionOptions& options,
                                                const ReachAdvice& advice) {
  Result<TcpSocket> socket = TcpSocket::connect(address, options.connect_timeout);
  if (!socket) {
    const bool known = socket.error().code != Errc::kNotFound;
    return fail(known ? socket.error().code : Errc::kIo,
                fmt::format("broker {} is not reachable ({}). {}", address.to_string(), socket.error().context,
                            known ? advice.nobody_there : advice.unknown_host));
  }
  BrokerConnection connection(address, options, *std::move(socket));
  TRY(connection.negotiate());
  return connection;
}

Result<void> BrokerConnection::describe(Result<void> result) const {
  if (result) return result;
  if (result.error().code == Errc::kTimedOut) {
    return fail(Errc::kTimedOut, fmt::format("broker {}: no answer within {} ms (--timeout waits longer)",
                                             address_.to_string(), options_.request_timeout.count()));
  }
  return fail(result.error().code, fmt::format("broker {}: {}", address_.to_string(), result.error().context));
}

Result<Slice> BrokerConnection::exchange(std::span<const Slice> frame, Millis extra) {
  TRY(describe(socket_.send(frame, options_.request_timeout)));
  uint8_t size_bytes[kFrameSizeBytes];
  TRY(describe(socket_.receive(size_bytes, options_.request_timeout + extra)));
  const auto size = from_big_endian<int32_t>(size_bytes);
  if (size < 4 || size > kResponseBytesMax) {
    return fail(Errc::kProtocol, fmt::format("broker {}: an answer of {} bytes cannot be", address_.to_string(), size));
  }
  BlockRef block = BlockRef::allocate(static_cast<size_t>(size));
  TRY(describe(socket_.receive({block.data(), static_cast<size_t>(size)}, options_.request_timeout)));
  return Slice(std::move(block), 0, static_cast<size_t>(size));
}

// Version 3 first; an older broker answers in version 0 that it does not know it.
Result<void> BrokerConnection::negotiate() {
  constexpr int16_t kFirstTried = 3;
  for (const int16_t version : {kFirstTried, int16_t{0}}) {
    ApiVersionsRequest request;
    if (version == kFirstTried) {
      request.client_software_name = "leat";
      request.client_software_version = "0.1.0";
    }
    const int32_t correlation_id = ++last_correlation_id_;
    TRY(frame, encode_request(request, version, correlation_id, options_.client_id));
    Result<Slice> payload = exchange(frame, Millis(0));
    if (!payload) {
      return fail(payload.error().code, payload.error().context + "; is this the port of a Kafka-compatible broker?");
    }
    Result<ApiVersionsResponse> response = decode_response<ApiVersionsResponse>(*payload, version, correlation_id);
    if (!response || response->error_code == ErrorCode::kUnsupportedVersion) continue;
    if (response->error_code != ErrorCode::kNone) {
      return fail(Errc::kUnsupported,
                  fmt::format("broker {}: {}", address_.to_string(), error_name(response->error_code)));
    }
    for (const auto& api : response->api_keys) {
      ranges_.push_back({static_cast<ApiKey>(api.api_key), api.min_version, api.max_version});
    }
    return {};
  }
  return fail(Errc::kUnsupported,
              fmt::format("broker {} does not speak the Kafka protocol as Leat does", address_.to_string()));
}

Result<int16_t> BrokerConnection::version_of(ApiKey key, int16_t most) const {
  const ApiSpec& ours = api_spec(key);
  for (const ApiRange& theirs : ranges_) {
    if (theirs.key != key) continue;
    const int16_t version = std::min({ours.max, theirs.max, most});
    if (version >= std::max(ours.min, theirs.min)) return version;
  }
  return fail(Errc::kUnsupported, fmt::format("broker {} does not offer {} in a version that leat speaks",
                                              address_.to_string(), ours.name));
}

}  // namespace leat
