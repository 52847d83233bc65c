// simple_client.h: a client that waits: metadata, a connection for each broker, and the few calls that the command line
// needs. It does not batch or retry deliveries; groups are group_consumer.h's. Topics are named, not identified, which
// every broker since 0.11 takes. Thread: one at a time.
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
  // The broker that was last connected to was not reached.
  bool lost_a_broker() const noexcept { return lost_a_broker_; }

 private:
  SimpleClient(std::unique_ptr<BrokerConnection> bootstrap, ConnectionOptions options)
      : options_(std::move(options)), bootstrap_(std::move(bootstrap)) {}

  ConnectionOptions options_;
  std::unique_ptr<BrokerConnection> bootstrap_;
  std::map<int32_t, HostPort> nodes_;
  int32_t controller_id_ = -1;
  std::map<int32_t, std::unique_ptr<BrokerConnection>> connections_;
  bool lost_a_broker_ = false;
};

// "NAME: sentence" for an error code, with the broker's own words when it sent some.
std::string describe_error(ErrorCode code, const std::optional<std::string>& message = std::nullopt);
// The error as a Result's, its Errc chosen so that callers may tell missing and existing things.
Error to_error(ErrorCode code, std::string_view what, const std::optional<std::string>& message = std::nullopt);
// What happened and what to do, as sentences.
std::string with_hint(std::string what, std::string_view hint);
// The name of Kafka's error in the words of an Error: as describe_error writes it, or in parentheses where the words
// are our own. Empty when no broker refused anything: an Error has no room for the codes of the wire.
std::string_view refusal_name(std::string_view context) noexcept;

// Waits without doing anything else, for a retry.
void pause_for(Millis duration) noexcept;

}  // namespace leat
