// admin.cpp: the public face of the admin's calls.
#include <leat/admin.h>

#include "client/admin/admin_core.h"

namespace leat::client {

using detail::AdminSelf;

std::string_view to_string(ConfigSource source) noexcept {
  switch (source) {
    case ConfigSource::kDynamicTopic:
      return "DYNAMIC_TOPIC_CONFIG";
    case ConfigSource::kDynamicBroker:
      return "DYNAMIC_BROKER_CONFIG";
    case ConfigSource::kDynamicDefaultBroker:
      return "DYNAMIC_DEFAULT_BROKER_CONFIG";
    case ConfigSource::kStaticBroker:
      return "STATIC_BROKER_CONFIG";
    case ConfigSource::kDefault:
      return "DEFAULT_CONFIG";
    case ConfigSource::kDynamicBrokerLogger:
      return "DYNAMIC_BROKER_LOGGER_CONFIG";
    case ConfigSource::kClientMetrics:
      return "DYNAMIC_CLIENT_METRICS_CONFIG";
    case ConfigSource::kGroup:
      return "DYNAMIC_GROUP_CONFIG";
    case ConfigSource::kUnknown:
      break;
  }
  return "UNKNOWN";
}

Admin::Admin(std::unique_ptr<detail::AdminCore> core) noexcept : core_(std::move(core)) {}
Admin::~Admin() = default;

Pending<ClusterInfo> Admin::describe_cluster() {
  return core_->work().run<ClusterInfo>([](AdminSelf self) { return detail::describe_cluster(std::move(self)); });
}
Pending<std::vector<ApiVersionRange>> Admin::api_versions(int32_t node_id) {
  return core_->work().run<std::vector<ApiVersionRange>>(
      [node_id](AdminSelf self) { return detail::api_versions(std::move(self), node_id); });
}

Pending<std::vector<TopicInfo>> Admin::list_topics() {
  return core_->work().run<std::vector<TopicInfo>>([](AdminSelf self) { return detail::list_topics(std::move(self)); });
}
Pending<std::vector<TopicInfo>> Admin::describe_topics(std::vector<std::string> names, AutoCreate auto_create) {
  return core_->work().run<std::vector<TopicInfo>>([names = std::move(names), auto_create](AdminSelf self) {
    return detail::describe_topics(std::move(self), names, auto_create);
  });
}
Pending<TopicInfo> Admin::create_topic(NewTopic topic) {
  return core_->work().run<TopicInfo>(
      [topic = std::move(topic)](AdminSelf self) { return detail::create_topic(std::move(self), topic); });
}
Pending<> Admin::delete_topic(std::string name) {
  return core_->work().run<void>(
      [name = std::move(name)](AdminSelf self) { return detail::delete_topic(std::move(self), name); });
}
Pending<> Admin::create_partitions(std::string topic, int32_t partition_count, Validate validate) {
  return core_->work().run<void>([topic = std::move(topic), partition_count, validate](AdminSelf self) {
    return detail::create_partitions(std::move(self), topic, partition_count, validate);
  });
}

Pending<std::vector<ConfigEntry>> Admin::describe_configs(ConfigResource resource, std::vector<std::string> names) {
  return core_->work().run<std::vector<ConfigEntry>>(
      [resource = std::move(resource), names = std::move(names)](AdminSelf self) {
        return detail::describe_configs(std::move(self), resource, names);
      });
}
Pending<> Admin::alter_configs(ConfigResource resource, std::vector<ConfigChange> changes, Validate validate) {
  return core_->work().run<void>(
      [resource = std::move(resource), changes = std::move(changes), validate](AdminSelf self) {
        return detail::alter_configs(std::move(self), resource, changes, validate);
      });
}

Pending<std::vector<QuotaEntry>> Admin::describe_quotas(QuotaEntity parts, QuotaMatch match) {
  return core_->work().run<std::vector<QuotaEntry>>([parts = std::move(parts), match](AdminSelf self) {
    return detail::describe_quotas(std::move(self), parts, match);
  });
}
Pending<> Admin::alter_quotas(QuotaEntity entity, std::vector<QuotaChange> changes) {
  return core_->work().run<void>([entity = std::move(entity), changes = std::move(changes)](AdminSelf self) {
    return detail::alter_quotas(std::move(self), entity, changes);
  });
}

Pending<std::map<TopicPartition, OffsetAndTimestamp>> Admin::list_offsets(std::map<TopicPartition, int64_t> times,
                                                                          IsolationLevel isolation) {
  return core_->work().run<detail::FoundOffsets>([times = std::move(times), isolation](const AdminSelf& self) {
    return detail::look_up_offsets(self->cluster(), self->stopped(), times, isolation, detail::MissingTopic::kFail);
  });
}
Pending<std::map<TopicPartition, int64_t>> Admin::delete_records(std::map<TopicPartition, int64_t> before) {
  return core_->work().run<detail::LowOffsets>(
      [before = std::move(before)](AdminSelf self) { return detail::delete_records(std::move(self), before); });
}

Pending<std::vector<GroupSummary>> Admin::list_groups(GroupFilter filter) {
  return core_->work().run<std::vector<GroupSummary>>(
      [filter = std::move(filter)](AdminSelf self) { return detail::list_groups(std::move(self), filter); });
}
Pending<GroupInfo> Admin::describe_group(std::string group_id) {
  return core_->work().run<GroupInfo>(
      [group_id = std::move(group_id)](AdminSelf self) { return detail::describe_group(std::move(self), group_id); });
}
Pending<> Admin::delete_group(std::string group_id) {
  return core_->work().run<void>(
      [group_id = std::move(group_id)](AdminSelf self) { return detail::delete_group(std::move(self), group_id); });
}
Pending<Offsets> Admin::list_group_offsets(std::string group_id, std::vector<TopicPartition> only) {
  return core_->work().run<Offsets>([group_id = std::move(group_id), only = std::move(only)](AdminSelf self) {
    return detail::list_group_offsets(std::move(self), group_id, only);
  });
}
Pending<PartitionErrors> Admin::alter_group_offsets(std::string group_id, Offsets offsets) {
  return core_->work().run<PartitionErrors>(
      [group_id = std::move(group_id), offsets = std::move(offsets)](AdminSelf self) {
        return detail::alter_group_offsets(std::move(self), group_id, offsets);
      });
}
Pending<PartitionErrors> Admin::delete_group_offsets(std::string group_id, std::vector<TopicPartition> partitions) {
  return core_->work().run<PartitionErrors>(
      [group_id = std::move(group_id), partitions = std::move(partitions)](AdminSelf self) {
        return detail::delete_group_offsets(std::move(self), group_id, partitions);
      });
}

Pending<std::vector<LogDirInfo>> Admin::describe_log_dirs() {
  return core_->work().run<std::vector<LogDirInfo>>(
      [](AdminSelf self) { return detail::describe_log_dirs(std::move(self)); });
}
Pending<std::map<TopicPartition, std::vector<ProducerInfo>>> Admin::describe_producers(std::vector<TopicPartition> of) {
  return core_->work().run<detail::ProducersByPartition>(
      [of = std::move(of)](AdminSelf self) { return detail::describe_producers(std::move(self), of); });
}

}  // namespace leat::client
