// cluster.h: the brokers of one cluster: a link for each, and purpose, the metadata, and who keeps them fresh. Metadata
// are asked for when a topic is first wanted, when somebody's answer said that they are stale, while a wanted topic or
// a leader is missing, and once in metadata_max_age_ms; one request at a time, with a pause that grows while it brings
// nothing new. Topics that brokers may make are asked for by themselves, behind the others. Asked is any broker that
// answers: known ones in turn, then the bootstrap addresses. Thread: the loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/cluster/broker_link.h"
#include "client/cluster/metadata_cache.h"

namespace leat::client::detail {

// A connection each, for what waits on purpose must not hold up what is quick: a fetch may park for half a second, a
// join of a group for minutes.
enum class LinkPurpose : uint8_t { kGeneral, kProduce, kFetch, kGroup };

// Told when the metadata have changed or were asked for in vain, from the loop.
class ClusterListener {
 public:
  virtual ~ClusterListener() = default;
  virtual void on_metadata() = 0;
};

class Cluster {
 public:
  Cluster(ClientContext& context, std::vector<HostPort> bootstrap);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  const MetadataCache& metadata() const noexcept { return cache_; }
  // Why the last question for metadata had no answer; none: it had one.
  const std::optional<Error>& trouble() const noexcept { return trouble_; }
  void want_topic(std::string_view topic, AutoCreate auto_create);
  void forget_topic(std::string_view topic) { cache_.forget(topic); }
  // Something did not fit with what is known. Asks at once, or after the pause that is due.
  void refresh_soon();
  // A leader's own word.
  void note_leader(std::string_view topic, int32_t partition, int32_t leader, int32_t leader_epoch);

  // Of a node that an answer named: it may be newer than the metadata.
  void note_broker(int32_t node_id, HostPort address);

  // Null: no such node is known at present.
  BrokerLink* link(int32_t node_id, LinkPurpose purpose);
  size_t bootstrap_count() const noexcept { return bootstrap_.size(); }
  BrokerLink& bootstrap_link(size_t number) noexcept { return *bootstrap_[number]; }
  // For questions that any broker answers; another one than the last time where that one does not answer.
  BrokerLink& any_link();

  void add_listener(ClusterListener& listener) { listeners_.push_back(&listener); }
  void remove_listener(ClusterListener& listener);

  // All calls are answered with `error`, now.
  void close(const Error& error);
  ClientContext& context() noexcept { return context_; }

 private:
  void ask();
  void ask_about(std::vector<std::string> topics, AutoCreate auto_create);
  void on_answer(Result<LinkAnswer> answer);
  void schedule(Millis after);
  void tell_listeners();
  Millis next_pause();

  ClientContext& context_;
  MetadataCache cache_;
  std::map<std::pair<int32_t, LinkPurpose>, std::unique_ptr<BrokerLink>> links_;
  std::vector<std::unique_ptr<BrokerLink>> bootstrap_;
  size_t next_any_ = 0;
  std::vector<ClusterListener*> listeners_;
  TimerId timer_ = kNoTimer;
  Nanos timer_at_{0};
  std::optional<Error> trouble_;
  Nanos not_before_{0};  // the pause after the last answer
  int vain_ = 0;         // answers in a row that left something missing, or none at all
  bool asking_ = false;
  AutoCreate asked_ = AutoCreate::kNo;  // of the question under way
  bool again_ = false;                  // something became stale or wanted while an answer was on its way
  bool closed_ = false;
};

}  // namespace leat::client::detail
