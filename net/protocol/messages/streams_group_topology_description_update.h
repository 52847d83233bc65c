// streams_group_topology_description_update.h: StreamsGroupTopologyDescriptionUpdate, API key 93, version 0, flexible:
// the description of a streams topology, for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct StreamsGroupTopologyDescriptionUpdateRequest {
  static constexpr std::string_view kName = "StreamsGroupTopologyDescriptionUpdateRequest";
  static constexpr Versions kVersions{.key = 93, .min = 0, .max = 0, .flexible_since = 0};

  struct TopologyDescriptionNode {
    std::string name;
    int8_t node_type = 0;
    std::vector<std::string> source_topics;
    std::optional<std::string> sink_topic;
    std::vector<std::string> stores;
    std::vector<std::string> successors;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("nodeType", m.node_type);
      v.field("sourceTopics", m.source_topics);
      v.field("sinkTopic", m.sink_topic);
      v.field("stores", m.stores);
      v.field("successors", m.successors);
    }
    friend bool operator==(const TopologyDescriptionNode&, const TopologyDescriptionNode&) = default;
  };

  struct TopologyDescriptionSubtopology {
    std::string subtopology_id;
    std::vector<TopologyDescriptionNode> nodes;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("subtopologyId", m.subtopology_id);
      v.field("nodes", m.nodes);
    }
    friend bool operator==(const TopologyDescriptionSubtopology&, const TopologyDescriptionSubtopology&) = default;
  };

  struct TopologyDescriptionGlobalStore {
    TopologyDescriptionNode source;
    TopologyDescriptionNode processor;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("source", m.source);
      v.field("processor", m.processor);
    }
    friend bool operator==(const TopologyDescriptionGlobalStore&, const TopologyDescriptionGlobalStore&) = default;
  };

  struct TopologyDescription {
    std::vector<TopologyDescriptionSubtopology> subtopologies;
    std::vector<TopologyDescriptionGlobalStore> global_stores;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("subtopologies", m.subtopologies);
      v.field("globalStores", m.global_stores);
    }
    friend bool operator==(const TopologyDescription&, const TopologyDescription&) = default;
  };

  std::string group_id;
  std::string member_id;
  int32_t topology_epoch = 0;
  TopologyDescription topology_description;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("memberId", m.member_id);
    v.field("topologyEpoch", m.topology_epoch);
    v.field("topologyDescription", m.topology_description);
  }
  friend bool operator==(const StreamsGroupTopologyDescriptionUpdateRequest&,
                         const StreamsGroupTopologyDescriptionUpdateRequest&) = default;
};

struct StreamsGroupTopologyDescriptionUpdateResponse {
  static constexpr std::string_view kName = "StreamsGroupTopologyDescriptionUpdateResponse";
  static constexpr Versions kVersions{.key = 93, .min = 0, .max = 0, .flexible_since = 0};

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::optional<std::string> error_message;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
    v.field("errorMessage", m.error_message);
  }
  friend bool operator==(const StreamsGroupTopologyDescriptionUpdateResponse&,
                         const StreamsGroupTopologyDescriptionUpdateResponse&) = default;
};

}  // namespace leat
