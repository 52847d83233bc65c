// group_world_broker.cpp: requests, the log, crashes and starts.
#include "test/simulation/group_world_broker.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "test/simulation/group_world_expect.h"

namespace leat {

namespace {

// Events that the broker gives itself stand behind all that clients ask.
constexpr size_t kAskedByClients = std::variant_size_v<GroupReply> - 1;

size_t reply_index_of(const GroupEvent& event) { return event.index() < kAskedByClients ? event.index() + 1 : 0; }

bool may_wait(const GroupEvent& event) {
  return std::holds_alternative<JoinGroup>(event) || std::holds_alternative<SyncGroup>(event);
}

}  // namespace

GroupBroker::GroupBroker(const Parts& parts, uint64_t seed) : parts_(parts), machine_random_(seed) {}

GroupBroker::~GroupBroker() = default;

GroupMoment GroupBroker::moment() const {
  return {.now_ms = monotonic_ms(), .wall_ms = wall_ms(), .rules = parts_.rules, .catalog = parts_.topics};
}

int64_t GroupBroker::travel_ms() {
  const bool is_slow = !is_calm_ && parts_.random.one_in(30);
  return 1 + random_below(parts_.random, int64_t{is_slow ? 400 : 8});
}

Ticket GroupBroker::send(GroupRequester& from, GroupEvent event) {
  const Ticket ticket = next_ticket_++;
  const bool is_lost_on_its_way = !is_calm_ && parts_.random.one_in(200);
  const bool loses_reply = !is_calm_ && parts_.random.one_in(may_wait(event) ? 40 : 200);
  requests_.emplace(ticket, Request{.ticket = ticket,
                                    .from = &from,
                                    .event = std::move(event),
                                    .topics_version = parts_.topics.version(),
                                    .loses_reply = loses_reply});
  int64_t& last_ms = last_arrival_ms_[&from];
  last_ms = std::max(last_ms, parts_.timeline.now_ms() + travel_ms());
  parts_.timeline.after(last_ms - parts_.timeline.now_ms(), [this, ticket, is_lost_on_its_way] {
    if (is_lost_on_its_way)
      lose(ticket);
    else
      arrive(ticket);
  });
  return ticket;
}

void GroupBroker::lose(Ticket ticket) {
  const auto place = requests_.find(ticket);
  GroupRequester* const from = place->second.from;
  requests_.erase(place);
  if (from == nullptr) return;
  parts_.counts.add(GroupHappening::kReplyLost);
  parts_.timeline.after(5 + random_below(parts_.random, int64_t{500}), [from, ticket] { from->on_lost(ticket); });
}

// As the server does before it asks the machine: topics that are not there are refused without it. A name alone does
// not say which topic was meant when one was made again meanwhile: such a commit is taken back, for nobody could tell
// whether it is right.
bool GroupBroker::look_up_topics(Request& request) const {
  CommitOffsets* const commit = std::get_if<CommitOffsets>(&request.event);
  if (commit == nullptr) return true;
  const bool names_are_good = request.topics_version == parts_.topics.version();
  std::erase_if(commit->offsets, [&](const OffsetToCommit& offset) {
    const std::optional<CatalogTopic> topic = parts_.topics.find(offset.topic);
    return !topic || (offset.topic_id.is_zero() ? !names_are_good : topic->id != offset.topic_id);
  });
  return !commit->offsets.empty();
}

void GroupBroker::arrive(Ticket ticket) {
  Request& request = requests_.at(ticket);
  if (!is_up() || !request.from->still_wanted(ticket, request.event) || !look_up_topics(request))
    lose(ticket);
  else
    handle(ticket);
}

void GroupBroker::step_of_its_own(GroupEvent event) {
  const Ticket ticket = next_ticket_++;
  requests_.emplace(ticket, Request{.ticket = ticket, .from = nullptr, .event = std::move(event)});
  handle(ticket);
}

void GroupBroker::handle(Ticket ticket) {
  Request& request = requests_.at(ticket);
  request.is_handled = true;
  take(ticket, machine_->handle(ticket, request.event, moment()));
  const auto parked = requests_.find(ticket);
  if (parked != requests_.end() && !parked->second.is_answered && parked->second.loses_reply) abandon(parked->second);
  arm_timer();
}

// Its client gives up while it is parked, and asks again; the machine's answer goes to nobody.
void GroupBroker::abandon(Request& request) {
  const Ticket ticket = request.ticket;
  GroupRequester* const from = std::exchange(request.from, nullptr);
  parts_.counts.add(GroupHappening::kReplyLost);
  parts_.timeline.after(random_below(parts_.random, int64_t{1000}), [from, ticket] { from->on_lost(ticket); });
}

// Ticket 0: what loading gave.
void GroupBroker::take(Ticket ticket, GroupOutput output) {
  const auto request = requests_.find(ticket);
  const GroupEvent* const event = request == requests_.end() ? nullptr : &request->second.event;
  const GroupRequester* const from = request == requests_.end() ? nullptr : request->second.from;
  parts_.observer.before_records(event, output.records);
  for (const GroupRecord& record : output.records) ledger_.apply(record);
  std::set<std::string> touched;
  for (const GroupRecord& record : output.records) touched.emplace(group_id_of(record));
  for (const std::string& group_id : touched) ledger_.check(group_id);
  if (!output.records.empty()) log_.push_back(output.records);
  parts_.observer.on_step(from, event, ticket, output);
  for (auto& [answered, reply] : output.replies) answer(answered, std::move(reply));
  if (event != nullptr && !may_wait(*event))
    expect(request->second.is_answered, [&] { return fmt::format("event {} was not answered", event->index()); });
  begin_sync();
  deliver();
}

void GroupBroker::answer(Ticket ticket, GroupReply reply) {
  const auto found = requests_.find(ticket);
  expect(found != requests_.end(), [&] { return fmt::format("ticket {} answered again, or never given", ticket); });
  Request& request = found->second;
  expect(request.is_handled && !request.is_answered, [&] { return fmt::format("ticket {} answered twice", ticket); });
  expect(reply.index() == reply_index_of(request.event),
         [&] { return fmt::format("event {} was answered with reply {}", request.event.index(), reply.index()); });
  request.is_answered = true;
  if (request.from != nullptr) request.from->on_produced(ticket, reply);
  ready_.push_back({.position = log_.size(), .ticket = ticket, .reply = std::move(reply)});
}

void GroupBroker::begin_sync() {
  if (is_syncing_ || durable_ == log_.size()) return;
  is_syncing_ = true;
  const bool is_slow = !is_calm_ && parts_.random.one_in(25);
  const int64_t lasts_ms = 1 + random_below(parts_.random, int64_t{is_slow ? 600 : 12});
  parts_.timeline.after(lasts_ms, [this, life = life_, covered = log_.size()] {
    if (life != life_) return;
    is_syncing_ = false;
    durable_ = covered;
    std::erase_if(gone_, [this](const Gone& gone) { return gone.position && *gone.position <= durable_; });
    deliver();
    begin_sync();
  });
}

void GroupBroker::deliver() {
  while (!ready_.empty() && ready_.front().position <= durable_) {
    const Ready ready = std::move(ready_.front());
    ready_.pop_front();
    const auto request = requests_.find(ready.ticket);
    GroupRequester* const from = request->second.from;
    if (request->second.loses_reply) {
      lose(ready.ticket);
      continue;
    }
    requests_.erase(request);
    if (from == nullptr) continue;
    parts_.timeline.after(travel_ms(), [from, ready] { from->on_answered(ready.ticket, ready.reply); });
  }
}

void GroupBroker::arm_timer() {
  const std::optional<int64_t> next_ms = machine_->next_deadline_ms();
  if (!next_ms) return;
  const int64_t at_ms = std::max(*next_ms + monotonic_base_ms_, parts_.timeline.now_ms());
  if (timer_at_ms_ && *timer_at_ms_ <= at_ms) return;
  timer_at_ms_ = at_ms;
  const int64_t lateness_ms = parts_.random.one_in(4) ? random_below(parts_.random, int64_t{60}) : 0;
  parts_.timeline.after(at_ms - parts_.timeline.now_ms() + lateness_ms, [this, life = life_, at_ms] {
    if (life == life_ && timer_at_ms_ == at_ms) on_timer();
  });
}

void GroupBroker::on_timer() {
  timer_at_ms_.reset();
  const std::optional<int64_t> due_ms = machine_->next_deadline_ms();
  if (due_ms && *due_ms <= monotonic_ms()) {
    step_of_its_own(TimePassed{});
    const std::optional<int64_t> next_ms = machine_->next_deadline_ms();
    expect(!next_ms || *next_ms > monotonic_ms(), [] { return std::string("what is due stays due"); });
  }
  arm_timer();
}

void GroupBroker::topic_gone(const CatalogTopic& topic) {
  gone_.push_back({.event = {.topic = topic.name, .topic_id = topic.id}, .position = std::nullopt});
  if (is_up()) tell_of_gone_topics();
}

// What a crash made the machine forget is told again after the start, before any client comes.
void GroupBroker::tell_of_gone_topics() {
  for (Gone& gone : gone_) {
    if (gone.position) continue;
    step_of_its_own(gone.event);
    gone.position = log_.size();
  }
}

void GroupBroker::topics_changed() {
  if (is_up()) step_of_its_own(TopicsChanged{});
}

void GroupBroker::crash() {
  if (!is_up()) return;
  parts_.counts.add(GroupHappening::kBrokerCrash);
  const size_t kept = durable_ + parts_.random.below(log_.size() - durable_ + 1);
  if (kept < log_.size()) parts_.counts.add(GroupHappening::kRecordsLost);
  log_.resize(kept);
  durable_ = kept;
  for (Gone& gone : gone_) {
    if (gone.position && *gone.position > kept) gone.position.reset();
  }
  std::erase_if(gone_, [](const Gone& gone) { return gone.position.has_value(); });
  ++life_;
  machine_.reset();
  ready_.clear();
  is_syncing_ = false;
  timer_at_ms_.reset();
  std::vector<Ticket> lost;
  for (const auto& [ticket, request] : requests_) {
    if (request.is_handled) lost.push_back(ticket);
  }
  for (const Ticket ticket : lost) lose(ticket);
  ledger_ = GroupLedger();
  for (const std::vector<GroupRecord>& batch : log_) {
    for (const GroupRecord& record : batch) ledger_.apply(record);
  }
  parts_.observer.on_crash();
  parts_.timeline.after(random_below(parts_.random, int64_t{3000}), [this] { start(); });
}

void GroupBroker::compact_log() {
  parts_.counts.add(GroupHappening::kCompaction);
  const size_t count = 1 + parts_.random.below(log_.size());
  const auto end = log_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<GroupRecord> head;
  for (auto batch = log_.begin(); batch != end; ++batch) head.insert(head.end(), batch->begin(), batch->end());
  log_.erase(log_.begin(), end);
  log_.insert(log_.begin(), compact(head, parts_.random.one_in(2) ? Tombstones::kKept : Tombstones::kDropped));
  durable_ = log_.size();
}

void GroupBroker::replay_into(GroupMachine& machine) const {
  for (const std::vector<GroupRecord>& batch : log_) {
    for (const GroupRecord& record : batch) machine.replay(record);
  }
}

void GroupBroker::start() {
  if (!log_.empty() && parts_.random.one_in(2)) compact_log();
  monotonic_base_ms_ = parts_.timeline.now_ms() - random_below(parts_.random, int64_t{1'000'000});
  machine_ = std::make_unique<GroupMachine>(machine_random_);
  replay_into(*machine_);
  take(0, machine_->loaded(moment()));
  parts_.observer.on_start();
  tell_of_gone_topics();
  arm_timer();
}

void GroupBroker::check_snapshot() const {
  if (!is_up()) return;
  SeededRandom random(1);
  const std::vector<GroupRecord> live = machine_->snapshot();
  GroupMachine replayed(random);
  replay_into(replayed);
  expect(replayed.snapshot() == live, [] { return std::string("the log replayed is not the machine that wrote it"); });
  GroupMachine again(random);
  GroupLedger ledger;
  for (const GroupRecord& record : live) {
    again.replay(record);
    ledger.apply(record);
  }
  expect(again.snapshot() == live, [] { return std::string("the snapshot replayed gives another snapshot"); });
  expect(ledger == ledger_, [] { return std::string("the snapshot does not hold what the records say"); });
}

}  // namespace leat
