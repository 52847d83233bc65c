// group_fixture.h: drives one group (ClassicGroup, ConsumerGroup) as the group machine would: gives it randomness from
// a seed, deadlines, rules, topics and a time that moves when told; applies what it writes; keeps replies by ticket.
// The test fails when a ticket is answered twice, or one that was never given.
//   GroupDriver<ClassicGroup> driver;
//   const Ticket ticket = driver.ask(&ClassicGroup::join, request);
//   driver.advance(3'000);
//   const auto reply = driver.take<JoinGroupReply>(ticket);
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/random.h"
#include "core/coordinator/group/deadlines.h"
#include "core/coordinator/group/group_step.h"
#include "test/support/catch.h"

namespace leat {

class MapTopicCatalog final : public TopicCatalog {
 public:
  CatalogTopic add(std::string name, int32_t partition_count) {  // or changes its partition count
    CatalogTopic& topic = topics_[name];
    if (topic.name.empty()) topic = {.id = Uuid::make(random_), .name = name};
    topic.partition_count = partition_count;
    return topic;
  }
  void remove(std::string_view name) {
    const auto place = topics_.find(name);
    if (place != topics_.end()) topics_.erase(place);
  }

  std::optional<CatalogTopic> find(std::string_view name) const override {
    const auto place = topics_.find(name);
    return place == topics_.end() ? std::nullopt : std::optional(place->second);
  }
  std::optional<CatalogTopic> find(const Uuid& id) const override {
    for (const auto& [name, topic] : topics_) {
      if (topic.id == id) return topic;
    }
    return std::nullopt;
  }
  void for_each(const std::function<void(const CatalogTopic&)>& visit) const override {
    for (const auto& [name, topic] : topics_) visit(topic);
  }

 private:
  SeededRandom random_{0x70};
  std::map<std::string, CatalogTopic, std::less<>> topics_;
};

// Gives the group those records that it has an apply() for: one for the record, or one for its value.
template <class Group>
void apply_record(Group& group, const GroupRecord& record) {
  const auto apply = [&group](const auto& typed) {
    if constexpr (requires { group.apply(typed); }) {
      group.apply(typed);
    } else if constexpr (requires { group.apply(*typed.value); }) {
      if (typed.value) group.apply(*typed.value);
    }
  };
  std::visit(apply, record);
}

template <class Group>
class GroupDriver final : private GroupRecordSink {
 public:
  GroupRules rules;
  MapTopicCatalog catalog;
  Deadlines deadlines;
  int64_t now_ms = 50'000;
  int64_t wall_ms = 1'700'000'000'000;
  std::vector<GroupRecord> records;  // all that were written, in order

  explicit GroupDriver(std::string group_id = "g", uint64_t seed = 1)
      : random_(seed), group_(std::make_unique<Group>(group_id)), group_id_(std::move(group_id)) {}
  GroupDriver(const GroupDriver&) = delete;
  GroupDriver& operator=(const GroupDriver&) = delete;

  Group& group() noexcept { return *group_; }
  const Group& group() const noexcept { return *group_; }
  Random& random() noexcept { return random_; }

  // One step; `call` is given the GroupStep. Returns what it returns.
  template <class Call>
  auto step(Call&& call) {
    const GroupMoment moment{.now_ms = now_ms, .wall_ms = wall_ms, .rules = rules, .catalog = catalog};
    GroupStep step(moment, random_, deadlines, *this);
    if constexpr (std::is_void_v<decltype(call(step))>) {
      call(step);
      collect(step.take_output());
    } else {
      auto result = call(step);
      collect(step.take_output());
      return result;
    }
  }

  // A request: driver.ask(&ClassicGroup::join, JoinGroup{…}). Its ticket; the answer may be there already.
  template <class Request>
  Ticket ask(void (Group::*method)(GroupStep&, Ticket, const Request&), const Request& request) {
    const Ticket ticket = ++last_ticket_;
    open_.insert(ticket);
    step([&](GroupStep& step) { ((*group_).*method)(step, ticket, request); });
    return ticket;
  }
  // A request that is answered at once.
  template <class Reply, class Request>
  Reply answer(void (Group::*method)(GroupStep&, Ticket, const Request&), const Request& request) {
    return take<Reply>(ask(method, request));
  }

  bool is_answered(Ticket ticket) const { return replies_.contains(ticket); }
  template <class Reply>
  Reply take(Ticket ticket) {
    INFO("ticket " << ticket);
    const auto place = replies_.find(ticket);
    REQUIRE(place != replies_.end());
    REQUIRE(std::holds_alternative<Reply>(place->second));
    Reply reply = std::get<Reply>(std::move(place->second));
    replies_.erase(place);
    return reply;
  }
  size_t open_count() const noexcept { return open_.size(); }  // tickets that are not answered yet

  // Time passes; each deadline is due at its own time, in one step each.
  void advance(int64_t by_ms) {
    const int64_t until_ms = now_ms + by_ms;
    while (const std::optional<int64_t> next_ms = deadlines.next_ms()) {
      if (*next_ms > until_ms) break;
      if (*next_ms > now_ms) move_to(*next_ms);
      fire_due();
    }
    move_to(until_ms);
  }

  // What the log holds, read by a new group.
  std::unique_ptr<Group> replayed() const {
    auto group = std::make_unique<Group>(group_id_);
    for (const GroupRecord& record : records) apply_record(*group, record);
    return group;
  }
  // The broker dies and reads its log; whoever waited is not answered any more.
  void crash() {
    open_.clear();
    deadlines = Deadlines();
    group_ = replayed();
    step([&](GroupStep& step) { group_->loaded(step); });
  }

 private:
  void apply(const GroupRecord& record) override { apply_record(*group_, record); }
  void collect(GroupOutput output) {
    for (GroupRecord& record : output.records) records.push_back(std::move(record));
    for (auto& [ticket, reply] : output.replies) {
      INFO("ticket " << ticket);
      REQUIRE(open_.erase(ticket) == 1);
      replies_.emplace(ticket, std::move(reply));
    }
  }
  void move_to(int64_t then_ms) {
    wall_ms += then_ms - now_ms;
    now_ms = then_ms;
  }
  void fire_due() {
    while (const std::optional<DeadlineKey> key = deadlines.take_due(now_ms)) {
      REQUIRE(key->group_id == group_id_);
      step([&](GroupStep& step) { group_->on_deadline(step, *key); });
    }
  }

  SeededRandom random_;
  std::unique_ptr<Group> group_;
  const std::string group_id_;
  Ticket last_ticket_ = 0;
  std::set<Ticket> open_;
  std::map<Ticket, GroupReply> replies_;
};

}  // namespace leat
