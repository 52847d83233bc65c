// group_watch.h: members of a group that poll in threads of their own, and what their listeners say of who owns what:
// no partition is owned by two at a time, for its owner lets it go before anybody else is told of it. Thread: any.
#pragma once

#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <leat/client.h>

#include "test/client_live/case.h"

namespace leat::client_live {

class Ownership {
 public:
  void take(int member, const std::vector<client::TopicPartition>& partitions);
  void release(int member, const std::vector<client::TopicPartition>& partitions);
  std::vector<client::TopicPartition> of(int member) const;  // sorted
  size_t count_of(int member) const { return of(member).size(); }
  int taken_away(int member) const;  // how many partitions it has let go so far

  void note(const client::Records& records);
  size_t seen_count() const;  // different records

  void add_fault(const std::string& fault);
  void check() const;  // throws the first fault

 private:
  mutable std::mutex mutex_;
  std::map<client::TopicPartition, int> owners_;
  std::map<int, int> taken_away_;
  std::set<std::pair<client::TopicPartition, int64_t>> seen_;
  std::string fault_;
};

class Watcher final : public client::RebalanceListener {
 public:
  Watcher(Ownership& ownership, int member) : ownership_(ownership), member_(member) {}
  void set_consumer(client::Consumer* consumer) { consumer_ = consumer; }

  client::Task<> on_assigned(std::vector<client::TopicPartition> partitions) override;
  client::Task<> on_revoked(std::vector<client::TopicPartition> partitions) override;  // commits first
  client::Task<> on_lost(std::vector<client::TopicPartition> partitions) override;

 private:
  Ownership& ownership_;
  const int member_;
  std::atomic<client::Consumer*> consumer_{nullptr};
};

// Joins, and polls until it is ended.
class Member {
 public:
  Member(const Place& place, client::ConsumerSettings settings, const std::string& topic, Ownership& ownership,
         int number);
  ~Member();
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  void end();  // leaves the group; throws what went wrong

 private:
  void run();

  const Place place_;
  client::ConsumerSettings settings_;
  const std::string topic_;
  Ownership& ownership_;
  const int number_;
  std::atomic<bool> ending_{false};
  std::exception_ptr fault_;  // the thread's until it is joined
  std::thread thread_;
};

// What cases of groups begin with: times in which a test can wait.
client::ConsumerSettings member_settings(const std::string& group, client::GroupProtocol protocol);
// A consumer that has subscribed; the case polls it.
std::unique_ptr<client::Consumer> join(client::Client& client, const client::ConsumerSettings& settings,
                                       const std::string& topic);

}  // namespace leat::client_live
