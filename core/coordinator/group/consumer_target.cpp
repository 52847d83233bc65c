// consumer_target.cpp: what the members of a consumer group want together, which epoch that makes, and the target
// assignment of that epoch.
// Epoch and target are made on heartbeats and joins only: a change of topics waits for the next one, as nobody could be
// told of it before.
#include <algorithm>
#include <utility>

#include "core/base/bytes.h"
#include "core/base/check.h"
#include "core/coordinator/group/consumer_group.h"
#include "core/coordinator/group/subscription_regex.h"

namespace leat {
namespace {

// FNV-1a over the ids, names and sizes of topics. Kafka takes another hash; only a moved data directory ever shows ours
// to it, or its own to us, and that costs each group one new epoch.
class TopicHash {
 public:
  void add(const CatalogTopic& topic) {
    add(topic.id.bytes);
    add(as_bytes(topic.name));
    for (int shift = 0; shift < 32; shift += 8) add_byte(static_cast<uint8_t>(topic.partition_count >> shift));
    is_empty_ = false;
  }
  int64_t result() const noexcept { return is_empty_ ? 0 : static_cast<int64_t>(hash_); }

 private:
  void add(ByteView bytes) {
    for (const uint8_t byte : bytes) add_byte(byte);
    add_byte(0xff);  // no byte of UTF-8
  }
  void add_byte(uint8_t byte) { hash_ = (hash_ ^ byte) * 0x100000001b3; }

