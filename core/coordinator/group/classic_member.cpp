// classic_member.cpp: the table of members; see classic_member.h.
#include "core/coordinator/group/classic_member.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/check.h"
#include "core/base/uuid.h"

namespace leat {
namespace {

// A client may name a protocol twice: it speaks it once.
std::set<std::string_view> names_of(const std::vector<NamedProtocol>& protocols) {
  std::set<std::string_view> names;
  for (const NamedProtocol& protocol : protocols) names.insert(protocol.name);
  return names;
}

}  // namespace

std::string make_member_id(std::string_view prefix, Random& random) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id(prefix);
  id += '-';
  const Uuid uuid = Uuid::make(random);
  for (size_t i = 0; i < uuid.bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) id += '-';
    id += kDigits[uuid.bytes[i] >> 4];
    id += kDigits[uuid.bytes[i] & 15];
  }
  return id;
}

const Bytes* ClassicMember::metadata_for(std::string_view protocol) const noexcept {
  for (const NamedProtocol& spoken : terms.protocols) {
    if (spoken.name == protocol) return &spoken.metadata;
  }
  return nullptr;
}

GroupMetadataValue::MemberMetadata ClassicMember::to_record(std::string_view protocol) const {
  GroupMetadataValue::MemberMetadata recorded;
  recorded.member_id = id;
  recorded.group_instance_id = instance_id;
  recorded.client_id = client.id;
  recorded.client_host = client.host;
  recorded.rebalance_timeout = terms.rebalance_timeout_ms;
  recorded.session_timeout = terms.session_timeout_ms;
  if (const Bytes* metadata = metadata_for(protocol)) recorded.subscription = *metadata;
  recorded.assignment = assignment;
  return recorded;
}

// --- questions ------------------------------------------------------------------------------------------------------

const ClassicMember* ClassicMembers::find(std::string_view id) const {
  const auto place = by_id_.find(id);
  return place == by_id_.end() ? nullptr : &place->second;
}

const ClassicMember& ClassicMembers::at(std::string_view id) const {
  const ClassicMember* member = find(id);
  ENSURE(member != nullptr, "no member {}", id);
  return *member;
}

const std::string* ClassicMembers::id_of_instance(std::string_view instance_id) const {
  const auto place = id_by_instance_.find(instance_id);
  return place == id_by_instance_.end() ? nullptr : &place->second;
}

bool ClassicMembers::all_speak(std::string_view protocol) const {
  const auto place = speakers_by_protocol_.find(protocol);
  return (place == speakers_by_protocol_.end() ? 0 : place->second) == size();
}

std::string ClassicMembers::elect_protocol() const {
  std::map<std::string_view, size_t> votes;
  for (const auto& [id, member] : by_id_) {
    const auto choice = std::ranges::find_if(member.terms.protocols,
                                             [this](const NamedProtocol& spoken) { return all_speak(spoken.name); });
    if (choice != member.terms.protocols.end()) ++votes[choice->name];
  }
  const auto elected =
      std::ranges::max_element(votes, {}, [](const auto& protocol_and_votes) { return protocol_and_votes.second; });
  return elected == votes.end() ? std::string() : std::string(elected->first);
}

int32_t ClassicMembers::rebalance_timeout_ms() const noexcept {
  int32_t longest_ms = 0;
  for (const auto& [id, member] : by_id_) longest_ms = std::max(longest_ms, member.terms.rebalance_timeout_ms);
  return longest_ms;
}

// --- changes --------------------------------------------------------------------------------------------------------

ClassicMember& ClassicMembers::find_own(std::string_view id) {
  const auto place = by_id_.find(id);
  ENSURE(place != by_id_.end(), "no member {}", id);
  return place->second;
}

void ClassicMembers::add(ClassicMember member) {
  ENSURE(!member.join && !member.sync && !member.owes_sync, "member {}", member.id);
  std::string id = member.id;
  if (member.instance_id) {
    const bool is_first = id_by_instance_.emplace(*member.instance_id, id).second;
    ENSURE(is_first, "instance {} twice", *member.instance_id);
  }
  const auto [place, is_new] = by_id_.emplace(std::move(id), std::move(member));
  ENSURE(is_new, "member {} twice", place->first);
  count_in(place->second);
}

ClassicMember ClassicMembers::remove(std::string_view id) {
  const auto place = by_id_.find(id);
  ENSURE(place != by_id_.end(), "no member {}", id);
  ClassicMember member = std::move(place->second);
  by_id_.erase(place);
  count_out(member);
  if (member.instance_id) id_by_instance_.erase(*member.instance_id);
  if (member.join) --waiting_join_count_;
  if (member.owes_sync) --owed_sync_count_;
  return member;
}

void ClassicMembers::rename(std::string_view old_id, const std::string& new_id) {
  const auto place = by_id_.find(old_id);
  ENSURE(place != by_id_.end(), "no member {}", old_id);
  auto node = by_id_.extract(place);
  ClassicMember& member = node.mapped();
  ENSURE(!member.join && !member.sync, "{} is parked", member.id);
  node.key() = new_id;
  member.id = new_id;
  member.is_new = false;  // the instance is no stranger, whatever became of its earlier process
  if (member.instance_id) id_by_instance_[*member.instance_id] = new_id;
  const bool is_new = by_id_.insert(std::move(node)).inserted;
  ENSURE(is_new, "member {} twice", new_id);
}

