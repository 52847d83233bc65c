// client_quotas.h: what clients used of their quotas, and for how long each of them is to be held back. A meter is kept
// only for those whom a quota holds for; names come from the network, so the number of meters and the bytes of their
// names are bounded: the one that was used longest ago gives way, and any goes after an hour without use. A change of
// quotas holds from the next record on, for meters that are there already, too. Told the time (monotonic); no clock, no
// I/O. Thread: the loop.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "core/base/clock.h"
#include "core/quota/quota_rate.h"
#include "core/quota/quota_table.h"

namespace leat {

class ClientQuotas {
 public:
  struct Options {
    QuotaWindows windows;             // quota.window.num, quota.window.size.seconds
    QuotaWindows controller_windows;  // controller.quota.window.*
    size_t meters_max = 20'000;
    size_t name_bytes_max = size_t{8} << 20;  // of all meters; one name may be 32 KiB
    Millis unused_max{3'600'000};
  };
  struct FetchCharge {
    Millis throttle{0};
    bool withhold = false;  // the bytes are not to be sent, and were not counted
  };

  struct Throttled {
    uint64_t count = 0;  // of requests, or connections
    Millis time{0};      // that they were told
  };
  using ThrottledByKey = std::array<Throttled, kQuotaKeyCount>;

  ClientQuotas() : ClientQuotas(Options{}) {}
  explicit ClientQuotas(const Options& options) : options_(options) {}
  ClientQuotas(const ClientQuotas&) = delete;
  ClientQuotas& operator=(const ClientQuotas&) = delete;

  void set_windows(QuotaWindows windows, QuotaWindows controller_windows) noexcept {
    options_.windows = windows;
    options_.controller_windows = controller_windows;
  }
  void set_quotas(const QuotaMap& quotas);

  // The one branch of those who have no quotas.
  bool limits(QuotaKey key) const noexcept { return table_.has(key); }
  size_t meter_count() const noexcept { return meters_.size(); }
  // Since the start, by QuotaKey; one request may be held back by several.
  const ThrottledByKey& throttled() const noexcept { return throttled_; }

  // Counts, then says for how long the client is to be held back; zero within the quota, or without one.
  Millis record_produce(const QuotaClient& client, int64_t bytes, Millis now);
  // One window at most, as in Kafka: what took long is over, and the next requests pay for it.
  Millis record_request_time(const QuotaClient& client, Nanos took, Millis now);
  // Bytes above the quota are withheld and not counted, so that the client asks for them again after the throttle time.
  // But one that has had nothing for a whole span is given even a batch that is too large for its quota, and pays for
  // it afterwards: otherwise it would never get past that batch.
  FetchCharge record_fetch(const QuotaClient& client, int64_t bytes, Millis now);
  // More at once would be above the quota whatever came before. INT64_MAX: there is none; never less than 1, for to ask
  // for nothing is not to wait.
  int64_t fetch_bytes_max(const QuotaClient& client) const;

  // Changes of topics, counted in partitions. Zero: there is credit left, and the change may overdraw it.
  Millis mutation_throttle(const QuotaClient& client, Millis now);
  void record_mutations(const QuotaClient& client, int64_t partitions, Millis now);
  // What one request was told for all of its changes; zero does not count.
  void note_mutations_throttled(Millis time) noexcept { (void)noted(QuotaKey::kControllerMutationRate, time); }

  // A new connection. Not zero: it is not let in (and not counted), and told so only after that time, one window at
  // most.
  Millis record_connection(std::string_view ip, Millis now);

 private:
  // Whose use is counted together.
  struct MeterName {
    QuotaKey key;
    std::string_view user;  // or the address
    std::string_view client_id;
    friend bool operator==(const MeterName&, const MeterName&) = default;
  };
  struct MeterNameHash {
    size_t operator()(const MeterName& name) const noexcept {
      const std::hash<std::string_view> hash;
      return (hash(name.user) * 31 + hash(name.client_id)) * 31 + static_cast<size_t>(name.key);
    }
  };
  struct Meter {
    QuotaKey key;
    std::string user;
    std::string client_id;
    std::variant<WindowedRate, TokenBucket> use;
    Millis used{0};
    MeterName name() const noexcept { return {key, user, client_id}; }
    size_t name_bytes() const noexcept { return user.size() + client_id.size(); }
  };

  Meter& meter(const MeterName& name, Millis now);
  WindowedRate& rate(const MeterName& name, Millis now) { return std::get<WindowedRate>(meter(name, now).use); }
  TokenBucket& bucket(const MeterName& name, Millis now) { return std::get<TokenBucket>(meter(name, now).use); }
  Millis noted(QuotaKey key, Millis throttle) noexcept;
  bool is_full(const MeterName& with) const noexcept;
  void drop_oldest();

  Options options_;
  QuotaTable table_;
  ThrottledByKey throttled_;
  QuotaMap quotas_;                                                                  // as assigned
  size_t name_bytes_ = 0;                                                            // of all meters
  std::list<Meter> by_use_;                                                          // used longest ago first
  std::unordered_map<MeterName, std::list<Meter>::iterator, MeterNameHash> meters_;  // names are views of the list's
};

}  // namespace leat
