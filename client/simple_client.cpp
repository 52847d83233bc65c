// simple_client.cpp: metadata and the connections it leads to.
#include "client/simple_client.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

namespace leat {
namespace {

bool is_refusal_name(std::string_view word) noexcept {
  constexpr int16_t kCodeMax = 255;  // above all; those that are not listed share one name
  for (int16_t code = -1; code <= kCodeMax; ++code) {
    const auto listed = static_cast<ErrorCode>(code);
    if (listed != ErrorCode::kNone && error_name(listed) == word) return true;
  }
  return false;
}

ReachAdvice advice_for_bootstrap(const HostPort& address) {
  return {.nobody_there = fmt::format("Is leatd running there? Start it with: leatd --listen {}", address.to_string()),
          .unknown_host = "Check the address: -b HOST:PORT, or LEAT_BOOTSTRAP_SERVER"};
}

}  // namespace

std::string describe_error(ErrorCode code, const std::optional<std::string>& message) {
  const std::string_view words = message && !message->empty() ? std::string_view(*message) : error_message(code);
  return words.empty() ? std::string(error_name(code)) : fmt::format("{}: {}", error_name(code), words);
}

Error to_error(ErrorCode code, std::string_view what, const std::optional<std::string>& message) {
  Errc kind = Errc::kIo;
  if (code == ErrorCode::kUnknownTopicOrPartition) kind = Errc::kNotFound;
  if (code == ErrorCode::kTopicAlreadyExists) kind = Errc::kAlreadyExists;
  if (code == ErrorCode::kOffsetOutOfRange) kind = Errc::kOffsetOutOfRange;
  return {kind, fmt::format("{}: {}", what, describe_error(code, message))};
}

std::string with_hint(std::string what, std::string_view hint) {
  const bool ended = what.ends_with('.') || what.ends_with('?') || what.ends_with('!');
  what += ended ? " " : ". ";
  what += hint;
  return what;
}

std::string_view refusal_name(std::string_view context) noexcept {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  size_t begin = context.find_first_of(kLetters);
  while (begin != std::string_view::npos) {
    const size_t end = std::min(context.find_first_not_of(kLetters, begin), context.size());
    const std::string_view before = context.substr(0, begin);
    const bool in_parentheses = before.ends_with('(');
    const bool begins = before.empty() || before.ends_with(": ") || in_parentheses;
    const char next = end == context.size() ? ':' : context[end];
    const bool ends = next == (in_parentheses ? ')' : ':');
    const std::string_view word = context.substr(begin, end - begin);
    if (begins && ends && is_refusal_name(word)) return word;
    begin = context.find_first_of(kLetters, end);
  }
  return {};
}

void pause_for(Millis duration) noexcept { (void)::poll(nullptr, 0, static_cast<int>(duration.count())); }

Result<SimpleClient> SimpleClient::connect(const std::vector<HostPort>& bootstrap, const ConnectionOptions& options) {
  std::optional<Error> first;
  for (const HostPort& address : bootstrap) {
    Result<BrokerConnection> connection = BrokerConnection::open(address, options, advice_for_bootstrap(address));
    if (connection) return SimpleClient(std::make_unique<BrokerConnection>(*std::move(connection)), options);
    if (!first) first = std::move(connection).error();
  }
  if (!first) return fail(Errc::kInvalidArgument, "no broker address was given");
  return fail(*std::move(first));
}

Result<MetadataResponse> SimpleClient::metadata(const std::optional<std::vector<std::string>>& topics,
                                                AutoCreate auto_create) {
  MetadataRequest request;
  request.allow_auto_topic_creation = auto_create == AutoCreate::kYes;
  if (topics) {
    for (const std::string& name : *topics) request.topics->push_back({.topic_id = {}, .name = name});
  } else {
    request.topics.reset();
  }
  TRY(response, bootstrap_->call<MetadataResponse>(request));
  nodes_.clear();
  for (const auto& broker : response.brokers) {
    nodes_[broker.node_id] = HostPort{.host = broker.host, .port = static_cast<uint16_t>(broker.port)};
  }
  controller_id_ = response.controller_id;
  return std::move(response);
}

Result<MetadataResponse::MetadataResponseTopic> SimpleClient::topic(const std::string& name, AutoCreate auto_create) {
  constexpr int kTries = 50;
  constexpr Millis kPause{100};
  for (int tries_left = kTries;; --tries_left) {
    TRY(response, metadata(std::vector<std::string>{name}, auto_create));
    if (response.topics.empty()) return fail(Errc::kProtocol, "the broker's metadata lack the topic asked for");
    MetadataResponse::MetadataResponseTopic& found = response.topics.front();
    const auto leaderless = std::find_if(found.partitions.begin(), found.partitions.end(),
                                         [](const auto& partition) { return partition.leader_id < 0; });
    if (found.error_code == ErrorCode::kNone && leaderless == found.partitions.end()) return std::move(found);
    const bool may_pass = found.error_code == ErrorCode::kLeaderNotAvailable || found.error_code == ErrorCode::kNone ||
                          (found.error_code == ErrorCode::kUnknownTopicOrPartition && auto_create == AutoCreate::kYes);
    if (may_pass && tries_left > 0) {
      pause_for(kPause);
      continue;
    }
    if (found.error_code == ErrorCode::kNone) {
      return fail(Errc::kIo, fmt::format("topic '{}': partition {} has no leader (LEADER_NOT_AVAILABLE). Is the broker "
                                         "running that holds it?",
                                         name, leaderless->partition_index));
    }
    if (found.error_code == ErrorCode::kUnknownTopicOrPartition) {
      return fail(Errc::kNotFound,
                  fmt::format("topic '{}' does not exist (UNKNOWN_TOPIC_OR_PARTITION). Make it with: leat topic create "
                              "{}",
                              name, name));
    }
    return fail(to_error(found.error_code, fmt::format("topic '{}'", name)));
  }
}

Result<BrokerConnection*> SimpleClient::controller() {
  if (nodes_.empty()) TRY(metadata(std::vector<std::string>{}, AutoCreate::kNo));
  if (controller_id_ < 0) return bootstrap_.get();
  return broker(controller_id_);
}

Result<BrokerConnection*> SimpleClient::broker(int32_t node_id) {
  if (const auto found = connections_.find(node_id); found != connections_.end()) return found->second.get();
  const auto node = nodes_.find(node_id);
  if (node == nodes_.end()) return fail(Errc::kNotFound, fmt::format("there is no broker {} in the cluster", node_id));
  const std::string advice = fmt::format(
      "This address is what broker {} tells its clients: give it one that is reached from here, with "
      "advertised.listeners",
      bootstrap_->address().to_string());
  Result<BrokerConnection> opened =
      BrokerConnection::open(node->second, options_, {.nobody_there = advice, .unknown_host = advice});
  lost_a_broker_ = !opened;
  if (!opened) return fail(std::move(opened).error());
  return connections_.emplace(node_id, std::make_unique<BrokerConnection>(*std::move(opened))).first->second.get();
}

}  // namespace leat