void ClassicMembers::set_terms(std::string_view id, ClassicTerms terms) {
  ClassicMember& member = find_own(id);
  member.terms.session_timeout_ms = terms.session_timeout_ms;
  member.terms.rebalance_timeout_ms = terms.rebalance_timeout_ms;
  set_protocols(id, std::move(terms.protocols));
}

void ClassicMembers::set_protocols(std::string_view id, std::vector<NamedProtocol> protocols) {
  ClassicMember& member = find_own(id);
  count_out(member);
  member.terms.protocols = std::move(protocols);
  count_in(member);
}

void ClassicMembers::clear_assignments() {
  for (auto& [id, member] : by_id_) member.assignment.clear();
}

void ClassicMembers::count_in(const ClassicMember& member) {
  for (const std::string_view name : names_of(member.terms.protocols)) {
    const auto place = speakers_by_protocol_.find(name);
    if (place == speakers_by_protocol_.end()) {
      speakers_by_protocol_.emplace(name, 1);
    } else {
      ++place->second;
    }
  }
}

void ClassicMembers::count_out(const ClassicMember& member) {
  for (const std::string_view name : names_of(member.terms.protocols)) {
    const auto place = speakers_by_protocol_.find(name);
    ENSURE(place != speakers_by_protocol_.end(), "nobody speaks {}", name);
    if (--place->second == 0) speakers_by_protocol_.erase(place);
  }
}

// --- parking --------------------------------------------------------------------------------------------------------

std::optional<Ticket> ClassicMembers::park_join(std::string_view id, Ticket ticket) {
  ClassicMember& member = find_own(id);
  if (!member.join) ++waiting_join_count_;
  return std::exchange(member.join, ticket);
}

std::optional<Ticket> ClassicMembers::take_join(std::string_view id) {
  ClassicMember& member = find_own(id);
  if (member.join) --waiting_join_count_;
  return std::exchange(member.join, std::nullopt);
}

std::optional<Ticket> ClassicMembers::park_sync(std::string_view id, Ticket ticket) {
  return std::exchange(find_own(id).sync, ticket);
}

std::optional<Ticket> ClassicMembers::take_sync(std::string_view id) {
  return std::exchange(find_own(id).sync, std::nullopt);
}

void ClassicMembers::end_join_phase(std::string_view id) {
  ClassicMember& member = find_own(id);
  member.is_new = false;
  if (!member.owes_sync) ++owed_sync_count_;
  member.owes_sync = true;
}

void ClassicMembers::end_sync(std::string_view id) {
  ClassicMember& member = find_own(id);
  if (member.owes_sync) --owed_sync_count_;
  member.owes_sync = false;
}

void ClassicMembers::forgive_syncs() {
  for (auto& [id, member] : by_id_) member.owes_sync = false;
  owed_sync_count_ = 0;
}

// --- records --------------------------------------------------------------------------------------------------------

void ClassicMembers::adopt(const GroupMetadataValue& value) {
  std::set<std::string_view> recorded_ids;
  for (const auto& recorded : value.members) recorded_ids.insert(recorded.member_id);
  std::vector<std::string> gone_ids;
  for (const auto& [id, member] : by_id_) {
    if (!recorded_ids.contains(id)) gone_ids.push_back(id);
  }
  for (const std::string& id : gone_ids) {
    // Live, a record names everybody who is in; and whoever goes is answered before it is written.
    const ClassicMember gone = remove(id);
    ENSURE(!gone.join && !gone.sync, "{} is parked", id);
  }
  for (const auto& recorded : value.members) adopt_one(recorded, value.protocol.value_or(""));
}

void ClassicMembers::adopt_one(const GroupMetadataValue::MemberMetadata& recorded, const std::string& protocol) {
  // No record of Kafka's or ours names an instance twice, but a log may hold anything: the last one named counts.
  if (recorded.group_instance_id) {
    const std::string* holder = id_of_instance(*recorded.group_instance_id);
    if (holder != nullptr && *holder != recorded.member_id) remove(std::string(*holder));
  }
  const ClassicMember* known = find(recorded.member_id);
  if (known != nullptr && known->instance_id != recorded.group_instance_id) {
    remove(recorded.member_id);
    known = nullptr;
  }
  if (known == nullptr) {
    ClassicMember member;
    member.id = recorded.member_id;
    member.instance_id = recorded.group_instance_id;
    add(std::move(member));
  }
  ClassicMember& member = find_own(recorded.member_id);
  member.client = {recorded.client_id, recorded.client_host};
  member.assignment = recorded.assignment;
  member.terms.session_timeout_ms = recorded.session_timeout;
  member.terms.rebalance_timeout_ms =  // absent in the oldest records
      recorded.rebalance_timeout == -1 ? recorded.session_timeout : recorded.rebalance_timeout;
  const Bytes* spoken = member.metadata_for(protocol);
  if (spoken == nullptr || *spoken != recorded.subscription) {
    std::vector<NamedProtocol> only;
    only.push_back({protocol, recorded.subscription});
    set_protocols(recorded.member_id, std::move(only));
  }
}

}  // namespace leat
