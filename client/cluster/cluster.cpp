// cluster.cpp: see cluster.h.
#include "client/cluster/cluster.h"

#include <algorithm>
#include <functional>

#include "client/cluster/backoff.h"
#include "core/base/check.h"
#include "net/protocol/messages/metadata.h"

namespace leat::client::detail {

Cluster::Cluster(ClientContext& context, std::vector<HostPort> bootstrap) : context_(context) {
  ENSURE(!bootstrap.empty());
  for (HostPort& address : bootstrap) bootstrap_.push_back(std::make_unique<BrokerLink>(context, std::move(address)));
  next_any_ = static_cast<size_t>(context.random.below(bootstrap_.size()));
}

Cluster::~Cluster() { close(Error(Cause::kClosed, "the client was destroyed")); }

void Cluster::close(const Error& error) {
  if (closed_) return;
  closed_ = true;
  context_.scheduler.timers().cancel(std::exchange(timer_, kNoTimer));
  for (auto& [key, link] : links_) link->close(error);
  for (auto& link : bootstrap_) link->close(error);
}

void Cluster::want_topic(std::string_view topic, AutoCreate auto_create) {
  if (!cache_.want(topic, auto_create)) return;
  not_before_ = Nanos(0);  // a new wish is no repetition
  refresh_soon();
}

void Cluster::refresh_soon() {
  if (closed_) return;
  if (asking_) {
    again_ = true;
    return;
  }
  const Nanos now = context_.scheduler.clock().monotonic();
  schedule(std::chrono::ceil<Millis>(std::max(not_before_ - now, Nanos(0))));
}

// The earliest of what was scheduled stands.
void Cluster::schedule(Millis after) {
  const Nanos at = context_.scheduler.clock().monotonic() + after;
  if (timer_ != kNoTimer && timer_at_ <= at) return;
  context_.scheduler.timers().cancel(timer_);
  timer_at_ = at;
  timer_ = context_.scheduler.timers().start(after, [this] {
    timer_ = kNoTimer;
    ask();
  });
}

void Cluster::ask() {
  if (asking_ || closed_) return;
  asking_ = true;
  again_ = false;
  std::vector<std::string> others = cache_.wanted(AutoCreate::kNo);
  if (others.empty()) return ask_about(cache_.wanted(AutoCreate::kYes), AutoCreate::kYes);
  ask_about(std::move(others), AutoCreate::kNo);
}

void Cluster::ask_about(std::vector<std::string> topics, AutoCreate auto_create) {
  asked_ = topics.empty() ? AutoCreate::kNo : auto_create;
  auto request = std::make_shared<MetadataRequest>();
  for (std::string& name : topics) request->topics->push_back({.topic_id = {}, .name = std::move(name)});
  LinkRequest call;
  call.key = ApiKey::kMetadata;
  call.timeout = Millis(context_.settings.request_timeout_ms);
  call.encode = [request, may_make = asked_ == AutoCreate::kYes, client_id = context_.settings.client_id](
                    int16_t version, int32_t correlation_id) {
    request->allow_auto_topic_creation = version < 4 || may_make;  // older ones make what their settings say
    if (version == 0 && request->topics->empty()) request->topics->push_back({.topic_id = {}, .name = ""});
    return encode_request(*request, version, correlation_id, client_id);
  };
  call.on_answer = [this](Result<LinkAnswer> answer) { on_answer(std::move(answer)); };
  any_link().call(std::move(call));
}

void Cluster::on_answer(Result<LinkAnswer> answer) {
  if (closed_) return;
  asking_ = false;
  bool complete = false;
  trouble_.reset();
  if (!answer) {
    trouble_ = answer.error();
  } else {
    leat::Result<MetadataResponse> response =
        decode_response<MetadataResponse>(std::move(answer->payload), answer->version, answer->correlation_id);
    if (response) {
      cache_.apply(*response);
      for (auto& [key, link] : links_) {
        const auto broker = cache_.brokers().find(key.first);
        if (broker != cache_.brokers().end()) link->set_address(broker->second);
      }
      // A topic that was missed only now is asked for again with the next question.
      std::vector<std::string> made = cache_.wanted(AutoCreate::kYes);
      if (asked_ == AutoCreate::kNo && !made.empty()) {
        asking_ = true;
        return ask_about(std::move(made), AutoCreate::kYes);
      }
      complete = !cache_.is_incomplete();
    }
  }
  vain_ = complete ? 0 : vain_ + 1;
  const Millis pause = next_pause();
  not_before_ = context_.scheduler.clock().monotonic() + pause;
  schedule(!complete || again_ ? pause : Millis(context_.settings.metadata_max_age_ms));
  tell_listeners();
}

Millis Cluster::next_pause() {
  const BackoffSettings backoff{.base = Millis(context_.settings.retry_backoff_ms),
                                .max = Millis(context_.settings.retry_backoff_max_ms)};
  return backoff_delay(backoff, std::max(vain_, 1), context_.random);
}

void Cluster::note_leader(std::string_view topic, int32_t partition, int32_t leader, int32_t leader_epoch) {
  if (cache_.move_leader(topic, partition, leader, leader_epoch)) tell_listeners();
}

void Cluster::note_broker(int32_t node_id, HostPort address) {
  for (auto& [key, link] : links_) {
    if (key.first == node_id) link->set_address(address);
  }
  cache_.add_broker(node_id, std::move(address));
}

BrokerLink* Cluster::link(int32_t node_id, LinkPurpose purpose) {
  const auto broker = cache_.brokers().find(node_id);
  if (broker == cache_.brokers().end()) return nullptr;
  std::unique_ptr<BrokerLink>& link = links_[{node_id, purpose}];
  if (!link) link = std::make_unique<BrokerLink>(context_, broker->second);
  return link.get();
}

// One that is connected; else known brokers in turn, and one whose last attempt failed only when all are like that. One
// that throttles us is asked when no other broker is known: waited for, not gone around by another connection to it.
BrokerLink& Cluster::any_link() {
  std::vector<BrokerLink*> candidates;
  for (const auto& [node_id, address] : cache_.brokers()) candidates.push_back(link(node_id, LinkPurpose::kGeneral));
  const size_t known = candidates.size();
  for (const auto& bootstrap : bootstrap_) candidates.push_back(bootstrap.get());
  const auto bootstrap_begin = candidates.begin() + static_cast<std::ptrdiff_t>(known);
  const bool throttled = std::any_of(candidates.begin(), bootstrap_begin, std::mem_fn(&BrokerLink::is_muted));
  const auto is_free = [](const BrokerLink* candidate) { return candidate->is_ready() && !candidate->is_muted(); };
  const auto ready = std::find_if(candidates.begin(), throttled ? bootstrap_begin : candidates.end(), is_free);
  if (ready != (throttled ? bootstrap_begin : candidates.end())) return **ready;
  const size_t first = next_any_++;
  BrokerLink* soonest = nullptr;
  for (size_t i = 0; i < known; ++i) {
    BrokerLink* const candidate = candidates[(first + i) % known];
    if (candidate->is_backing_off()) continue;
    if (!candidate->is_muted()) return *candidate;
    if (soonest == nullptr || candidate->muted_until() < soonest->muted_until()) soonest = candidate;
  }
  if (soonest != nullptr) return *soonest;
  for (size_t i = 0; i < bootstrap_.size(); ++i) {
    BrokerLink* const candidate = candidates[known + (first + i) % bootstrap_.size()];
    if (!candidate->is_backing_off()) return *candidate;
  }
  return *candidates[first % candidates.size()];
}

void Cluster::remove_listener(ClusterListener& listener) { std::erase(listeners_, &listener); }

// A listener may leave while it is told.
void Cluster::tell_listeners() {
  const std::vector<ClusterListener*> told = listeners_;
  for (ClusterListener* listener : told) {
    if (std::find(listeners_.begin(), listeners_.end(), listener) != listeners_.end()) listener->on_metadata();
  }
}

}  // namespace leat::client::detail
