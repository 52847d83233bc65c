// classic_member.h: a member of a classic group, and the table of the members of one group with what is counted over
// them: how many wait in a join, how many owe a sync, how many speak each protocol, who holds which instance id.
// Invariant: the counts agree with the members, for members change through the table alone. They stand by member id, so
// that choices which Kafka leaves to the order of a hash map are made by id here, and alike in every run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/random.h"
#include "core/coordinator/classic_group_records.h"
#include "core/coordinator/group/group_event.h"

namespace leat {

// The prefix, "-", and a random UUID in the form with hyphens: Kafka's member ids. The prefix is the instance id of a
// static member and the client id of another.
std::string make_member_id(std::string_view prefix, Random& random);

// What a member says of itself in each join.
struct ClassicTerms {
  std::vector<NamedProtocol> protocols;  // by preference
  int32_t session_timeout_ms = 0;
  int32_t rebalance_timeout_ms = 0;
};

struct ClassicMember {
  std::string id;
  std::optional<std::string> instance_id;
  GroupClient client;
  ClassicTerms terms;
  Bytes assignment;
  // The rest is volatile: no record has it.
  std::optional<Ticket> join;  // parked until the join phase ends
  std::optional<Ticket> sync;  // parked until the leader has sent the assignment
  bool is_new = false;         // no join phase has ended for it yet
  bool owes_sync = false;      // it was told of this generation and has not asked for its assignment

  bool is_static() const noexcept { return instance_id.has_value(); }
  const Bytes* metadata_for(std::string_view protocol) const noexcept;
  GroupMetadataValue::MemberMetadata to_record(std::string_view protocol) const;  // all that is not volatile
  // Somebody whose request is parked need not send heartbeats. A new member must come back at times all the same: its
  // client may have given up before it knew its id, and would leave a phantom.
  bool is_excused_from_heartbeats() const noexcept { return !is_new && (join.has_value() || sync.has_value()); }
};

class ClassicMembers {
 public:
  using ById = std::map<std::string, ClassicMember, std::less<>>;

  const ById& by_id() const noexcept { return by_id_; }
  bool empty() const noexcept { return by_id_.empty(); }
  size_t size() const noexcept { return by_id_.size(); }
  const ClassicMember* find(std::string_view id) const;
  const ClassicMember& at(std::string_view id) const;                     // CHECKs that it is there
  const std::string* id_of_instance(std::string_view instance_id) const;  // nullptr: no such static member
  size_t waiting_join_count() const noexcept { return waiting_join_count_; }
  size_t owed_sync_count() const noexcept { return owed_sync_count_; }
  bool all_speak(std::string_view protocol) const;  // so does nobody at all
  std::string elect_protocol() const;               // by votes; "" when there is none
  int32_t rebalance_timeout_ms() const noexcept;    // the longest of all

  void add(ClassicMember member);
  ClassicMember remove(std::string_view id);                        // its tickets are the caller's to answer
  void rename(std::string_view old_id, const std::string& new_id);  // nothing of it may be parked
  void set_terms(std::string_view id, ClassicTerms terms);
  void set_protocols(std::string_view id, std::vector<NamedProtocol> protocols);
  void clear_assignments();

  // Parking returns the ticket that was parked before: a client that gave up and asks again.
  std::optional<Ticket> park_join(std::string_view id, Ticket ticket);
  std::optional<Ticket> take_join(std::string_view id);
  std::optional<Ticket> park_sync(std::string_view id, Ticket ticket);
  std::optional<Ticket> take_sync(std::string_view id);
  void end_join_phase(std::string_view id);  // no longer new; owes a sync
  void end_sync(std::string_view id);
  void forgive_syncs();

  // Exactly the members of the record, with its values; what is volatile in those that stay is kept, also their other
  // protocols, which no record holds.
  void adopt(const GroupMetadataValue& value);

 private:
  ClassicMember& find_own(std::string_view id);
  void adopt_one(const GroupMetadataValue::MemberMetadata& recorded, const std::string& protocol);
  void count_in(const ClassicMember& member);
  void count_out(const ClassicMember& member);

  ById by_id_;
  std::map<std::string, std::string, std::less<>> id_by_instance_;
  std::map<std::string, size_t, std::less<>> speakers_by_protocol_;  // of members that list it at least once; never 0
  size_t waiting_join_count_ = 0;
  size_t owed_sync_count_ = 0;
};

}  // namespace leat
