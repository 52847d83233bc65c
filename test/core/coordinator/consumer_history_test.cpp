// consumer_history_test.cpp: random histories of a consumer group: clients of both protocols that join, subscribe anew,
// miss answers, cling to partitions, restart, leave and die; topics that come, go and grow; a broker that crashes.
// After every event no partition is held twice, what clients work on is held for them, and nobody is waited for without
// a deadline. When clients behave again the group settles. A failure prints its seed.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "test/core/coordinator/consumer_fixture.h"
#include "test/support/catch.h"

namespace leat {
namespace {

struct ConsumerActor {
  ConsumerClient client;
  PartitionSet assigned = {};       // as it was told last
  bool must_say_everything = true;  // an answer was lost
  bool clings = false;              // gives nothing up
};

struct ClassicActor {
  ClassicClient client;
  bool has_joined = false;
  bool must_sync = false;
};

class History {
 public:
  explicit History(uint64_t seed) : random_(seed) {
    f_.driver.rules.consumer_session_timeout_ms = 10'000;
    for (int i = 0; i < 5; ++i) {
      ConsumerActor& actor = consumers_.emplace_back(ConsumerActor{.client = {.member_id = "", .topics = {"foo"}}});
      actor.client.member_id = new_id();
      if (i < 2) actor.client.instance_id = "instance-" + std::to_string(i);
    }
    const size_t classic_count = random_.below(4);
    for (size_t i = 0; i < classic_count; ++i) {
      ClassicActor& actor = classics_.emplace_back(ClassicActor{.client = {.topics = {"foo"}}});
      actor.client.is_eager = is_eager_;
      if (i == 0) actor.client.instance_id = "instance-c";
    }
  }

