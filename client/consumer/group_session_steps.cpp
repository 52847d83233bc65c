// group_session_steps.cpp: what a session sends, and how assignments are taken on, in either protocol.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "client/consumer/group_session.h"
#include "core/coordinator/group/subscription_regex.h"

namespace leat::client::detail {
namespace {

std::vector<TopicPartition> without(const std::vector<TopicPartition>& all, const std::vector<TopicPartition>& some) {
  std::vector<TopicPartition> left;  // both are sorted
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(left));
  return left;
}

}  // namespace

template <class Response, class Request>
leat::Task<Result<Response>> GroupSession::ask_once(Request request, Millis extra) {
  Result<BrokerLink*> link = co_await coordinator_.reach(LinkPurpose::kGroup);
  if (!link) co_return std::move(link).error();
  AskOptions options;
  options.timeout = Millis(context_.settings.request_timeout_ms) + extra;
  Result<Response> answer = co_await ask<Response>(context_, **link, std::move(request), options);
  co_return answer;
}

leat::Task<Result<MetadataResponse>> GroupSession::ask_metadata(MetadataRequest request) {
  if (coordinator_.stopped().is_set()) co_return closed_error();
  AskOptions options;
  options.timeout = Millis(context_.settings.request_timeout_ms);
  const bool may_make = settings_.allow_auto_create_topics == AutoCreate::kYes;
  std::function<MetadataRequest(int16_t)> make = [&request, may_make](int16_t version) {
    request.allow_auto_topic_creation = version < 4 || may_make;  // older ones make what their settings say
    return request;
  };
  Result<MetadataResponse> answer = co_await ask_by_version<MetadataResponse, MetadataRequest>(
      context_, cluster_.any_link(), std::move(make), options);
  co_return answer;
}

leat::Task<void> GroupSession::consumer_step() {
  if (consumer_.to_be_owned() != nullptr && !changing_) {
    changing_ = true;
    spawn(adopt_target(shared_from_this(), keep_));
  }
  if (now() < consumer_.due()) co_return;
  ConsumerGroupHeartbeatRequest request = consumer_.heartbeat();
  const Result<ConsumerGroupHeartbeatResponse> answer =
      co_await ask_once<ConsumerGroupHeartbeatResponse>(std::move(request), Millis(0));
  if (coordinator_.stopped().is_set()) co_return;
  if (!answer) {
    if (answer.error().cause() == Cause::kUnsupported) {
      fall_back(answer.error());
    } else {
      on_unreachable(answer.error());
    }
    co_return;
  }
  judge(consumer_.on_answer(*answer, now()), answer->error_code, answer->error_message);
  if (consumer_.to_be_owned() != nullptr && !changing_) wake();
}

// Names of the topics that the group's assignment gives by id: of those subscribed to, or, with a pattern, asked for.
leat::Task<std::map<Uuid, std::string>> GroupSession::names_of(std::vector<Uuid> topic_ids) {
  std::map<Uuid, std::string> names;
  MetadataRequest request;
  for (const Uuid& id : topic_ids) {
    for (const std::string& name : cluster_.metadata().wanted()) {
      const KnownTopic* const known = cluster_.metadata().find(name);
      if (known != nullptr && known->topic_id == id) names[id] = name;
    }
    if (!names.contains(id)) request.topics->push_back({.topic_id = id, .name = std::nullopt});
  }
  if (request.topics->empty()) co_return names;
  const Result<MetadataResponse> answer = co_await ask_metadata(std::move(request));
  if (!answer) co_return names;
  for (const auto& topic : answer->topics) {
    if (topic.error_code == ErrorCode::kNone && topic.name) names[topic.topic_id] = *topic.name;
  }
  co_return names;
}

