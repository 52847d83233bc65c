// readers.cpp: see readers.h.
#include "test/client_live/readers.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/random.h"
#include "test/client_live/case.h"

namespace leat::client_live {
namespace {

constexpr int64_t kPollMs = 100;

// A commit in the middle of a rebalance may be refused: the next owner commits for itself.
bool may_be_refused(const client::Error& error) {
  constexpr std::array<std::string_view, 5> kOfThePast{
      "ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID", "REBALANCE_IN_PROGRESS", "STALE_MEMBER_EPOCH", "FENCED_MEMBER_EPOCH"};
  return error.is_retriable() || std::find(kOfThePast.begin(), kOfThePast.end(), error.name()) != kOfThePast.end();
}

}  // namespace

void ReadersEnd::set_ends(const Ends& ends) {
  const std::lock_guard held(mutex_);
  ends_ = ends;
}

void ReadersEnd::stop() {
  const std::lock_guard held(mutex_);
  stopped_ = true;
}

bool ReadersEnd::is_stopped() const {
  const std::lock_guard held(mutex_);
  return stopped_;
}

std::optional<Ends> ReadersEnd::ends() const {
  const std::lock_guard held(mutex_);
  return ends_;
}

Follower::Follower(const LoadPlan& plan, const Ledger& ledger) : plan_(plan), read_(ledger) {
  thread_ = std::thread([this] {
    try {
      run();
    } catch (...) {
      fault_ = std::current_exception();
    }
  });
}

Follower::~Follower() {
  end_.stop();
  if (thread_.joinable()) thread_.join();
}

void Follower::run() {
  const std::unique_ptr<client::Client> client = make_client(plan_);
  client::ConsumerSettings settings;
  settings.auto_offset_reset = client::OffsetReset::kEarliest;
  settings.fetch_wait_max_ms = 100;
  const auto consumer = need(client->consumer(settings), "the follower's consumer");
  need(consumer->assign(partitions_of(plan_.topic, plan_.partition_count)), "the follower's assign()");
  while (!end_.is_stopped()) {
    const std::optional<Ends> ends = end_.ends();
    if (ends && read_.has_reached(*ends)) break;
    require(Clock::now() < plan_.deadline, "the follower did not come to the end in time");
    const client::Records records = need(consumer->poll(kPollMs), "the follower's poll()");
    for (const client::RecordView& record : records) read_.note(record);
  }
  need(consumer->close(5'000), "the follower's close()");
}

void Follower::finish(const Ends& ends, const ReadBack& whole) {
  end_.set_ends(ends);
  thread_.join();
  if (fault_) std::rethrow_exception(fault_);
  for (const auto& [partition, end] : ends) {
    if (end == 0) continue;
    const std::vector<uint64_t>& followed = read_.numbers().at(partition);
    const std::vector<uint64_t>& stored = whole.numbers().at(partition);
    require(std::equal(followed.begin(), followed.begin() + end, stored.begin()),
            "partition " + std::to_string(partition) + ": the follower was given other records than are stored");
  }
}

GroupReaders::GroupReaders(const LoadPlan& plan, const Ledger& ledger) : plan_(plan), ledger_(ledger) {
  for (int64_t member = 0; member < plan.member_count; ++member) {
    threads_.emplace_back([this, member] {
      try {
        run(member);
      } catch (...) {
        const std::lock_guard held(mutex_);
        if (!fault_) fault_ = std::current_exception();
        end_.stop();
      }
    });
  }
}

GroupReaders::~GroupReaders() {
  end_.stop();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

// The first member stays, the others leave and come back.
void GroupReaders::run(int64_t member) {
  SeededRandom dice(plan_.seed * 31 + static_cast<uint64_t>(member));
  while (!is_done()) {
    const std::unique_ptr<client::Client> client = make_client(plan_);
    const auto consumer = need(client->consumer(plan_.member_settings), "a member's consumer");
    need(consumer->subscribe({plan_.topic}), "a member's subscribe()");
    const uint64_t poll_count = member == 0 ? UINT64_MAX : 10 + dice.below(40);
    stay(*consumer, poll_count, dice.next());
    const client::Result<> closed = consumer->close(5'000).wait();
    if (!closed) require(closed.error().is_retriable(), "a member's close(): " + closed.error().message());
  }
}

void GroupReaders::stay(client::Consumer& consumer, uint64_t poll_count, uint64_t seed) {
  SeededRandom dice(seed);
  for (uint64_t i = 0; i < poll_count && !is_done(); ++i) {
    require(Clock::now() < plan_.deadline, "the group did not come to the end in time");
    note(need(consumer.poll(kPollMs), "a member's poll()"));
    if (!dice.one_in(5)) continue;
    const client::Result<> committed = consumer.commit().wait();
    if (!committed) require(may_be_refused(committed.error()), "a commit: " + committed.error().message());
  }
}

void GroupReaders::note(const client::Records& records) {
  for (const client::RecordView& record : records) {
    const uint64_t number = number_in(record, ledger_);
    const std::lock_guard held(mutex_);
    auto& seen = seen_[record.partition];
    const auto offset = static_cast<size_t>(record.offset);
    if (offset >= seen.size()) seen.resize(offset + 1);
    if (seen[offset] && *seen[offset] != number) {
      throw Failed(place_of(record.partition, record.offset) + ": two members were given different records");
    }
    seen[offset] = number;
  }
}

bool GroupReaders::is_done() const {
  if (end_.is_stopped()) return true;
  const std::optional<Ends> ends = end_.ends();
  if (!ends) return false;
  const std::lock_guard held(mutex_);
  return std::all_of(ends->begin(), ends->end(), [this](const auto& end) {
    if (end.second == 0) return true;
    const auto found = seen_.find(end.first);
    if (found == seen_.end() || static_cast<int64_t>(found->second.size()) < end.second) return false;
    return std::all_of(found->second.begin(), found->second.begin() + end.second,
                       [](const std::optional<uint64_t>& number) { return number.has_value(); });
  });
}

void GroupReaders::finish(const Ends& ends) {
  end_.set_ends(ends);
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  if (fault_) std::rethrow_exception(fault_);
}

}  // namespace leat::client_live