  uint64_t hash_ = 0xcbf29ce484222325;
  bool is_empty_ = true;
};

// A group is born with epoch 1, as Kafka's are. Whoever asks for something makes it 2, so that is what its first member
// gets, but for one that subscribes to nothing.
constexpr int32_t kEpochAtBirth = 1;

// A pattern that does not compile can stand only in a log that another engine's broker wrote: it matches nothing.
std::vector<std::string> resolve(const std::string& pattern, const TopicCatalog& catalog) {
  const Result<SubscriptionRegex> regex = SubscriptionRegex::compile(pattern);
  return regex ? sorted_names(regex->resolve(catalog)) : std::vector<std::string>{};
}

// Topic ids by name, looked up once for all members.
using TopicIds = std::map<std::string, Uuid, std::less<>>;

std::vector<Uuid> ids_of(const std::vector<std::string_view>& names, const TopicIds& ids) {
  std::vector<Uuid> topics;
  for (const std::string_view name : names) {
    if (const auto found = ids.find(name); found != ids.end()) topics.push_back(found->second);
  }
  std::sort(topics.begin(), topics.end());
  return topics;
}

}  // namespace

// --- subscriptions --------------------------------------------------------------------------------------------------

// Sorted, each once; valid until the next write.
std::vector<std::string_view> ConsumerGroup::names_of(const ConsumerMember& member) const {
  std::vector<std::string_view> names(member.metadata.subscribed_topic_names.begin(),
                                      member.metadata.subscribed_topic_names.end());
  const auto resolved = member.regex().empty() ? regexes_.end() : regexes_.find(member.regex());
  if (resolved == regexes_.end()) return names;
  names.insert(names.end(), resolved->second.topics.begin(), resolved->second.topics.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::set<Uuid> ConsumerGroup::subscribed_topics(const ConsumerMember& member, const TopicCatalog& catalog) const {
  std::set<Uuid> topics;
  for (const std::string_view name : names_of(member)) {
    if (const std::optional<CatalogTopic> topic = catalog.find(name)) topics.insert(topic->id);
  }
  return topics;
}

std::set<std::string> ConsumerGroup::subscribed_names() const {
  std::set<std::string> names;
  for (const auto& [name, subscribers] : subscribers_by_name_) names.insert(name);
  for (const auto& [regex, subscribers] : subscribers_by_regex_) {
    const auto resolved = regexes_.find(regex);
    if (resolved != regexes_.end()) names.insert(resolved->second.topics.begin(), resolved->second.topics.end());
  }
  return names;
}

int64_t ConsumerGroup::metadata_hash(const TopicCatalog& catalog) const {
  TopicHash hash;
  for (const std::string& name : subscribed_names()) {
    if (const std::optional<CatalogTopic> topic = catalog.find(name)) hash.add(*topic);
  }
  return hash.result();
}

void ConsumerGroup::drop_unused_regexes(GroupStep& step) {
  std::vector<std::string> unused;
  for (const auto& [regex, resolved] : regexes_) {
    if (!subscribers_by_regex_.contains(regex)) unused.push_back(regex);
  }
  for (const std::string& regex : unused)
    step.write(RegexRecord{.key = {.group_id = id_, .regular_expression = regex}, .value = {}});
  if (subscribers_by_regex_.empty()) step.deadlines().cancel(key_of(DeadlineKind::kRegexRefresh));
}

// Patterns are looked up here and now: the topics are at hand, and the engine's time is bounded by pattern and names.
// Kafka does it in the background, and its members wait a heartbeat longer. Says whether any stands for other topics.
bool ConsumerGroup::resolve_regexes(GroupStep& step) {
  std::vector<std::string> wanted;
  for (const auto& [regex, subscribers] : subscribers_by_regex_) {
    if (must_look_at_catalog_ || !regexes_.contains(regex)) wanted.push_back(regex);
  }
  bool has_changed = false;
  for (const std::string& regex : wanted) {
    ConsumerGroupRegularExpressionValue resolved;
    resolved.topics = resolve(regex, step.catalog());
    resolved.timestamp = step.wall_ms();
    const auto before = regexes_.find(regex);
    if (before != regexes_.end() && before->second.topics == resolved.topics) continue;
    has_changed = true;
    step.write(RegexRecord{.key = {.group_id = id_, .regular_expression = regex}, .value = std::move(resolved)});
  }
  DeadlineKey refresh = key_of(DeadlineKind::kRegexRefresh);
  if (!subscribers_by_regex_.empty() && !step.deadlines().is_set(refresh)) {
    step.deadlines().set(std::move(refresh), step.now_ms() + step.rules().regex_refresh_interval_ms);
  }
  return has_changed;
}

// --- epochs and target ----------------------------------------------------------------------------------------------

// `inputs_changed`: what the target is made from, but for the topics: subscriptions, or the assignor.
void ConsumerGroup::bring_up_to_date(GroupStep& step, bool inputs_changed) {
  bool must_bump = inputs_changed;
  if (must_bump || must_look_at_catalog_ || !group_) {
    if (resolve_regexes(step)) must_bump = true;
    const int64_t hash = metadata_hash(step.catalog());
    if (hash != (group_ ? group_->metadata_hash : 0)) must_bump = true;
    if (must_bump) {
      bump_epoch(step, hash);
    } else if (!group_) {
      write_epoch(step, kEpochAtBirth, hash);
    }
    must_look_at_catalog_ = false;
  }
  if (epoch() > target_epoch()) update_target(step);
}

void ConsumerGroup::bump_epoch(GroupStep& step, int64_t hash) {
  write_epoch(step, std::max(epoch(), kEpochAtBirth) + 1, hash);
}

void ConsumerGroup::write_epoch(GroupStep& step, int32_t new_epoch, int64_t hash) {
  ConsumerGroupMetadataValue next;
  next.epoch = new_epoch;
  next.metadata_hash = hash;
  step.write(ConsumerGroupRecord{.key = {.group_id = id_}, .value = next});
}

// The one that most members ask for; of several, and where nobody asks, the first in the settings.
std::string ConsumerGroup::preferred_assignor(const GroupRules& rules) const {
  std::string preferred;
  size_t most_votes = 0;
  for (const std::string& name : rules.consumer_assignors) {
    const auto found = votes_by_assignor_.find(name);
    const size_t votes = found == votes_by_assignor_.end() ? 0 : found->second;
    if (!preferred.empty() && votes <= most_votes) continue;
    preferred = name;
    most_votes = votes;
  }
  return preferred;
}

AssignorInput ConsumerGroup::assignor_input(const TopicCatalog& catalog) const {
  AssignorInput input;
  TopicIds ids;
  for (const std::string& name : subscribed_names()) {
    const std::optional<CatalogTopic> topic = catalog.find(name);
    if (!topic) continue;
    ids.emplace(name, topic->id);
    input.topics.emplace(topic->id, topic->partition_count);
  }
  input.members.reserve(members_.size());
  const MemberMetadata* before = nullptr;
  for (const auto& [member_id, member] : members_) {
    // Most groups have one subscription for all.
    const bool is_as_before = before != nullptr && ConsumerMember::regex_of(*before) == member.regex() &&
                              before->subscribed_topic_names == member.metadata.subscribed_topic_names;
    AssignorMember in{.id = member_id, .instance_id = member.metadata.instance_id, .topics = {}, .current = {}};
    in.topics = is_as_before ? input.members.back().topics : ids_of(names_of(member), ids);
    in.current = target_of(member_id);
    input.members.push_back(std::move(in));
    before = &member.metadata;
  }
  return input;
}

void ConsumerGroup::update_target(GroupStep& step) {
  const Assignor assignor = find_assignor(preferred_assignor(step.rules()));
  const AssignorInput input = assignor_input(step.catalog());
  Assignment assignment = assignor != nullptr ? assignor(input) : assign_uniform(input);
  for (auto& [member_id, target] : assignment) {
    ENSURE(members_.contains(member_id), "group {}, member {}", id_, member_id);
    const auto before = targets_.find(member_id);
    if (before != targets_.end() && before->second == target) continue;
    step.write(TargetMemberRecord{.key = {.group_id = id_, .member_id = member_id}, .value = to_record_value(target)});
  }
  reach_group_epoch(step, step.wall_ms());
}

// The target is that of the group's epoch from now on.
void ConsumerGroup::reach_group_epoch(GroupStep& step, int64_t made_wall_ms) {
  ConsumerGroupTargetAssignmentMetadataValue made;
  made.assignment_epoch = epoch();
  made.assignment_timestamp = made_wall_ms;
  step.write(TargetEpochRecord{.key = {.group_id = id_}, .value = made});
}

}  // namespace leat
