// group_world_consumer.cpp: the client of the consumer protocol.
#include "test/simulation/group_world_consumer.h"

#include <algorithm>
#include <variant>

namespace leat {

ConsumerSimMember::ConsumerSimMember(const Parts& parts, Plan plan) : SimMember(parts, std::move(plan)) {
  epoch_ = 0;
  if (!plan_.is_old) member_id_ = Uuid::make(parts_.random).to_string();
}

void ConsumerSimMember::heartbeat() {
  ConsumerHeartbeat event;
  event.group_id = plan_.group_id;
  event.member_id = member_id_;
  event.member_epoch = epoch_;
  event.instance_id = plan_.instance_id;
  event.client = {.id = plan_.client_id, .host = "/127.0.0.1"};
  event.member_id_is_ours_to_make = plan_.is_old && member_id_.empty();
  sent_owned_.reset();
  sent_epoch_ = epoch_;
  const bool says_all = must_tell_all_ || epoch_ == 0;
  if (says_all) tell_all(event);
  if (must_tell_topics_) event.subscribed_topic_names = plan_.topics;
  must_tell_topics_ = false;
  if (says_all || owned() != told_owned_) {
    sent_owned_ = owned();
    event.owned_partitions = to_topic_partitions(owned());
  }
  ask(std::move(event));
  if (parts_.random.one_in(4)) commit_some();
}

void ConsumerSimMember::tell_all(ConsumerHeartbeat& event) {
  event.rebalance_timeout_ms = plan_.rebalance_timeout_ms;
  event.subscribed_topic_names = plan_.topics;
  if (plan_.pattern) event.subscribed_topic_regex = kSimPatterns[*plan_.pattern].text;
  event.server_assignor = plan_.assignor;
}

// A static member may go for a while only.
void ConsumerSimMember::leave() {
  if (!is_alive()) return;
  if (!member_id_.empty() && epoch_ > 0) {
    ConsumerHeartbeat event;
    event.group_id = plan_.group_id;
    event.member_id = member_id_;
    event.member_epoch = plan_.instance_id && !parts_.random.one_in(3) ? -2 : -1;
    event.instance_id = plan_.instance_id;
    event.client = {.id = plan_.client_id, .host = "/127.0.0.1"};
    tell_once(std::move(event));
  }
  die();
}

bool ConsumerSimMember::is_settled() const {
  const LedgerGroup* group = parts_.broker.ledger().find(plan_.group_id);
  if (group == nullptr || group->epoch() != epoch_ || epoch_ <= 0) return false;
  const auto member = group->members.find(member_id_);
  if (member == group->members.end() || member->second.epoch != epoch_) return false;
  return !is_revoking_ && !must_tell_all_ && !must_tell_topics_ && owned() == assignment_ && told_owned_ == owned();
}

// Its session may end it, and a revocation that lasts longer than it asked for.
int64_t ConsumerSimMember::guaranteed_until_ms() const {
  const int64_t session_end_ms = session_contact_ms_ + parts_.rules.session_timeout_ms(plan_.group_id);
  if (!revocation_since_ms_) return session_end_ms;
  return std::min(session_end_ms, *revocation_since_ms_ + plan_.rebalance_timeout_ms);
}

void ConsumerSimMember::on_control_produced(const GroupReply& reply) {
  const auto& heard = std::get<ConsumerHeartbeatReply>(reply);
  if (heard.fault.code != GroupErrc::kNone) return;
  session_contact_ms_ = now_ms();
  if (sent_epoch_ == 0) is_excluded_ = false;
  if (heard.assignment) {
    const SimPartitions before = std::exchange(produced_assignment_, to_sim_partitions(*heard.assignment));
    if (!is_subset(before, produced_assignment_) && !revocation_since_ms_) revocation_since_ms_ = now_ms();
  }
}

void ConsumerSimMember::on_control_answered(const GroupReply& reply) {
  const auto& heard = std::get<ConsumerHeartbeatReply>(reply);
  if (heard.fault.code != GroupErrc::kNone) {
    take_error(heard.fault.code);
    return;
  }
  member_id_ = heard.member_id;
  epoch_ = heard.member_epoch;
  must_tell_all_ = false;
  if (sent_owned_) {
    told_owned_ = *sent_owned_;
    // Only now: while the answer was not durable a crash would have had the coordinator wait for it again.
    if (is_subset(*sent_owned_, produced_assignment_)) revocation_since_ms_.reset();
  }
  if (heard.assignment) assignment_ = to_sim_partitions(*heard.assignment);
  reconcile();
  check_claims();
  wake_in(next_turn_ms());
}

int64_t ConsumerSimMember::next_turn_ms() const {
  const bool has_news = owned() != told_owned_ || must_tell_topics_;
  return has_news && !is_revoking_ ? 5 : int64_t{plan_.heartbeat_interval_ms};
}

void ConsumerSimMember::on_control_lost() {
  must_tell_all_ = true;
  wake_in(up_to_ms(200));
}

void ConsumerSimMember::take_error(GroupErrc error) {
  if (error == GroupErrc::kFencedInstanceId) {
    parts_.counts.add(GroupHappening::kInstanceFenced);
    die();
  } else if (error == GroupErrc::kUnreleasedInstanceId) {
    parts_.counts.add(GroupHappening::kInstanceUnreleased);
    begin_again(500 + up_to_ms(1000));
  } else if (error == GroupErrc::kUnknownMemberId || error == GroupErrc::kFencedMemberEpoch ||
             error == GroupErrc::kGroupIdNotFound) {
    if (error == GroupErrc::kUnknownMemberId) parts_.counts.add(GroupHappening::kSessionExpiry);
    begin_again(up_to_ms(100));
  } else {
    must_tell_all_ = true;
    wake_in(up_to_ms(500));
  }
}

void ConsumerSimMember::begin_again(int64_t retry_in_ms) {
  own({});
  epoch_ = 0;
  assignment_.clear();
  told_owned_.clear();
  produced_assignment_.clear();
  revocation_since_ms_.reset();
  is_revoking_ = false;
  ++revocation_;
  must_tell_all_ = true;
  wake_in(retry_in_ms);
}

// Nothing new is taken before everything is given up that is to go.
void ConsumerSimMember::reconcile() {
  if (is_revoking_) return;
  if (is_subset(owned(), assignment_)) {
    own(assignment_);
    return;
  }
  is_revoking_ = true;
  const bool is_slow = is_sluggish(12);
  if (is_slow) parts_.counts.add(GroupHappening::kSlowRevocation);
  const int64_t needs_ms = up_to_ms(int64_t{is_slow ? plan_.rebalance_timeout_ms * 2 : 300});
  parts_.timeline.after(needs_ms, [this, revocation = ++revocation_] {
    if (revocation == revocation_ && is_alive()) give_up();
  });
}

void ConsumerSimMember::give_up() {
  if (is_paused()) {
    parts_.timeline.after(100, [this, revocation = revocation_] {
      if (revocation == revocation_ && is_alive()) give_up();
    });
    return;
  }
  parts_.counts.add(GroupHappening::kRevocation);
  is_revoking_ = false;
  own(assignment_);
  wake_in(next_turn_ms());
}

}  // namespace leat