leat::Task<void> GroupSession::adopt_target(Self self, std::shared_ptr<void> /*keep*/) {
  const uint64_t membership = self->membership_;
  const ConsumerMember::Assignment target = *self->consumer_.to_be_owned();
  std::vector<Uuid> ids;
  for (const auto& [id, partitions] : target) ids.push_back(id);
  const std::map<Uuid, std::string> names = co_await self->names_of(std::move(ids));
  if (self->coordinator_.stopped().is_set()) co_return;
  ConsumerMember::Assignment resolved;
  std::vector<TopicPartition> wanted;
  for (const auto& [id, partitions] : target) {
    const auto name = names.find(id);
    if (name == names.end()) continue;  // not known to the broker that was asked, yet or any more
    resolved[id] = partitions;
    for (const int32_t index : partitions) wanted.push_back({.topic = name->second, .partition = index});
  }
  std::sort(wanted.begin(), wanted.end());
  const std::vector<TopicPartition> owned = self->host_.owned();
  std::vector<TopicPartition> gone = without(owned, wanted);
  std::vector<TopicPartition> added = without(wanted, owned);
  if (!gone.empty()) co_await self->host_.give_up(std::move(gone));
  if (!added.empty() && membership == self->membership_) co_await self->host_.take_on(std::move(added));
  if (self->coordinator_.stopped().is_set()) co_return;
  if (membership == self->membership_) {
    const bool is_whole = resolved.size() == target.size();
    self->consumer_.set_owned(std::move(resolved), self->now());
    if (!is_whole) self->retry_at_ = self->now() + self->coordinator_.pause(1);
  }
  self->change_ended();
}

leat::Task<void> GroupSession::classic_step() {
  if (!subscription_.pattern.empty() && now() >= pattern_at_) co_await resolve_pattern();
  if (is_over() || now() < retry_at_) co_return;
  if (classic_.must_join() && !changing_) {
    if (!classic_.is_eager() || host_.owned().empty()) {
      co_await join_and_sync();
      co_return;
    }
    changing_ = true;
    spawn(give_up_all(shared_from_this(), keep_));
  }
  if (!classic_.is_member() || now() < classic_.due()) co_return;
  HeartbeatRequest request = classic_.heartbeat();
  const Result<HeartbeatResponse> answer = co_await ask_once<HeartbeatResponse>(std::move(request), Millis(0));
  if (coordinator_.stopped().is_set()) co_return;
  if (!answer) {
    on_unreachable(answer.error());
  } else {
    judge(classic_.on_heartbeat(answer->error_code, now()), answer->error_code, std::nullopt);
  }
}

leat::Task<void> GroupSession::join_and_sync() {
  leat::Result<JoinGroupRequest> join = classic_.join(host_.owned());
  if (!join) {
    on_unreachable(Error(Cause::kInvalidArgument, std::move(join.error().context)));
    co_return;
  }
  JoinGroupRequest request = *std::move(join);
  const Millis rebalance_timeout(settings_.rebalance_timeout_ms);
  const Result<JoinGroupResponse> joined = co_await ask_once<JoinGroupResponse>(std::move(request), rebalance_timeout);
  if (coordinator_.stopped().is_set()) co_return;
  if (!joined) {
    on_unreachable(joined.error());
    co_return;
  }
  judge(classic_.on_joined(*joined), joined->error_code, std::nullopt);
  if (classic_.must_join()) co_return;
  std::map<std::string, int32_t> counts;
  if (classic_.is_leader()) {
    MetadataRequest about;
    for (const std::string& name : classic_.topics_of_all()) {
      about.topics->push_back({.topic_id = {}, .name = name});
      cluster_.want_topic(name, settings_.allow_auto_create_topics);
    }
    counts_seen_.clear();  // news that comes before the answer below is in that answer
    const Result<MetadataResponse> known = co_await ask_metadata(std::move(about));
    if (coordinator_.stopped().is_set()) co_return;
    if (!known) {
      classic_.rejoin();
      on_unreachable(known.error());
      co_return;
    }
    for (const std::string& name : classic_.topics_of_all()) counts_seen_[name] = 0;  // it may come to be
    for (const auto& topic : known->topics) {
      if (topic.error_code != ErrorCode::kNone || !topic.name) continue;
      counts_seen_[*topic.name] = counts[*topic.name] = static_cast<int32_t>(topic.partitions.size());
    }
  }
  leat::Result<SyncGroupRequest> sync = classic_.sync(counts);
  if (!sync) {
    on_unreachable(Error(Cause::kProtocol, std::move(sync.error().context)));
    co_return;
  }
  SyncGroupRequest sync_request = *std::move(sync);
  const Result<SyncGroupResponse> synced =
      co_await ask_once<SyncGroupResponse>(std::move(sync_request), rebalance_timeout);
  if (coordinator_.stopped().is_set()) co_return;
  if (!synced) {
    classic_.rejoin();
    on_unreachable(synced.error());
    co_return;
  }
  judge(classic_.on_synced(*synced, now()), synced->error_code, std::nullopt);
  if (classic_.assigned() == nullptr) co_return;
  changing_ = true;
  spawn(adopt_assigned(shared_from_this(), keep_));
}

