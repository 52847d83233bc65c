// client_fixture.h: a whole client in manual time against a FakeCluster.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <leat/client.h>

#include "client/client_core.h"
#include "client/runtime.h"
#include "test/client/fake_cluster.h"
#include "test/support/catch.h"
#include "test/support/manual_scheduler.h"

namespace leat::test {

class FakeRuntime final : public client::detail::Runtime {
 public:
  FakeRuntime(ManualScheduler& scheduler, FakeCluster& cluster, uint64_t seed)
      : scheduler_(scheduler), cluster_(cluster), random_(seed) {}
  ~FakeRuntime() override { scheduler_.run_until_idle(); }
  Scheduler& scheduler() noexcept override { return scheduler_; }
  Dialer& dialer() noexcept override { return cluster_; }
  Random& random() noexcept override { return random_; }
  bool is_loop_thread() const noexcept override { return true; }
  bool has_own_thread() const noexcept override { return false; }

 private:
  ManualScheduler& scheduler_;
  FakeCluster& cluster_;
  SeededRandom random_;
};

// What became of records, by the number that each was sent with.
class Outcomes {
 public:
  client::DeliveryCallback expect(size_t number) {
    if (number >= reports_.size()) reports_.resize(number + 1);
    return [this, number](const client::DeliveryReport& report) { note(number, report); };
  }
  size_t told() const noexcept { return told_; }
  size_t failed() const noexcept { return failed_; }
  const std::string& error(size_t number) const { return reports_.at(number).error; }
  client::Cause cause(size_t number) const { return reports_.at(number).cause; }
  const client::DeliveredRecord& delivered(size_t number) const { return reports_.at(number).delivered; }

 private:
  struct Report {
    int times = 0;
    std::string error;
    client::Cause cause = client::Cause::kBroker;
    client::DeliveredRecord delivered;
  };
  void note(size_t number, const client::DeliveryReport& report) {
    Report& kept = reports_.at(number);
    REQUIRE(++kept.times == 1);
    ++told_;
    kept.delivered = {report.partition, report.offset, report.log_append_time_ms};
    if (report.ok()) return;
    ++failed_;
    kept.error = report.error->message();
    kept.cause = report.error->cause();
  }

  std::vector<Report> reports_;
  size_t told_ = 0;
  size_t failed_ = 0;
};

struct ClientFixture {
  explicit ClientFixture(int32_t node_count = 1, uint64_t seed = 1,
                         client::WhenUnreachable when_unreachable = client::WhenUnreachable::kTryOn)
      : cluster(scheduler, node_count, seed) {
    client::ClientSettings settings;
    settings.bootstrap_servers = cluster.bootstrap();
    settings.connect_timeout_ms = 3'000;
    settings.when_unreachable = when_unreachable;
    auto core = client::detail::ClientCore::create(std::make_unique<FakeRuntime>(scheduler, cluster, seed), settings);
    REQUIRE(core);
    client = std::make_unique<client::Client>(*std::move(core));
  }

  std::unique_ptr<client::Producer> producer(const client::ProducerSettings& settings = {}) {
    auto made = client->producer(settings);
    REQUIRE(made);
    return *std::move(made);
  }
  void send(client::Producer& to, const client::ProducerRecord& record, size_t number) {
    const client::Result<> sent = to.send(record, outcomes.expect(number));
    REQUIRE(sent);
  }
  // Until the answer is there, in manual time.
  template <class T>
  client::Result<T> wait(client::Pending<T> pending, Millis at_most = Millis(600'000)) {
    const Nanos until = scheduler.clock().monotonic() + at_most;
    scheduler.run_until_idle();
    while (!pending.is_done() && scheduler.clock().monotonic() < until && scheduler.advance_to_next_timer()) {
    }
    REQUIRE(pending.is_done());
    return std::move(pending).wait();
  }

  ManualScheduler scheduler;
  FakeCluster cluster;
  Outcomes outcomes;
  std::unique_ptr<client::Client> client;
};

}  // namespace leat::test
