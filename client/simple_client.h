// simple_client.h: a client that waits: metadata, a connection for each broker, and the few calls that the command line
// needs. It does not batch, retry deliveries or join groups. Topics are named, not identified, which every broker since
// 0.11 takes. Thread: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/broker_connection.h"
#include "core/base/topic_partition.h"
#include "net/protocol/messages/metadata.h"

namespace leat {

// The last versions that name topics; later ones want ids.
inline constexpr int16_t kProduceVersionMax = 12;
inline constexpr int16_t kFetchVersionMax = 12;

enum class AutoCreate : uint8_t { kNo, kYes };

class SimpleClient {
 public:
  static Result<SimpleClient> connect(const std::vector<HostPort>& bootstrap, const ConnectionOptions& options);

  // All topics, or the named ones.
  Result<MetadataResponse> metadata(const std::optional<std::vector<std::string>>& topics, AutoCreate auto_create);
  // One topic with all its leaders there; waits for leaders that are being chosen. kNotFound says what to do.
  Result<MetadataResponse::MetadataResponseTopic> topic(const std::string& name, AutoCreate auto_create);

  BrokerConnection& any() noexcept { return *bootstrap_; }
  Result<BrokerConnection*> controller();             // for what changes the cluster
  Result<BrokerConnection*> broker(int32_t node_id);  // known from the last metadata

 private:
  SimpleClient(std::unique_ptr<BrokerConnection> bootstrap, ConnectionOptions options)
      : options_(std::move(options)), bootstrap_(std::move(bootstrap)) {}

  ConnectionOptions options_;
  std::unique_ptr<BrokerConnection> bootstrap_;
  std::map<int32_t, HostPort> nodes_;
  int32_t controller_id_ = -1;
  std::map<int32_t, std::unique_ptr<BrokerConnection>> connections_;
};

// "NAME: sentence" for an error code, with the broker's own words when it sent some.
std::string describe_error(ErrorCode code, const std::optional<std::string>& message = std::nullopt);
// The error as a Result's, its Errc chosen so that callers may tell missing and existing things.
Error to_error(ErrorCode code, std::string_view what, const std::optional<std::string>& message = std::nullopt);

// Waits without doing anything else, for a retry.
void pause_for(Millis duration) noexcept;

}  // namespace leat