leat::Task<void> GroupSession::adopt_assigned(Self self, std::shared_ptr<void> /*keep*/) {
  const uint64_t membership = self->membership_;
  const std::vector<TopicPartition> wanted = *self->classic_.assigned();
  const std::vector<TopicPartition> owned = self->host_.owned();
  std::vector<TopicPartition> gone = without(owned, wanted);
  std::vector<TopicPartition> added = without(wanted, owned);
  const auto revoked = gone.empty() ? ClassicMember::Revoked::kNone : ClassicMember::Revoked::kSome;
  if (!gone.empty()) co_await self->host_.give_up(std::move(gone));
  if (!added.empty() && membership == self->membership_) co_await self->host_.take_on(std::move(added));
  if (self->coordinator_.stopped().is_set()) co_return;
  if (membership == self->membership_) self->classic_.set_owned(revoked);
  self->change_ended();
}

leat::Task<void> GroupSession::give_up_all(Self self, std::shared_ptr<void> /*keep*/) {
  std::vector<TopicPartition> owned = self->host_.owned();
  if (!owned.empty()) co_await self->host_.give_up(std::move(owned));
  if (self->coordinator_.stopped().is_set()) co_return;
  self->change_ended();
}

leat::Task<void> GroupSession::resolve_pattern() {
  const leat::Result<SubscriptionRegex> pattern = SubscriptionRegex::compile(subscription_.pattern);
  MetadataRequest all;
  all.topics.reset();
  const Result<MetadataResponse> answer = co_await ask_metadata(std::move(all));
  if (coordinator_.stopped().is_set() || !pattern) co_return;  // it was compiled before, when it was subscribed to
  if (!answer) {
    on_unreachable(answer.error());
    co_return;
  }
  std::vector<std::string> names;
  for (const auto& topic : answer->topics) {
    if (topic.name && !topic.is_internal && pattern->matches(*topic.name)) names.push_back(*topic.name);
  }
  classic_.subscribe(std::move(names));
  pattern_at_ = now() + Millis(context_.settings.metadata_max_age_ms);
}

// A static member that ends a classic membership says nothing: it is expected back within its session timeout.
leat::Task<void> GroupSession::say_farewell() {
  if (!speaks_classic_ && consumer_.is_member()) {
    ConsumerGroupHeartbeatRequest request = consumer_.farewell();
    consumer_.reset();
    (void)co_await ask_once<ConsumerGroupHeartbeatResponse>(std::move(request), Millis(0));
  } else if (speaks_classic_ && !classic_.member_id().empty() && !settings_.group_instance_id) {
    Result<BrokerLink*> link = co_await coordinator_.reach(LinkPurpose::kGroup);
    if (!link) co_return;
    std::function<LeaveGroupRequest(int16_t)> make = [this](int16_t version) { return classic_.farewell(version); };
    AskOptions options;
    options.timeout = Millis(context_.settings.request_timeout_ms);
    (void)co_await ask_by_version<LeaveGroupResponse, LeaveGroupRequest>(context_, **link, std::move(make), options);
    classic_.reset();
  }
}

}  // namespace leat::client::detail
