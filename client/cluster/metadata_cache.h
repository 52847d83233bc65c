// metadata_cache.h: what is known of the cluster: brokers, topics, leaders with their epochs. Fed with Metadata answers
// and with what other answers say of leaders in passing; an older leader epoch never replaces a newer one of the same
// topic. Topics that somebody wanted stay in it, with their last error. Pure; thread: the loop.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <leat/topic_partition.h>

#include "client/host_port.h"
#include "core/base/uuid.h"
#include "net/protocol/error_code.h"
#include "net/protocol/messages/metadata.h"

namespace leat::client::detail {

struct KnownPartition {
  ErrorCode error = ErrorCode::kNone;
  int32_t leader = -1;  // -1: none at present
  int32_t leader_epoch = -1;
};

struct KnownTopic {
  ErrorCode error = ErrorCode::kLeaderNotAvailable;  // until the first answer: nothing is known
  Uuid topic_id;
  std::vector<KnownPartition> partitions;  // by number; none where `error` is one of the topic
  bool answered = false;
  AutoCreate auto_create = AutoCreate::kNo;  // whether somebody who wants it lets brokers make it

  bool is_there() const noexcept { return answered && error == ErrorCode::kNone; }
};

class MetadataCache {
 public:
  // True where it was not wanted before, or may be made now and is not there: then ask for it.
  bool want(std::string_view topic, AutoCreate auto_create);
  void forget(std::string_view topic);
  // kYes: those that are not there, as far as is known, and may be made; kNo: all others. Two questions, for the answer
  // to both is one flag of the request.
  std::vector<std::string> wanted(AutoCreate auto_create) const;
  std::vector<std::string> wanted() const;

  // All topics of the answer that are wanted. Topics that the answer lacks keep what was known.
  void apply(const MetadataResponse& response);
  // What a Produce or Fetch answer said. False: it is no news.
  bool move_leader(std::string_view topic, int32_t partition, int32_t leader, int32_t leader_epoch);
  void add_broker(int32_t node_id, HostPort address) { brokers_[node_id] = std::move(address); }

  const KnownTopic* find(std::string_view topic) const;
  const std::map<int32_t, HostPort>& brokers() const noexcept { return brokers_; }
  int32_t controller_id() const noexcept { return controller_id_; }
  const std::string& cluster_id() const noexcept { return cluster_id_; }
  // A wanted topic is unknown, or a partition of one has no leader: ask again soon.
  bool is_incomplete() const noexcept;

 private:
  static void apply_topic(const MetadataResponse::MetadataResponseTopic& news, KnownTopic& topic);

  std::map<std::string, KnownTopic, std::less<>> topics_;
  std::map<int32_t, HostPort> brokers_;
  int32_t controller_id_ = -1;
  std::string cluster_id_;
};

}  // namespace leat::client::detail
