// group_watch.cpp: see group_watch.h.
#include "test/client_live/group_watch.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

namespace leat::client_live {
namespace {

// The member is told of a rebalance, and somebody may have been quicker.
bool may_be_refused(const client::Error& error) {
  constexpr std::array<std::string_view, 5> kOfThePast{"ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID",
                                                       "REBALANCE_IN_PROGRESS", "STALE_MEMBER_EPOCH", "CLOSED"};
  return std::find(kOfThePast.begin(), kOfThePast.end(), error.name()) != kOfThePast.end();
}

std::string text_of(const client::TopicPartition& name) { return name.topic + "-" + std::to_string(name.partition); }

}  // namespace

void Ownership::take(int member, const std::vector<client::TopicPartition>& partitions) {
  const std::lock_guard held(mutex_);
  for (const client::TopicPartition& name : partitions) {
    const auto [owner, is_new] = owners_.emplace(name, member);
    if (is_new || !fault_.empty()) continue;
    fault_ = text_of(name) + " was given to member " + std::to_string(member) + " while member " +
             std::to_string(owner->second) + " had it";
  }
}

void Ownership::release(int member, const std::vector<client::TopicPartition>& partitions) {
  const std::lock_guard held(mutex_);
  for (const client::TopicPartition& name : partitions) {
    const auto owner = owners_.find(name);
    if (owner != owners_.end() && owner->second == member) {
      owners_.erase(owner);
      ++taken_away_[member];
    } else if (fault_.empty()) {
      fault_ = text_of(name) + " was taken from member " + std::to_string(member) + ", which did not have it";
    }
  }
}

std::vector<client::TopicPartition> Ownership::of(int member) const {
  const std::lock_guard held(mutex_);
  std::vector<client::TopicPartition> names;
  for (const auto& [name, owner] : owners_) {
    if (owner == member) names.push_back(name);
  }
  return names;
}

int Ownership::taken_away(int member) const {
  const std::lock_guard held(mutex_);
  const auto found = taken_away_.find(member);
  return found == taken_away_.end() ? 0 : found->second;
}

void Ownership::note(const client::Records& records) {
  const std::lock_guard held(mutex_);
  for (const client::RecordView& record : records) {
    client::TopicPartition name{.topic = std::string(record.topic), .partition = record.partition};
    seen_.emplace(std::move(name), record.offset);
  }
}

size_t Ownership::seen_count() const {
  const std::lock_guard held(mutex_);
  return seen_.size();
}

void Ownership::add_fault(const std::string& fault) {
  const std::lock_guard held(mutex_);
  if (fault_.empty()) fault_ = fault;
}

void Ownership::check() const {
  const std::lock_guard held(mutex_);
  require(fault_.empty(), fault_);
}

client::Task<> Watcher::on_assigned(std::vector<client::TopicPartition> partitions) {
  ownership_.take(member_, partitions);
  co_return;
}

client::Task<> Watcher::on_revoked(std::vector<client::TopicPartition> partitions) {
  client::Consumer* const consumer = consumer_.load();
  if (consumer != nullptr) {
    const client::Result<> committed = co_await consumer->commit();
    if (!committed && !may_be_refused(committed.error())) {
      ownership_.add_fault("the commit of member " + std::to_string(member_) +
                           " before its partitions went: " + committed.error().message());
    }
  }
  ownership_.release(member_, partitions);
}

client::Task<> Watcher::on_lost(std::vector<client::TopicPartition> partitions) {
  ownership_.release(member_, partitions);
  co_return;
}

Member::Member(const Place& place, client::ConsumerSettings settings, const std::string& topic, Ownership& ownership,
               int number)
    : place_(place), settings_(std::move(settings)), topic_(topic), ownership_(ownership), number_(number) {
  thread_ = std::thread([this] {
    try {
      run();
    } catch (...) {
      fault_ = std::current_exception();
    }
  });
}

Member::~Member() {
  ending_ = true;
  if (thread_.joinable()) thread_.join();
}

void Member::run() {
  const auto watcher = std::make_shared<Watcher>(ownership_, number_);
  settings_.rebalance_listener = watcher;
  const auto client = connect(place_);
  const auto consumer = need(client->consumer(settings_), "a member's consumer");
  watcher->set_consumer(consumer.get());
  need(consumer->subscribe({topic_}), "a member's subscribe()");
  while (!ending_) ownership_.note(need(consumer->poll(100), "a member's poll()"));
  need(consumer->close(15'000), "a member's close()");
  watcher->set_consumer(nullptr);
}

void Member::end() {
  ending_ = true;
  if (thread_.joinable()) thread_.join();
  if (fault_) std::rethrow_exception(fault_);
}

client::ConsumerSettings member_settings(const std::string& group, client::GroupProtocol protocol) {
  client::ConsumerSettings settings;
  settings.group_id = group;
  settings.group_protocol = protocol;
  settings.auto_offset_reset = client::OffsetReset::kEarliest;
  settings.session_timeout_ms = 10'000;
  settings.heartbeat_interval_ms = 200;
  settings.rebalance_timeout_ms = 10'000;
  settings.fetch_wait_max_ms = 200;
  return settings;
}

std::unique_ptr<client::Consumer> join(client::Client& client, const client::ConsumerSettings& settings,
                                       const std::string& topic) {
  auto consumer = need(client.consumer(settings), "a consumer");
  need(consumer->subscribe({topic}), "subscribe()");
  return consumer;
}

}  // namespace leat::client_live
