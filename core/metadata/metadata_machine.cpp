// metadata_machine.cpp: the state: apply, snapshot, look-ups, and the decisions that need no rules.
#include "core/metadata/metadata_machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/metadata/topic_name.h"

namespace leat {

const TopicState* MetadataMachine::topic(std::string_view name) const noexcept {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? nullptr : topic(at->second);
}

const TopicState* MetadataMachine::topic(const Uuid& id) const noexcept {
  const auto at = topics_.find(id);
  return at == topics_.end() ? nullptr : &at->second;
}

namespace {

using ConfigsByName = std::map<std::string, ConfigMap, std::less<>>;

const ConfigMap& configs_of(const ConfigsByName& all, std::string_view name) noexcept {
  static const ConfigMap none;
  const auto at = all.find(name);
  return at == all.end() ? none : at->second;
}

void set_configs(ConfigsByName& all, const std::string& name, const std::optional<ConfigMap>& configs) {
  if (configs && !configs->empty()) {
    all.insert_or_assign(name, *configs);
  } else {
    all.erase(name);
  }
}

}  // namespace

const ConfigMap& MetadataMachine::broker_configs(std::string_view broker) const noexcept {
  return configs_of(broker_configs_, broker);
}

const ConfigMap& MetadataMachine::group_configs(std::string_view group) const noexcept {
  return configs_of(group_configs_, group);
}

MetadataStep MetadataMachine::on_create_cluster(std::string cluster_id) const {
  MetadataStep step;
  step.records.push_back(ClusterRecord{.cluster_id = std::move(cluster_id)});
  return step;
}

MetadataResult<MetadataStep> MetadataMachine::on_alter_client_quotas(const QuotaEntity& entity,
                                                                     const std::vector<QuotaChange>& changes) const {
  const auto at = client_quotas_.find(entity);
  const QuotaValues before = at == client_quotas_.end() ? QuotaValues{} : at->second;
  QuotaResult<QuotaValues> after = quotas_after(entity, before, changes);
  if (!after) return tl::unexpected<MetadataError>(MetadataError{MetadataErrc::kInvalidRequest, after.error()});
  MetadataStep step;
  if (*after == before) return step;
  if (before.empty() && client_quotas_.size() >= kQuotaEntitiesMax) {
    return tl::unexpected<MetadataError>(MetadataError{
        MetadataErrc::kPolicyViolation,
        fmt::format("{} entities have quotas already: take some away, or set a default", client_quotas_.size())});
  }
  ClientQuotaRecord record{.entity = entity, .quotas = std::nullopt};
  if (!after->empty()) record.quotas = *std::move(after);
  step.records.push_back(std::move(record));
  return step;
}

ProducerIdBlock MetadataMachine::on_reserve_producer_ids(int64_t count) const {
  ProducerIdBlock block;
  block.first = next_producer_id_;
  block.count = std::min(count, INT64_MAX - next_producer_id_);
  block.step.records.push_back(ProducerIdsRecord{.next_producer_id = next_producer_id_ + block.count});
  return block;
}

void MetadataMachine::apply(const MetadataRecord& record) {
  std::visit([this](const auto& one) { apply_one(one); }, record);
}

std::optional<std::string> MetadataMachine::contradiction(const MetadataRecord& record) const {
  const auto* topic_record = std::get_if<TopicRecord>(&record);
  if (topic_record == nullptr || !topic_record->state || topic_record->state->phase != TopicPhase::kLive)
    return std::nullopt;
  const TopicState* holder = topic(topic_record->state->name);
  if (holder == nullptr || holder->id == topic_record->id) return std::nullopt;
  return fmt::format("topic {} has the id {} and again {}", holder->name, holder->id.to_string(),
                     topic_record->id.to_string());
}

void MetadataMachine::apply_one(const ClusterRecord& record) { cluster_id_ = record.cluster_id; }

void MetadataMachine::apply_one(const TopicRecord& record) {
  const auto before = topics_.find(record.id);
  if (before != topics_.end()) {
    forget_name(before->second);
    topics_.erase(before);
  }
  if (!record.state) return;
  const TopicState& state = topics_.emplace(record.id, *record.state).first->second;
  if (state.phase != TopicPhase::kLive) return;
  // A journal whose records contradict each other would have stopped the start: the decisions never give one name to
  // two.
  const bool is_new = by_name_.emplace(state.name, state.id).second;
  ENSURE(is_new, "two live topics are named {}", state.name);
  if (can_collide(state.name)) colliding_[colliding_form(state.name)].insert(state.name);
}

void MetadataMachine::forget_name(const TopicState& topic) {
  if (topic.phase != TopicPhase::kLive) return;
  by_name_.erase(topic.name);
  const auto group = colliding_.find(colliding_form(topic.name));
  if (group == colliding_.end()) return;
  group->second.erase(topic.name);
  if (group->second.empty()) colliding_.erase(group);
}

void MetadataMachine::apply_one(const BrokerConfigRecord& record) {
  set_configs(broker_configs_, record.broker, record.configs);
}

void MetadataMachine::apply_one(const GroupConfigRecord& record) {
  set_configs(group_configs_, record.group, record.configs);
}

void MetadataMachine::apply_one(const ClientQuotaRecord& record) {
  ENSURE(record.entity.is_valid(), "quota of {}", record.entity.to_string());
  if (record.quotas && !record.quotas->empty()) {
    client_quotas_.insert_or_assign(record.entity, *record.quotas);
  } else {
    client_quotas_.erase(record.entity);
  }
}

// Never falls, whatever order a damaged journal may have: an id given out twice would let two producers' sequences mix.
void MetadataMachine::apply_one(const ProducerIdsRecord& record) {
  next_producer_id_ = std::max(next_producer_id_, record.next_producer_id);
}

std::vector<MetadataRecord> MetadataMachine::snapshot() const {
  std::vector<MetadataRecord> records;
  records.reserve(live_record_count());
  records.push_back(ClusterRecord{.cluster_id = cluster_id_});
  records.push_back(ProducerIdsRecord{.next_producer_id = next_producer_id_});
  for (const auto& [broker, configs] : broker_configs_)
    records.push_back(BrokerConfigRecord{.broker = broker, .configs = configs});
  for (const auto& [group, configs] : group_configs_)
    records.push_back(GroupConfigRecord{.group = group, .configs = configs});
  for (const auto& [entity, quotas] : client_quotas_)
    records.push_back(ClientQuotaRecord{.entity = entity, .quotas = quotas});
  for (const auto& [id, state] : topics_) records.push_back(TopicRecord{.id = id, .state = state});
  return records;
}

}  // namespace leat