  void take_step() {
    const size_t pick = random_.below(consumers_.size() + classics_.size());
    if (pick < consumers_.size()) {
      act(consumers_[pick]);
    } else {
      act(classics_[pick - consumers_.size()]);
    }
    f_.driver.advance(static_cast<int64_t>(random_.below(random_.one_in(60) ? 12'000 : 600)));
    if (random_.one_in(40)) change_topics();
    if (random_.one_in(100)) crash();
  }

  // What is wrong, in words.
  std::string fault() const {
    PartitionSet held;
    PartitionSet targets;
    for (const auto& [id, member] : f_.group().members()) {
      for (const auto& partition : held_by(member.current)) {
        if (!held.insert(partition).second) return "held twice, also by " + id;
      }
      for (const auto& partition : flat(to_topic_partitions(f_.group().target_of(id)))) {
        if (!targets.insert(partition).second) return "twice in the target, also for " + id;
      }
      if (std::string wrong = member_fault(member); !wrong.empty()) return wrong + ": " + id;
    }
    if (f_.group().target_epoch() > f_.group().epoch()) return "target ahead of the group";
    return client_fault();
  }

  void settle() {
    for (ConsumerActor& actor : consumers_) actor.clings = false;
    for (int round = 0; round < 60; ++round) {
      for (ConsumerActor& actor : consumers_) beat(actor);
      for (ClassicActor& actor : classics_) follow(actor);
      f_.driver.advance(500);
    }
    CHECK(f_.state() == "Stable");
    CHECK(f_.group().members().size() == consumers_.size() + classics_.size());
    PartitionSet owned;
    for (const ConsumerActor& actor : consumers_) owned.merge(PartitionSet(actor.client.owned));
    for (const ClassicActor& actor : classics_) owned.merge(PartitionSet(actor.client.owned));
    CHECK((owned == wanted()));
    CHECK(fault() == "");
    f_.check_replay();
  }

  void fall_silent() {
    f_.driver.advance(1'000'000);
    CHECK(f_.state() == "Empty");
    CHECK(f_.driver.deadlines.size() == 0);
    f_.check_replay();
  }

 private:
  std::string new_id() { return "m" + std::to_string(++last_id_); }

  std::string member_fault(const ConsumerMember& member) const {
    const bool is_away = member.epoch() == kStaticLeaveEpoch;
    if (!f_.driver.deadlines.is_set({"g", DeadlineKind::kSession, member.id})) return "no session";
    const bool is_timed = !is_away && !member.is_classic();
    const bool is_revoking = member.current.state == MemberState::kUnrevokedPartitions;
    const bool has_timeout = f_.driver.deadlines.is_set({"g", DeadlineKind::kRebalance, member.id});
    if (is_timed && is_revoking && !has_timeout) return "no timeout";
    if (member.epoch() > f_.group().target_epoch()) return "ahead of the target";
    for (const auto& [topic, epochs] : member.current.assigned) {
      if (epochs.empty()) return "empty topic";
      for (const auto& [partition, epoch] : epochs) {
        if (!is_away && epoch > member.epoch()) return "a partition from the future";
      }
    }
    return "";
  }

  // What a client works on is held for it, as long as the group knows it.
  std::string client_fault() const {
    for (const ConsumerActor& actor : consumers_) {
      if (actor.client.epoch > 0 && !is_held(actor.client.member_id, actor.client.owned)) {
        return "not held: " + actor.client.member_id;
      }
    }
    for (const ClassicActor& actor : classics_) {
      if (actor.has_joined && !is_held(actor.client.member_id, actor.client.owned)) {
        return "not held: " + actor.client.member_id;
      }
    }
    return "";
  }
  bool is_held(const std::string& member_id, const PartitionSet& owned) const {
    const ConsumerMember* member = f_.group().member(member_id);
    if (member == nullptr) return true;  // lost; it will be told
    const PartitionSet held = held_by(member->current);
    return std::includes(held.begin(), held.end(), owned.begin(), owned.end());
  }

  PartitionSet wanted() const {
    PartitionSet partitions;
    f_.driver.catalog.for_each([&](const CatalogTopic& topic) {
      if (!f_.group().is_subscribed_to(topic.name)) return;
      for (int32_t i = 0; i < topic.partition_count; ++i) partitions.emplace(topic.id, i);
    });
    return partitions;
  }

  // --- clients of the consumer protocol

  void act(ConsumerActor& actor) {
    switch (random_.below(24)) {
      case 0:
        return leave(actor, kLeaveEpoch);
      case 1:
        return leave(actor, actor.client.instance_id ? kStaticLeaveEpoch : kLeaveEpoch);
      case 2:
        return restart(actor);
      case 3:
        return subscribe(actor);
      case 4:
        actor.clings = !actor.clings;
        break;
      case 5:
        f_.send(actor.client.full());  // and the answer is lost
        actor.must_say_everything = true;
        return;
      default:
        break;
    }
    beat(actor);
  }
  void restart(ConsumerActor& actor) {  // without a word
    actor.client.member_id = new_id();
    actor.client.epoch = 0;
    actor.client.owned.clear();
    actor.must_say_everything = true;
  }
  void leave(ConsumerActor& actor, int32_t epoch) {
    f_.send(actor.client.bare(epoch));
    restart(actor);
  }
  void subscribe(ConsumerActor& actor) {
    static const std::vector<std::vector<std::string>> choices = {{"foo"}, {"bar"}, {"foo", "bar"}, {}, {"new"}};
    static const std::vector<std::optional<std::string>> patterns = {"", "", "b.*", "n.*|foo"};
    static const std::vector<std::optional<std::string>> assignors = {std::nullopt, "range", "uniform"};
    actor.client.topics = choices[random_.below(choices.size())];
    actor.client.regex = patterns[random_.below(patterns.size())];
    actor.client.assignor = assignors[random_.below(assignors.size())];
    actor.must_say_everything = true;
    beat(actor);
  }
  void beat(ConsumerActor& actor) {
    const bool says_everything = actor.client.epoch == 0 || actor.must_say_everything;
    if (!actor.clings && actor.client.epoch > 0) actor.client.owned = actor.assigned;
    const PartitionSet before = actor.client.owned;
    const ConsumerHeartbeatReply reply = f_.send(says_everything ? actor.client.full() : actor.client.brief());
    actor.client.hear(reply);
    actor.must_say_everything = actor.client.epoch == 0;
    if (reply.assignment || actor.client.epoch == 0) actor.assigned = actor.client.owned;
    if (actor.clings && actor.client.epoch > 0) actor.client.owned.insert(before.begin(), before.end());
  }

  // --- classic clients

  void act(ClassicActor& actor) {
    switch (random_.below(24)) {
      case 0: {
        LeaveGroup event;
        event.group_id = "g";
        event.members = {{.member_id = actor.client.member_id, .instance_id = actor.client.instance_id}};
        f_.driver.answer<LeaveGroupReply>(&ConsumerGroup::classic_leave, event);
        return begin_anew(actor, "");
      }
      case 1:
        return begin_anew(actor, "");  // restarts without a word
      default:
        return follow(actor);
    }
  }
  void begin_anew(ClassicActor& actor, std::string member_id) {
    actor.client.member_id = std::move(member_id);
    actor.client.generation = -1;
    actor.client.owned.clear();
    actor.has_joined = false;
    actor.must_sync = false;
  }
  void follow(ClassicActor& actor) {
    if (!actor.has_joined) return join(actor);
    if (actor.must_sync) return sync(actor);
    const auto reply = f_.driver.answer<GroupHeartbeatReply>(&ConsumerGroup::classic_heartbeat, actor.client.beating());
    if (reply.error == GroupErrc::kRebalanceInProgress) return join(actor);
    if (reply.error != GroupErrc::kNone) begin_anew(actor, id_after(actor, reply.error));
  }
  static std::string id_after(const ClassicActor& actor, GroupErrc error) {
    return error == GroupErrc::kIllegalGeneration ? actor.client.member_id : "";
  }
  void join(ClassicActor& actor) {
    const JoinGroup event = actor.client.joining(f_.driver.catalog);
    const auto reply = f_.driver.answer<JoinGroupReply>(&ConsumerGroup::classic_join, event);
    if (reply.error != GroupErrc::kNone) return begin_anew(actor, "");
    actor.client.member_id = reply.member_id;
    actor.client.generation = reply.generation;
    actor.has_joined = true;
    actor.must_sync = true;
  }
  void sync(ClassicActor& actor) {
    const auto reply = f_.driver.answer<SyncGroupReply>(&ConsumerGroup::classic_sync, actor.client.syncing());
    if (reply.error == GroupErrc::kRebalanceInProgress) return join(actor);
    if (reply.error != GroupErrc::kNone) return begin_anew(actor, id_after(actor, reply.error));
    actor.client.hear_sync(reply, f_.driver.catalog);
    actor.must_sync = false;
  }

  // --- the world

  void change_topics() {
    switch (random_.below(4)) {
      case 0:
        f_.driver.catalog.add("new", static_cast<int32_t>(1 + random_.below(4)));
        break;
      case 1:
        f_.driver.catalog.remove("new");
        break;
      case 2:
        f_.driver.catalog.remove("bar");
        break;
      default:
        f_.driver.catalog.add("bar", static_cast<int32_t>(1 + random_.below(5)));
        break;
    }
    f_.topics_changed();
  }
  void crash() {
    const std::vector<GroupRecord> before = f_.group().snapshot();
    f_.driver.crash();
    CHECK((f_.group().snapshot() == before));
  }

  SeededRandom random_;
  int last_id_ = 0;
  const bool is_eager_ = random_.one_in(2);
  ConsumerFixture f_;
  std::vector<ConsumerActor> consumers_;
  std::vector<ClassicActor> classics_;
};

TEST_CASE("consumer group: random histories keep one holder for each partition, and settle", "[group][consumer]") {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    History history(seed);
    for (int step = 0; step < 300; ++step) {
      history.take_step();
      const std::string fault = history.fault();
      INFO("seed " << seed << ", step " << step);
      REQUIRE(fault == "");
    }
    INFO("seed " << seed);
    history.settle();
    history.fall_silent();
  }
}

}  // namespace
}  // namespace leat
