// consumer_offsets.cpp: where partitions begin, and what is committed. OffsetFetch 1-9 and OffsetCommit 2-9: later
// versions want topic ids.
#include <fmt/format.h>

#include <algorithm>

#include "client/cluster/offset_messages.h"
#include "client/consumer/consumer_core.h"

namespace leat::client::detail {
namespace {

constexpr int kStaleEpochTries = 5;
constexpr Millis kToldPause{1'000};

}  // namespace

// Until every partition stands somewhere. What is seeked or taken away meanwhile is told apart by its round.
leat::Task<void> ConsumerCore::find_positions(Self self) {
  while (!self->stopped_.is_set()) {
    const std::vector<PositionQuestion> commits = self->table_.wanting_commit();
    const std::vector<PositionQuestion> offsets = self->table_.wanting_offset();
    std::optional<Error> failed;
    if (!commits.empty()) {
      std::vector<TopicPartition> names;
      for (const PositionQuestion& question : commits) names.push_back(question.name);
      Result<Offsets> found = co_await fetch_committed(self, std::move(names));
      if (!found) failed = found.error();
      for (const PositionQuestion& question : commits) {
        if (failed) break;
        const auto at = found->find(question.name);
        self->table_.on_commit(question,
                               at == found->end() ? std::nullopt : std::optional<OffsetAndMetadata>(at->second));
      }
    } else if (!offsets.empty()) {
      OffsetTimes times;
      for (const PositionQuestion& question : offsets) times[question.name] = question.timestamp;
      Result<FoundOffsets> found = co_await look_up_offsets(self->cluster_, self->stopped_, std::move(times),
                                                            self->settings_.isolation_level, self->missing_topic());
      if (!found) failed = found.error();
      for (const PositionQuestion& question : offsets) {
        if (failed) break;
        const auto at = found->find(question.name);
        if (at != found->end()) self->table_.on_offset(question, at->second.offset);
      }
    } else {
      break;
    }
    if (self->stopped_.is_set()) co_return;
    for (const MovedPosition& moved : self->table_.take_moved()) {
      self->errors_.push_back(
          Error::from_broker(ErrorCode::kOffsetOutOfRange, fmt::format("{}-{}", moved.name.topic, moved.name.partition),
                             fmt::format("it has no offset {}: going on at {}", moved.from, moved.to)));
    }
    if (self->polling_) self->tell_nowhere();
    if (failed) {
      self->outages_.note({.of = Outages::Of::kPositions}, *failed, self->now());
      if (!is_worth_waiting(self->context_.settings, *failed)) self->errors_.push_back(*std::move(failed));
      self->work();
      (void)co_await self->stopped_.wait_for(kToldPause);
    } else {
      self->outages_.clear({.of = Outages::Of::kPositions});
    }
  }
  self->finding_positions_ = false;
  self->outages_.clear({.of = Outages::Of::kPositions});  // what was asked for may have been taken away
  if (!self->stopped_.is_set()) self->work();
}

leat::Task<Result<Offsets>> ConsumerCore::fetch_committed(Self self, std::vector<TopicPartition> partitions) {
  if (partitions.empty()) co_return Offsets{};
  std::sort(partitions.begin(), partitions.end());
  std::function<OffsetFetchRequest(int16_t)> make = [&](int16_t version) {
    return make_offset_fetch(self->settings_.group_id, partitions, version);
  };
  std::function<ErrorCode(const OffsetFetchResponse&)> error_of = error_of_offset_fetch;
  const Result<OffsetFetchResponse> answer = co_await ask_coordinator<OffsetFetchResponse, OffsetFetchRequest>(
      self->coordinator_, std::move(make), std::move(error_of), kOffsetVersionMax);
  if (!answer) co_return answer.error();
  co_return offsets_in(*answer, self->settings_.group_id);
}

leat::Task<Result<>> ConsumerCore::commit_offsets(Self self, Offsets offsets) {
  if (offsets.empty()) co_return Result<>();
  if (self->settings_.group_id.empty()) co_return Error(Cause::kInvalidArgument, "commits need a group_id");
  // Asked for again with each try: the member's epoch may have moved on.
  std::function<OffsetCommitRequest(int16_t)> make = [&](int16_t) {
    return make_offset_commit(self->settings_.group_id, self->committer(), offsets);
  };
  std::function<ErrorCode(const OffsetCommitResponse&)> error_of = [](const OffsetCommitResponse& response) {
    return error_of_offset_commit(response);
  };
  for (int tries_left = kStaleEpochTries;; --tries_left) {
    std::function<OffsetCommitRequest(int16_t)> again = make;
    std::function<ErrorCode(const OffsetCommitResponse&)> again_error_of = error_of;
    const Result<OffsetCommitResponse> answer = co_await ask_coordinator<OffsetCommitResponse, OffsetCommitRequest>(
        self->coordinator_, std::move(again), std::move(again_error_of), kOffsetVersionMax);
    if (!answer) co_return answer.error();
    const ErrorCode code = error_of_offset_commit(*answer);
    if (code == ErrorCode::kNone) co_return Result<>();
    if (code != ErrorCode::kStaleMemberEpoch || tries_left == 0) {
      co_return Error::from_broker(code,
                                   fmt::format("group '{}': offsets are not committed", self->settings_.group_id));
    }
    const Woken woken = co_await self->stopped_.wait_for(self->coordinator_.pause(1));
    if (woken != Woken::kTimedOut) co_return closed_error();
  }
}

// A member that is leaving gives up its partitions as the member that it still is.
Committer ConsumerCore::committer() const {
  if (session_) return session_->committer();
  return is_leaving() ? leaving_->committer() : Committer{};
}

void ConsumerCore::auto_commit() {
  commit_at_ = now() + Millis(settings_.auto_commit_interval_ms);
  if (committing_ || settings_.group_id.empty() || table_.empty()) return;
  committing_ = true;
  spawn(auto_commit_soon(shared_from_this(), table_.processed()));
}

// One that fails is followed by another one soon: told is only what will not pass.
leat::Task<void> ConsumerCore::auto_commit_soon(Self self, Offsets offsets) {
  Result<> committed = co_await commit_offsets(self, std::move(offsets));
  self->committing_ = false;
  if (committed || self->stopped_.is_set()) co_return;
  const ErrorCode code = committed.error().kafka_code();
  const bool is_of_the_past = code == ErrorCode::kIllegalGeneration || code == ErrorCode::kUnknownMemberId ||
                              code == ErrorCode::kRebalanceInProgress || code == ErrorCode::kStaleMemberEpoch ||
                              code == ErrorCode::kFencedMemberEpoch;
  if (!committed.error().is_retriable() && !is_of_the_past) self->errors_.push_back(std::move(committed).error());
}

Pending<> ConsumerCore::commit(std::optional<Offsets> offsets) {
  auto answer = new_call<void>();
  on_loop([self = shared_from_this(), answer, offsets = std::move(offsets)] {
    if (self->stopped_.is_set()) return answer->complete(self->refusal());
    self->calls_.add(answer);
    Offsets all = offsets ? *offsets : self->table_.given();
    spawn(answer_commit(self, std::move(all), answer));
  });
  return Pending<>(std::move(answer));
}

leat::Task<void> ConsumerCore::answer_commit(Self self, Offsets offsets, std::shared_ptr<PendingState<void>> answer) {
  Result<> committed = co_await commit_offsets(self, std::move(offsets));
  answer->complete(std::move(committed));
}

Pending<Offsets> ConsumerCore::committed(std::vector<TopicPartition> partitions) {
  auto answer = new_call<Offsets>();
  on_loop([self = shared_from_this(), answer, partitions = std::move(partitions)] {
    if (self->stopped_.is_set()) return answer->complete(self->refusal());
    if (self->settings_.group_id.empty()) {
      return answer->complete(Error(Cause::kInvalidArgument, "commits need a group_id"));
    }
    self->calls_.add(answer);
    spawn(answer_committed(self, partitions, answer));
  });
  return Pending<Offsets>(std::move(answer));
}

leat::Task<void> ConsumerCore::answer_committed(Self self, std::vector<TopicPartition> partitions,
                                                std::shared_ptr<PendingState<Offsets>> answer) {
  Result<Offsets> found = co_await fetch_committed(self, std::move(partitions));
  answer->complete(std::move(found));
}

Pending<FoundOffsets> ConsumerCore::offsets_for_times(OffsetTimes times) {
  auto answer = new_call<FoundOffsets>();
  on_loop([self = shared_from_this(), answer, times = std::move(times)] {
    if (self->stopped_.is_set()) return answer->complete(self->refusal());
    self->calls_.add(answer);
    spawn(answer_times(self, times, answer));
  });
  return Pending<FoundOffsets>(std::move(answer));
}

leat::Task<void> ConsumerCore::answer_times(Self self, OffsetTimes times,
                                            std::shared_ptr<PendingState<FoundOffsets>> answer) {
  Result<FoundOffsets> found = co_await look_up_offsets(self->cluster_, self->stopped_, std::move(times),
                                                        self->settings_.isolation_level, self->missing_topic());
  answer->complete(std::move(found));
}

}  // namespace leat::client::detail
