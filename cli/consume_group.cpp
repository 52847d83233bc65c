// consume_group.cpp: a record is done when it has left this process; only then its offset is committed. All of it runs
// in the thread of the client's loop: printing stands between polls and rebalances, never beside them, so that what is
// given up is committed as far as it was printed.
#include "cli/consume_group.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "cli/following.h"
#include "cli/moment.h"
#include "cli/suggest.h"
#include "cli/topic_lookup.h"
#include "net/protocol/error_code.h"

namespace leat::cli {
namespace {

constexpr Millis kCommitInterval{5'000};
constexpr Millis kIdleTold{5'000};                // nothing is assigned for so long: somebody wonders why
constexpr int64_t kPollPauseMaxMs = 604'800'000;  // of who reads our output; heartbeats end long before

using Partitions = std::vector<client::TopicPartition>;

// The group has moved on, or is about to: others will go on from the last commit.
bool is_of_the_past(ErrorCode code) noexcept {
  return code == ErrorCode::kIllegalGeneration || code == ErrorCode::kUnknownMemberId ||
         code == ErrorCode::kRebalanceInProgress || code == ErrorCode::kFencedInstanceId ||
         code == ErrorCode::kStaleMemberEpoch || code == ErrorCode::kFencedMemberEpoch;
}

bool is_twice_there(ErrorCode code) noexcept {
  return code == ErrorCode::kUnreleasedInstanceId || code == ErrorCode::kFencedInstanceId;
}

class GroupReading final : public client::RebalanceListener {
 public:
  GroupReading(Session& session, const ConsumeOptions& options, client::Admin& admin, RecordFormat format)
      : session_(session),
        options_(options),
        admin_(admin),
        printer_(session, options, std::move(format)),
        following_(session) {}

  // Until it is interrupted, or as --exit and --count say. Both in the loop's thread, where `consumer` outlives them.
  client::Task<Result<void>> read(client::Consumer* consumer);
  // Commits and leaves. Also to be called after an error: others wait for the partitions.
  client::Task<Result<void>> finish();

  client::Task<> on_assigned(Partitions partitions) override;
  client::Task<> on_revoked(Partitions partitions) override;
  client::Task<> on_lost(Partitions partitions) override;

 private:
  client::Task<Result<void>> take_turn();
  client::Task<Error> failed(client::Error error);
  void print(const client::Records& records);
  void note_done();
  client::Offsets uncommitted_of(const Partitions& partitions) const;
  client::Task<Result<void>> commit(client::Offsets offsets);
  client::Task<Result<bool>> has_reached_ends();
  bool bears(const client::Error& error) const noexcept;
  void tell_idle();
  void tell(const std::string& line);
  void forget(const Partitions& partitions);

  Session& session_;
  const ConsumeOptions& options_;
  client::Admin& admin_;
  RecordPrinter printer_;
  Following following_;
  client::Consumer* consumer_ = nullptr;
  std::map<client::TopicPartition, int64_t> done_;  // records below need not come again
  std::map<client::TopicPartition, int64_t> committed_;
  std::map<client::TopicPartition, int64_t> ends_;  // where partitions ended when they were first given to this member
  std::optional<Error> commit_failed_;
  Nanos commit_due_{0};
  std::optional<Nanos> idle_since_;
  bool told_protocol_ = false;
  bool leaving_ = false;
};

void GroupReading::tell(const std::string& line) {
  if (session_.options.quiet || session_.options.json) return;
  session_.console.warn(fmt::format("leat: group '{}': {}", *options_.group, line));
}

client::Task<Result<void>> GroupReading::read(client::Consumer* consumer) {
  consumer_ = consumer;
  commit_due_ = session_.clock.monotonic() + kCommitInterval;
  const client::Result<> subscribed = consumer->subscribe({options_.topic});
  if (!subscribed) co_return fail(session_.failure(subscribed.error()));
  while (!printer_.is_done()) {
    const Result<void> turn = co_await take_turn();
    if (!turn) co_return turn;
    if (!options_.exit_at_end) continue;
    const Result<bool> reached = co_await has_reached_ends();
    if (!reached) co_return fail(reached.error());
    if (*reached) break;
  }
  co_return Result<void>();
}

client::Task<Result<void>> GroupReading::take_turn() {
  client::Pending<client::Records> pending = consumer_->poll(poll_wait_ms(options_));
  const client::Result<client::Records> records = co_await std::move(pending);
  if (!options_.exit_at_end) following_.look(*consumer_, records);
  if (records) {
    print(*records);
  } else if (bears(records.error())) {
    // It is told, and goes on by itself.
  } else if (records.error().kafka_code() == ErrorCode::kOffsetOutOfRange && !records.error().is_fatal()) {
    tell(records.error().message());  // it goes on at the nearest offset that there is
  } else {
    client::Error error = records.error();
    const Error told = co_await failed(std::move(error));
    co_return fail(told);
  }
  if (commit_failed_) co_return fail(*commit_failed_);
  session_.console.look_for_reader();
  tell_idle();
  if (session_.clock.monotonic() < commit_due_) co_return Result<void>();
  commit_due_ = session_.clock.monotonic() + kCommitInterval;
  client::Offsets offsets = uncommitted_of(consumer_->assignment());
  const Result<void> committed = co_await commit(std::move(offsets));
  co_return committed;
}

// Who waits for more waits for brokers, too; not who ends.
bool GroupReading::bears(const client::Error& error) const noexcept {
  return !options_.exit_at_end && !leaving_ && following_.bears(error);
}

// What was read before the trouble is printed before it is told.
client::Task<Error> GroupReading::failed(client::Error error) {
  client::Pending<client::Records> pending = consumer_->poll(0);
  const client::Result<client::Records> before_it = co_await std::move(pending);
  if (before_it) print(*before_it);
  if (is_twice_there(error.kafka_code())) {
    co_return session_.failure(error, with_hint(error.message(), "Give each member an instance id of its own"));
  }
  co_return reading_failed(session_, error);
}

void GroupReading::print(const client::Records& records) {
  for (const client::RecordView& record : records) printer_.print(record);
  session_.console.flush();
  if (!session_.output_closed()) note_done();
}

void GroupReading::note_done() {
  for (const client::TopicPartition& name : consumer_->assignment()) {
    const client::Result<int64_t> position = consumer_->position(name);
    if (!position) continue;
    const auto left_out = printer_.first_left_out().find(name.partition);
    done_[name] = left_out == printer_.first_left_out().end() ? *position : left_out->second;
  }
}

client::Offsets GroupReading::uncommitted_of(const Partitions& partitions) const {
  client::Offsets offsets;
  for (const client::TopicPartition& name : partitions) {
    const auto done = done_.find(name);
    if (done == done_.end()) continue;
    const auto before = committed_.find(name);
    if (before != committed_.end() && before->second == done->second) continue;
    offsets[name].offset = done->second;
  }
  return offsets;
}

client::Task<Result<void>> GroupReading::commit(client::Offsets offsets) {
  if (offsets.empty()) co_return Result<void>();
  client::Pending<> pending = consumer_->commit(offsets);
  const client::Result<> committed = co_await std::move(pending);
  if (committed) {
    for (const auto& [name, offset] : offsets) {
      if (done_.contains(name)) committed_[name] = offset.offset;  // else it was lost meanwhile: others commit
    }
    co_return Result<void>();
  }
  const client::Error& error = committed.error();
  if (bears(error)) co_return Result<void>();  // the next commit claims as much, and more
  if (!is_of_the_past(error.kafka_code())) co_return fail(session_.failure(error));
  const auto& first = offsets.begin()->first;
  tell(offsets.size() == 1
           ? fmt::format("the offset of {}-{} was not committed ({}); its records may come again", first.topic,
                         first.partition, error.name())
           : fmt::format("the offsets of {} partitions were not committed ({}); their records may come again",
                         offsets.size(), error.name()));
  co_return Result<void>();
}

// Until this member is given some, nothing is at its end: partitions may still be another's.
client::Task<Result<bool>> GroupReading::has_reached_ends() {
  std::map<client::TopicPartition, int64_t> fresh;
  for (const client::TopicPartition& name : consumer_->assignment()) {
    if (!ends_.contains(name)) fresh[name] = client::kLatestOffset;
  }
  if (!fresh.empty()) {
    client::Pending<std::map<client::TopicPartition, client::OffsetAndTimestamp>> pending =
        admin_.list_offsets(std::move(fresh), isolation_of(options_));
    const client::Result<std::map<client::TopicPartition, client::OffsetAndTimestamp>> ends =
        co_await std::move(pending);
    if (!ends) co_return fail(session_.failure(ends.error()));
    for (const auto& [name, end] : *ends) ends_[name] = end.offset;
  }
  const Partitions owned = consumer_->assignment();
  const bool reached = std::all_of(owned.begin(), owned.end(), [this](const client::TopicPartition& name) {
    const auto done = done_.find(name);
    const auto end = ends_.find(name);
    return done != done_.end() && end != ends_.end() && done->second >= end->second;
  });
  co_return !owned.empty() && reached;
}

client::Task<> GroupReading::on_assigned(Partitions) {
  following_.begin();
  if (options_.group_protocol == "auto" && consumer_->group_protocol() == client::GroupProtocol::kClassic &&
      !std::exchange(told_protocol_, true)) {
    tell("the broker does not speak the consumer protocol; joining with the classic one");
  }
  std::vector<int32_t> numbers;
  for (const client::TopicPartition& name : consumer_->assignment()) numbers.push_back(name.partition);
  tell(fmt::format("reading {} of {}", fmt::join(numbers, ", "), options_.topic));
  co_return;
}

client::Task<> GroupReading::on_revoked(Partitions partitions) {
  if (leaving_) co_return;
  client::Offsets offsets = uncommitted_of(partitions);
  const Result<void> committed = co_await commit(std::move(offsets));
  if (!committed) commit_failed_ = committed.error();
  forget(partitions);
  if (consumer_->assignment().size() == partitions.size()) tell("no partitions for this member");
}

client::Task<> GroupReading::on_lost(Partitions partitions) {
  tell("it went on without this member, which joins again; records since its last commit may come twice");
  forget(partitions);
  co_return;
}

void GroupReading::forget(const Partitions& partitions) {
  for (const client::TopicPartition& name : partitions) {
    done_.erase(name);
    committed_.erase(name);
  }
}

void GroupReading::tell_idle() {
  const Nanos now = session_.clock.monotonic();
  if (!consumer_->assignment().empty()) {
    idle_since_.reset();
  } else if (!idle_since_) {
    idle_since_ = now;
  } else if (*idle_since_ != Nanos::max() && now - *idle_since_ >= kIdleTold) {
    tell("no partitions for this member");
    idle_since_ = Nanos::max();  // once is enough
  }
}

client::Task<Result<void>> GroupReading::finish() {
  leaving_ = true;
  client::Offsets offsets = uncommitted_of(consumer_->assignment());
  const Result<void> committed = co_await commit(std::move(offsets));
  client::Pending<> pending = consumer_->close(session_.options.timeout_ms);
  const client::Result<> closed = co_await std::move(pending);
  if (!committed) co_return committed;
  if (!closed) co_return fail(session_.failure(closed.error()));
  co_return Result<void>();
}

Result<void> check_flags(const ConsumeOptions& options) {
  if (options.group->empty()) return fail(Errc::kInvalidArgument, "--group needs a name");
  if (options.instance_id && options.instance_id->empty()) {
    return fail(Errc::kInvalidArgument, "--group-instance-id needs a name");
  }
  if (!options.partitions.empty()) {
    return fail(Errc::kInvalidArgument, "--partition cannot stand with --group: the group gives out the partitions");
  }
  if (options.offset) {
    return fail(Errc::kInvalidArgument,
                "--offset cannot stand with --group, which goes on where it came to. To move it: leat group reset");
  }
  return {};
}

// --from-beginning and --since say where partitions begin for which nothing is committed. Committed offsets that
// retention, or a topic made again, has left behind become the nearest that are there.
Result<client::ConsumerSettings> group_settings(const ConsumeOptions& options, int64_t now_ms) {
  client::ConsumerSettings settings = consumer_settings(options);
  settings.group_id = *options.group;
  settings.group_instance_id = options.instance_id;
  if (options.group_protocol == "consumer") settings.group_protocol = client::GroupProtocol::kConsumer;
  if (options.group_protocol == "classic") settings.group_protocol = client::GroupProtocol::kClassic;
  settings.enable_auto_commit = client::AutoCommit::kNo;
  settings.max_poll_interval_ms = kPollPauseMaxMs;
  settings.out_of_range = client::OutOfRange::kNearest;
  if (options.from_beginning) settings.auto_offset_reset = client::OffsetReset::kEarliest;
  if (options.since) {
    TRY(moment_ms, parse_moment(*options.since, now_ms));
    settings.auto_offset_reset = client::OffsetReset::kTimestamp;
    settings.auto_offset_reset_timestamp_ms = moment_ms;
  }
  return settings;
}

}  // namespace

Result<int> consume_in_group(Session& session, const ConsumeOptions& options) {
  TRY(check_flags(options));
  TRY(format, RecordFormat::parse(options.format));
  TRY(settings, group_settings(options, session.clock.wall_ms()));
  TRY(find_topic(session, options.topic));
  TRY(connected, session.client());
  catch_interrupts();
  const auto reading = std::make_shared<GroupReading>(session, options, connected->admin(), std::move(format));
  settings.rebalance_listener = reading;
  TRY(consumer, session.checked(connected->consumer(settings)));
  const Result<void> read = connected->run(reading->read(consumer.get()));
  const Result<void> left = connected->run(reading->finish());
  if (!read) return fail(read.error());
  if (!left) return fail(left.error());
  return kExitOk;
}

}  // namespace leat::cli
