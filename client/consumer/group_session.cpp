// group_session.cpp: the session's loop, and what is common to both protocols. The steps are in
// group_session_steps.cpp.
#include "client/consumer/group_session.h"

#include <fmt/format.h>

#include <algorithm>

namespace leat::client::detail {
namespace {

constexpr Millis kRefusedPause{5'000};
constexpr Millis kIdle{60'000};

}  // namespace

GroupSession::GroupSession(GroupHost& host, Cluster& cluster, Coordinator& coordinator,
                           const ConsumerSettings& settings, std::string member_id)
    : host_(host),
      cluster_(cluster),
      coordinator_(coordinator),
      context_(coordinator.context()),
      settings_(settings),
      consumer_(settings, std::move(member_id)),
      classic_(settings),
      speaks_classic_(settings.group_protocol == GroupProtocol::kClassic),
      ended_(context_.scheduler) {}

void GroupSession::start(std::shared_ptr<void> keep, Subscription subscription) {
  keep_ = keep;
  subscribe(std::move(subscription));
  spawn(run(shared_from_this(), std::move(keep)));
}

void GroupSession::subscribe(Subscription subscription) {
  subscription_ = std::move(subscription);
  consumer_.subscribe(subscription_, now());
  pattern_at_ = Nanos(0);
  if (subscription_.pattern.empty()) classic_.subscribe(subscription_.topics);
  retry_at_ = Nanos(0);
  wake();
}

void GroupSession::wake() {
  woken_ = true;
  if (waker_ != nullptr) waker_->set();
}

void GroupSession::leave() {
  leaving_ = true;
  wake();
}

leat::Task<void> GroupSession::run(Self self, std::shared_ptr<void> /*keep*/) {
  while (!self->is_over()) {
    co_await self->step();
    if (!self->is_over()) co_await self->pause();
  }
  co_await self->end();
  self->keep_.reset();
  self->ended_.set();
}

// Until something is due, or wake().
leat::Task<void> GroupSession::pause() {
  if (std::exchange(woken_, false)) co_return;
  const Nanos at_present = now();
  Nanos until = at_present + kIdle;
  if (!refused_ && !stepped_out_) {
    Nanos due = speaks_classic_ ? classic_.due() : consumer_.due();
    const bool joins = speaks_classic_ && classic_.must_join() && !changing_;
    if (joins) due = at_present;
    if (lost_) due = until;  // the end of the change wakes
    until = std::min({until, std::max(due, retry_at_), host_.poll_deadline()});
    if (speaks_classic_ && !subscription_.pattern.empty()) until = std::min(until, std::max(pattern_at_, retry_at_));
  }
  if (until <= at_present) co_return;
  Event event(context_.scheduler);
  waker_ = &event;
  (void)co_await event.wait_for(std::chrono::ceil<Millis>(until - at_present));
  waker_ = nullptr;
  woken_ = false;
}

leat::Task<void> GroupSession::step() {
  if (refused_) co_return;
  if (lost_) {
    if (changing_) co_return;
    lost_ = false;
    std::vector<TopicPartition> lost = host_.owned();
    if (!lost.empty()) co_await host_.lose(std::move(lost));
    if (is_over()) co_return;
  }
  if (now() >= host_.poll_deadline()) {
    if (!stepped_out_) {
      stepped_out_ = true;
      host_.on_group_error(Error(
          Cause::kTimedOut,
          fmt::format("group '{}': the program has not polled for max_poll_interval_ms = {}: it has left the group, "
                      "and joins again with the next poll",
                      settings_.group_id, settings_.max_poll_interval_ms)));
      co_await say_farewell();
      lost_ = true;
      ++membership_;
      wake();
    }
    co_return;
  }
  stepped_out_ = false;
  if (now() < retry_at_) co_return;
  if (speaks_classic_) {
    co_await classic_step();
  } else {
    co_await consumer_step();
  }
}

void GroupSession::judge(MemberVerdict verdict, ErrorCode code, const std::optional<std::string>& words) {
  if (verdict != MemberVerdict::kTryLater) host_.on_coordinator_answered();
  switch (verdict) {
    case MemberVerdict::kGoOn:
      failures_ = 0;
      was_member_ = was_member_ || consumer_.is_member() || classic_.is_member();
      return;
    case MemberVerdict::kLost:
      lost_ = true;
      ++membership_;
      wake();
      return;
    case MemberVerdict::kTryLater:
      return on_unreachable(Error::from_broker(code, fmt::format("group '{}'", settings_.group_id), words));
    case MemberVerdict::kUnsupported:
      return fall_back(Error::from_broker(code, fmt::format("group '{}'", settings_.group_id), words));
    case MemberVerdict::kRefused:
      break;
  }
  Error error = Error::from_broker(code, fmt::format("group '{}' takes no member", settings_.group_id), words);
  retry_at_ = now() + kRefusedPause;
  if (code != ErrorCode::kFencedInstanceId) return host_.on_group_error(std::move(error));
  refused_ = true;  // another process has the instance id: to join again would take it from that one, and so on
  host_.on_group_error(std::move(error).as_fatal());
}

void GroupSession::on_unreachable(const Error& error) {
  if (coordinator_.stopped().is_set()) return;
  coordinator_.note(error);
  host_.on_coordinator_failed(error);
  consumer_.on_no_answer();
  retry_at_ = now() + coordinator_.pause(++failures_);
  if (!is_worth_waiting(context_.settings, error)) host_.on_group_error(error);
}

void GroupSession::fall_back(const Error& why) {
  if (settings_.group_protocol == GroupProtocol::kAuto && !was_member_) {
    speaks_classic_ = true;
    return wake();
  }
  retry_at_ = now() + kRefusedPause;
  host_.on_group_error(why);
}

void GroupSession::change_ended() {
  changing_ = false;
  ++rebalances_;
  wake();
}

void GroupSession::on_metadata() {
  if (!speaks_classic_ || counts_seen_.empty()) return;
  for (const auto& [topic, count] : counts_seen_) {
    const KnownTopic* const known = cluster_.metadata().find(topic);
    if (known == nullptr || !known->answered || known->error != ErrorCode::kNone) continue;
    if (static_cast<int32_t>(known->partitions.size()) == count) continue;
    counts_seen_.clear();
    classic_.rejoin();
    return wake();
  }
}

leat::Task<void> GroupSession::end() {
  while (changing_ && !coordinator_.stopped().is_set()) {
    woken_ = false;
    Event event(context_.scheduler);
    waker_ = &event;
    (void)co_await event.wait();
    waker_ = nullptr;
  }
  if (coordinator_.stopped().is_set()) co_return;
  std::vector<TopicPartition> owned = host_.owned();
  if (!owned.empty() && lost_) {
    co_await host_.lose(std::move(owned));
  } else if (!owned.empty()) {
    co_await host_.give_up(std::move(owned));
  }
  co_await say_farewell();
}

Committer GroupSession::committer() const {
  Committer committer;
  committer.instance_id = settings_.group_instance_id;
  if (speaks_classic_ && classic_.is_member()) {
    committer.member_id = classic_.member_id();
    committer.generation_or_epoch = classic_.generation();
  } else if (consumer_.is_member()) {
    committer.member_id = consumer_.member_id();
    committer.generation_or_epoch = consumer_.epoch();
  }
  return committer;
}

GroupProtocol GroupSession::protocol() const noexcept {
  if (speaks_classic_) return GroupProtocol::kClassic;
  return was_member_ ? GroupProtocol::kConsumer : settings_.group_protocol;
}

std::string GroupSession::member_id() const { return speaks_classic_ ? classic_.member_id() : consumer_.member_id(); }

}  // namespace leat::client::detail
