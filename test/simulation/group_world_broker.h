// group_world_broker.h: a simulated broker around one GroupMachine: requests that travel, a log whose records are
// pending before they are durable, replies that wait for it, crashes that take with them what is not durable (and
// sometimes a little less), and starts that replay the log, compacted or not.
// Held here after every step: each ticket is answered at most once, with the right kind of reply; only joins and syncs
// are answered in a later step than they came; nothing that is due stays due.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/coordinator/group/group_machine.h"
#include "test/simulation/group_world_counts.h"
#include "test/simulation/group_world_ledger.h"
#include "test/simulation/group_world_timeline.h"
#include "test/simulation/group_world_topics.h"

namespace leat {

class GroupRequester {
 public:
  virtual ~GroupRequester() = default;
  // At the broker's door: false takes the request back, as if it had been lost on its way.
  virtual bool still_wanted(Ticket, const GroupEvent&) { return true; }
  virtual void on_produced(Ticket, const GroupReply&) {}  // made, but not durable yet: it may never arrive
  virtual void on_answered(Ticket, const GroupReply&) = 0;
  virtual void on_lost(Ticket) = 0;  // the connection broke; nobody knows whether the request was handled
};

class GroupStepObserver {
 public:
  virtual ~GroupStepObserver() = default;
  // `event` is nullptr in what loading gives. Before the ledger takes the records, and after.
  virtual void before_records(const GroupEvent* event, const std::vector<GroupRecord>& records) = 0;
  virtual void on_step(const GroupRequester* from, const GroupEvent* event, Ticket ticket,
                       const GroupOutput& output) = 0;
  virtual void on_crash() = 0;
  virtual void on_start() = 0;
};

class GroupBroker {
 public:
  struct Parts {
    GroupTimeline& timeline;
    Random& random;
    const SimTopics& topics;
    const GroupRules& rules;
    GroupCounts& counts;
    GroupStepObserver& observer;
  };
  GroupBroker(const Parts& parts, uint64_t seed);
  ~GroupBroker();

  void start();
  Ticket send(GroupRequester& from, GroupEvent event);
  void topic_gone(const CatalogTopic& topic);
  void topics_changed();
  void crash();
  void step_wall_clock(int64_t by_ms) noexcept { wall_offset_ms_ += by_ms; }
  void calm() noexcept { is_calm_ = true; }  // nothing is lost or slow any more

  bool is_up() const noexcept { return machine_ != nullptr; }
  int64_t wall_ms() const noexcept { return parts_.timeline.now_ms() + wall_offset_ms_; }
  const GroupLedger& ledger() const noexcept { return ledger_; }
  size_t open_requests() const noexcept { return requests_.size(); }
  // The live machine's snapshot is that of its records replayed, that of itself replayed, and what the ledger says.
  void check_snapshot() const;

 private:
  struct Request {
    Ticket ticket;
    GroupRequester* from;  // nullptr: the broker itself, or nobody any more
    GroupEvent event;
    uint64_t topics_version = 0;  // when it was sent
    bool is_handled = false;
    bool is_answered = false;
    bool loses_reply = false;
  };
  struct Ready {
    size_t position;  // durable when so many batches are
    Ticket ticket;
    GroupReply reply;
  };
  struct Gone {
    TopicGone event;
    std::optional<size_t> position;  // absent: the machine has not heard of it, or forgot
  };

  void arrive(Ticket ticket);
  void lose(Ticket ticket);
  bool look_up_topics(Request& request) const;
  void step_of_its_own(GroupEvent event);
  void handle(Ticket ticket);
  void abandon(Request& request);
  void take(Ticket ticket, GroupOutput output);
  void answer(Ticket ticket, GroupReply reply);
  void begin_sync();
  void deliver();
  void arm_timer();
  void on_timer();
  void compact_log();
  void tell_of_gone_topics();
  void replay_into(GroupMachine& machine) const;
  int64_t monotonic_ms() const noexcept { return parts_.timeline.now_ms() - monotonic_base_ms_; }
  GroupMoment moment() const;
  int64_t travel_ms();

  const Parts parts_;
  SeededRandom machine_random_;
  bool is_calm_ = false;
  int64_t wall_offset_ms_ = 1'700'000'000'000;
  int64_t monotonic_base_ms_ = 0;  // another for each process

  std::map<Ticket, Request> requests_;
  std::map<const GroupRequester*, int64_t> last_arrival_ms_;  // a connection keeps its order
  Ticket next_ticket_ = 1;

  std::unique_ptr<GroupMachine> machine_;
  uint64_t life_ = 0;
  std::vector<std::vector<GroupRecord>> log_;  // batches
  size_t durable_ = 0;                         // of them
  bool is_syncing_ = false;
  std::deque<Ready> ready_;
  std::vector<Gone> gone_;
  std::optional<int64_t> timer_at_ms_;
  GroupLedger ledger_;
};

}  // namespace leat
