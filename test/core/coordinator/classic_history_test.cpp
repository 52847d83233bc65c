// classic_history_test.cpp: random histories of a classic group: clients that join, ask again, go silent, leave,
// restart, and a broker that crashes. After every event the group must be able to go on: whatever it waits for has a
// deadline. A failure prints its seed.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "test/core/coordinator/classic_fixture.h"
#include "test/support/catch.h"

namespace leat {
namespace {

struct HistoryClient {
  std::optional<std::string> instance_id;
  JoinGroupReply joined;  // member id and generation as far as it knows
  std::optional<Ticket> join;
  std::optional<Ticket> sync;
  int version_of_metadata = 0;
};

class History {
 public:
  explicit History(uint64_t seed) : random_(seed) {
    f_.driver.rules.initial_rebalance_delay_ms = random_.one_in(2) ? 0 : 3'000;
    f_.driver.rules.max_size = random_.one_in(3) ? 5 : 100;
    clients_.resize(8);
    clients_[0].instance_id = "static-0";
    clients_[1].instance_id = "static-1";
    clients_[2].instance_id = "static-1";  // two processes of one instance: one of them is fenced again and again
  }

  void take_step() {
    HistoryClient& client = clients_[random_.below(clients_.size())];
    hear(client);
    act(client);
    f_.driver.advance(static_cast<int64_t>(random_.below(random_.one_in(50) ? 20'000 : 1'000)));
    if (random_.one_in(400)) crash();
  }

  // What is wrong with the group, in words.
  std::string fault() const {
    const ClassicGroup& group = f_.driver.group();
    const bool has_leader = group.leader() && group.members().contains(*group.leader());
    if (has_leader == group.members().empty()) return "leader";
    if (group.is_empty() && !group.members().empty()) return "members of an Empty group";
    for (const auto& [id, member] : group.members()) {
      if (!is_set(DeadlineKind::kSession, id) && !member.is_excused_from_heartbeats()) return "no session: " + id;
      if (member.sync && group.state() != ClassicState::kCompletingRebalance) return "parked sync: " + id;
      if (member.join && group.state() != ClassicState::kPreparingRebalance) return "parked join: " + id;
    }
    const bool has_timeout = is_set(DeadlineKind::kRebalance, "") || is_set(DeadlineKind::kInitialDelay, "");
    if (group.state() == ClassicState::kPreparingRebalance && !has_timeout) return "join phase without end";
    if (group.state() == ClassicState::kCompletingRebalance && !has_timeout) return "sync phase without end";
    if (group.state() == ClassicState::kStable) return stable_fault(group);
    return "";
  }

  void fall_silent() {
    f_.driver.advance(1'000'000);
    CHECK(f_.state() == "Empty");
    CHECK(f_.driver.open_count() == 0);
    CHECK(f_.driver.deadlines.size() == 0);
    check_replay();
  }
  void check_replay() { f_.check_replay(); }

 private:
  bool is_set(DeadlineKind kind, std::string id) const {
    return f_.driver.deadlines.is_set({"g", kind, std::move(id)});
  }

  // A stable group is what its record says.
  static std::string stable_fault(const ClassicGroup& group) {
    const auto& recorded = group.recorded();
    if (!recorded || recorded->generation != group.generation()) return "generation is not recorded";
    if (recorded->members.size() != group.members().size()) return "members are not recorded";
    for (const auto& recorded_member : recorded->members) {
      const auto place = group.members().find(recorded_member.member_id);
      if (place == group.members().end()) return "recorded alone: " + recorded_member.member_id;
      if (place->second.assignment != recorded_member.assignment) return "assignment: " + recorded_member.member_id;
    }
    return "";
  }

  void hear(HistoryClient& client) {
    if (client.join && f_.driver.is_answered(*client.join)) {
      const JoinGroupReply reply = f_.joined(*client.join);
      client.join.reset();
      if (reply.error == GroupErrc::kNone || reply.error == GroupErrc::kMemberIdRequired) client.joined = reply;
      if (reply.error == GroupErrc::kUnknownMemberId || reply.error == GroupErrc::kFencedInstanceId) client.joined = {};
    }
    if (client.sync && f_.driver.is_answered(*client.sync)) {
      f_.synced(*client.sync);
      client.sync.reset();
    }
  }

  void act(HistoryClient& client) {
    switch (random_.below(12)) {
      case 0:
      case 1:
      case 2:
        if (!client.join || random_.one_in(6)) join(client);
        return;
      case 3:
      case 4:
      case 5:
      case 6:
        if (!client.sync || random_.one_in(6)) client.sync = f_.sync(assigning(client.joined));
        return;
      case 7:
      case 8:
      case 9:
        heartbeat(client);
        return;
      case 10:
        if (random_.one_in(10)) f_.leave(leaving_instance(client.instance_id.value_or("none"), ""));
        if (random_.one_in(10)) f_.leave(leaving({client.joined.member_id}));
        return;
      default:
        if (random_.one_in(4)) client.joined = {};  // it was restarted
        if (random_.one_in(4)) ++client.version_of_metadata;
    }
  }
  void join(HistoryClient& client) {
    JoinGroup request = joining(client.joined.member_id);
    request.instance_id = client.instance_id;
    request.protocols = {{"range", bytes(std::to_string(client.version_of_metadata))}, {"sticky", bytes("s")}};
    if (random_.one_in(5)) std::swap(request.protocols[0], request.protocols[1]);
    request.member_id_round = random_.one_in(2);
    request.may_skip_assignment = random_.one_in(2);
    client.join = f_.join(request);
  }
  void heartbeat(HistoryClient& client) {
    GroupHeartbeat request = beating(client.joined);
    request.instance_id = client.instance_id;
    const GroupErrc error = f_.heartbeat(request);
    if (error == GroupErrc::kUnknownMemberId || error == GroupErrc::kFencedInstanceId) client.joined = {};
    if (error == GroupErrc::kRebalanceInProgress && !client.join) join(client);
  }

  void crash() {
    f_.check_replay();
    f_.driver.crash();
    for (HistoryClient& client : clients_) {
      if (client.join && !f_.driver.is_answered(*client.join)) client.join.reset();
      if (client.sync && !f_.driver.is_answered(*client.sync)) client.sync.reset();
    }
  }

  ClassicFixture f_;
  SeededRandom random_;
  std::vector<HistoryClient> clients_;
};

TEST_CASE("classic group: random histories never leave it waiting for nothing", "[group][classic][history]") {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    History history(seed);
    for (int i = 0; i < 1'500; ++i) {
      INFO("step " << i);
      history.take_step();
      const std::string fault = history.fault();
      REQUIRE(fault.empty());
    }
    history.check_replay();
    history.fall_silent();
  }
}

}  // namespace
}  // namespace leat
