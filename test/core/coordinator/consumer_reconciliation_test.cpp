// consumer_reconciliation_test.cpp: one member between what it owns and what the target gives it: gives up first, gets
// what is free, waits for the rest.
#include "core/coordinator/group/consumer_reconciliation.h"

#include <optional>

#include "test/support/catch.h"

namespace leat {
namespace {

Uuid topic(uint8_t number) {
  Uuid id;
  id.bytes[15] = number;
  return id;
}
const Uuid kFoo = topic(1);
const Uuid kBar = topic(2);

// One member at epoch 10 that owns foo 1, 2, 3 since epoch 7; the target is at epoch 11 if nothing else is said.
struct Member {
  CurrentAssignment current;
  int32_t target_epoch = 11;
  PartitionsByTopic target;
  std::set<Uuid> subscribed = {kFoo, kBar};
  PartitionHolders holders;
  std::optional<std::vector<TopicPartitions>> owned;
  bool subscription_changed = false;

  Member() {
    current.member_epoch = 10;
    current.previous_member_epoch = 9;
    current.assigned[kFoo] = {{1, 7}, {2, 7}, {3, 7}};
  }
  void other_holds(const Uuid& id, int32_t partition) {
    CurrentAssignment other;
    other.assigned[id].emplace(partition, 3);
    holders.add(other);
  }
  CurrentAssignment next() {
    PartitionHolders all = holders;
    all.add(current);
    return reconcile({.current = current,
                      .target_epoch = target_epoch,
                      .target = target,
                      .subscribed = subscribed,
                      .holders = all,
                      .owned = owned ? &*owned : nullptr,
                      .subscription_changed = subscription_changed});
  }
};

TEST_CASE("reconciliation: a member at the target's epoch stays as it is", "[group][reconciliation]") {
  Member member;
  member.target_epoch = 10;
  member.target[kFoo] = {4, 5};  // not looked at
  CHECK((member.next() == member.current));
}

TEST_CASE("reconciliation: the same target of a later epoch changes the epoch alone", "[group][reconciliation]") {
  Member member;
  member.target[kFoo] = {1, 2, 3};
  const CurrentAssignment next = member.next();
  CHECK(next.member_epoch == 11);
  CHECK(next.previous_member_epoch == 10);
  CHECK(next.state == MemberState::kStable);
  CHECK((next.assigned == member.current.assigned));
  CHECK(next.pending_revocation.empty());
}

TEST_CASE("reconciliation: free partitions are given at once, in the target's epoch", "[group][reconciliation]") {
  Member member;
  member.target[kFoo] = {1, 2, 3, 4};
  member.target[kBar] = {0};
  const CurrentAssignment next = member.next();
  CHECK(next.state == MemberState::kStable);
  CHECK(next.member_epoch == 11);
  CHECK((next.assigned.at(kFoo) == std::map<int32_t, int32_t>{{1, 7}, {2, 7}, {3, 7}, {4, 11}}));
  CHECK((next.assigned.at(kBar) == std::map<int32_t, int32_t>{{0, 11}}));
}

TEST_CASE("reconciliation: revocation comes first, and nothing is given before", "[group][reconciliation]") {
  Member member;
  member.target[kFoo] = {3, 4};
  const CurrentAssignment next = member.next();
  CHECK(next.state == MemberState::kUnrevokedPartitions);
  CHECK(next.member_epoch == 10);
  CHECK((next.assigned.at(kFoo) == std::map<int32_t, int32_t>{{3, 7}}));
  CHECK((next.pending_revocation.at(kFoo) == std::map<int32_t, int32_t>{{1, 7}, {2, 7}}));
}

TEST_CASE("reconciliation: what the member has let go of already needs no revocation", "[group][reconciliation]") {
  Member member;
  member.target[kFoo] = {3, 4};
  member.owned = {{.topic_id = kFoo, .partitions = {3}}};
  const CurrentAssignment next = member.next();
  CHECK(next.state == MemberState::kStable);
  CHECK(next.member_epoch == 11);
  CHECK((next.assigned.at(kFoo) == std::map<int32_t, int32_t>{{3, 7}, {4, 11}}));
}

TEST_CASE("reconciliation: a member that still owns what it is to revoke stays there", "[group][reconciliation]") {
  Member member;
  member.target[kFoo] = {3, 4};
  member.current = member.next();
  CHECK((member.next() == member.current));  // it says nothing
  member.owned = {{.topic_id = kFoo, .partitions = {2, 3}}};
  CHECK((member.next() == member.current));
  member.target_epoch = 12;  // nor does a newer target move it
  member.target[kFoo] = {1, 2, 3};
  CHECK((member.next() == member.current));
}

TEST_CASE("reconciliation: once it has let go it moves to the newest target", "[group][reconciliation]") {
  Member member;
  member.target[kFoo] = {3, 4};
  member.current = member.next();
  member.target_epoch = 12;
  member.target[kFoo] = {3, 5};
  member.owned = {{.topic_id = kFoo, .partitions = {3}}};
  const CurrentAssignment next = member.next();
  CHECK(next.state == MemberState::kStable);
  CHECK(next.member_epoch == 12);
  CHECK((next.assigned.at(kFoo) == std::map<int32_t, int32_t>{{3, 7}, {5, 12}}));
  CHECK(next.pending_revocation.empty());
}

TEST_CASE("reconciliation: a newer target may ask for more to be given up", "[group][reconciliation]") {
  Member member;
  member.target[kFoo] = {2, 3};
  member.current = member.next();
  member.target_epoch = 12;
  member.target[kFoo] = {3};
  member.owned = {{.topic_id = kFoo, .partitions = {2, 3}}};
  const CurrentAssignment next = member.next();
  CHECK(next.state == MemberState::kUnrevokedPartitions);
  CHECK(next.member_epoch == 10);
  CHECK((next.pending_revocation.at(kFoo) == std::map<int32_t, int32_t>{{2, 7}}));
}

TEST_CASE("reconciliation: what it gave up may come back to it in a newer target", "[group][reconciliation]") {
  Member member;
  member.target[kFoo] = {3};
  member.current = member.next();
  member.target_epoch = 12;
  member.target[kFoo] = {1, 3};
  member.owned = {{.topic_id = kFoo, .partitions = {3}}};
  const CurrentAssignment next = member.next();
  CHECK(next.state == MemberState::kStable);
  CHECK((next.assigned.at(kFoo) == std::map<int32_t, int32_t>{{1, 12}, {3, 7}}));
}

TEST_CASE("reconciliation: partitions that others hold are waited for", "[group][reconciliation]") {
  Member member;
  member.other_holds(kFoo, 4);
  member.target[kFoo] = {1, 2, 3, 4, 5};
  const CurrentAssignment next = member.next();
  CHECK(next.state == MemberState::kUnreleasedPartitions);
  CHECK(next.member_epoch == 11);
  CHECK((next.assigned.at(kFoo) == std::map<int32_t, int32_t>{{1, 7}, {2, 7}, {3, 7}, {5, 11}}));
  member.current = next;
  CHECK((member.next().assigned == next.assigned));
  CHECK(member.next().state == MemberState::kUnreleasedPartitions);
}

TEST_CASE("reconciliation: a member that waits is given what has become free", "[group][reconciliation]") {
  Member member;
  member.other_holds(kFoo, 4);
  member.target[kFoo] = {1, 2, 3, 4};
  member.current = member.next();
  member.holders = {};
  const CurrentAssignment next = member.next();
  CHECK(next.state == MemberState::kStable);
  CHECK(next.assigned.at(kFoo).at(4) == 11);
}

TEST_CASE("reconciliation: a topic that is no longer wanted is out, whatever the target", "[group][reconciliation]") {
  Member member;
  member.target[kFoo] = {1, 2, 3};
  member.target[kBar] = {0};
  member.subscribed = {kBar};
  const CurrentAssignment next = member.next();
  CHECK(next.state == MemberState::kUnrevokedPartitions);
  CHECK(next.assigned.empty());
  CHECK((next.pending_revocation == member.current.assigned));
}

TEST_CASE("reconciliation: while it revokes, a changed subscription adds to it", "[group][reconciliation]") {
  Member member;
  member.current.assigned[kBar] = {{0, 8}};
  member.target[kFoo] = {2, 3};
  member.target[kBar] = {0};
  member.current = member.next();
  REQUIRE(member.current.state == MemberState::kUnrevokedPartitions);
  member.subscribed = {kFoo};
  CHECK((member.next() == member.current));
  member.subscription_changed = true;
  const CurrentAssignment next = member.next();
  CHECK(next.state == MemberState::kUnrevokedPartitions);
  CHECK_FALSE(next.assigned.contains(kBar));
  CHECK(next.pending_revocation.at(kBar).at(0) == 8);
  CHECK(next.pending_revocation.at(kFoo).at(1) == 7);
}

TEST_CASE("reconciliation: a changed subscription shrinks a member that is up to date", "[group][reconciliation]") {
  Member member;
  member.target_epoch = 10;
  member.subscribed = {kBar};
  member.subscription_changed = true;
  CHECK(member.next().state == MemberState::kUnrevokedPartitions);
  member.owned.emplace();
  const CurrentAssignment next = member.next();
  CHECK(next.state == MemberState::kStable);
  CHECK(next.assigned.empty());
  CHECK(next.pending_revocation.empty());
}

TEST_CASE("reconciliation: from an unknown state a member with nothing begins anew", "[group][reconciliation]") {
  Member member;
  member.current.state = MemberState::kUnknown;
  member.target[kFoo] = {1, 4};
  member.owned.emplace();
  const CurrentAssignment next = member.next();
  CHECK(next.state == MemberState::kStable);
  CHECK(next.member_epoch == 11);
  CHECK((next.assigned.at(kFoo) == std::map<int32_t, int32_t>{{1, 7}, {4, 11}}));
}

TEST_CASE("reconciliation: holders are counted: one of two leaves the partition held", "[group][reconciliation]") {
  PartitionHolders holders;
  CurrentAssignment one;
  one.assigned[kFoo] = {{0, 1}};
  CurrentAssignment two;
  two.pending_revocation[kFoo] = {{0, 2}};
  CHECK_FALSE(holders.is_held(kFoo, 0));
  holders.add(one);
  holders.add(two);
  holders.remove(one);
  CHECK(holders.is_held(kFoo, 0));
  CHECK_FALSE(holders.is_held(kFoo, 1));
  holders.remove(two);
  CHECK_FALSE(holders.is_held(kFoo, 0));
}

}  // namespace
}  // namespace leat
