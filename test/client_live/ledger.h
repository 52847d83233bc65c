// ledger.h: what a load sent and what it was told: a table by the number of the record. A record is written in when it
// is about to be sent; its outcome is noted when it is told, and a second outcome of the same record is a fault that
// check_told_once() finds. The value of a record says who it is:
//   value := number " " key " " place padding      place: how many records of that key were before it
// Thread: any.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <leat/delivery.h>
#include <leat/producer.h>
#include <leat/result.h>

#include "test/client_live/waiting.h"

namespace leat::client_live {

struct RecordName {
  uint64_t number = 0;
  int32_t key = 0;
  uint32_t place = 0;

  friend bool operator==(const RecordName&, const RecordName&) = default;
};
std::optional<RecordName> name_in(std::string_view value);

enum class Told : uint8_t { kNothing, kDelivered, kFailed };

class Ledger {
 public:
  struct Entry {
    RecordName name;
    Told told = Told::kNothing;
    int32_t partition = -1;
    int64_t offset = -1;  // -1: delivered, and the broker did not say where
  };
  // A callback that fits into a batch without memory of its own.
  struct Teller {
    Ledger* ledger;
    uint64_t number;
    void operator()(const client::DeliveryReport& report) const { ledger->note(number, report); }
  };

  // The next record of `key`.
  RecordName begin(int32_t key);
  std::string value_of(const RecordName& name, size_t padding_bytes) const;
  Teller teller(const RecordName& name) noexcept { return {this, name.number}; }
  void note(uint64_t number, const client::DeliveryReport& report);
  void note(uint64_t number, const client::Result<client::DeliveredRecord>& outcome);

  // False: the time is over, and more records than `count` have no outcome.
  bool wait_until_open(size_t count, Clock::time_point deadline);
  size_t size() const;
  size_t open() const;
  size_t failed() const;
  std::string first_error() const;  // "" when nothing failed
  std::optional<RecordName> name_of(uint64_t number) const;
  std::vector<Entry> entries() const;

  // Every record has an outcome, and none had two.
  void check_told_once() const;

 private:
  void note(uint64_t number, Told told, int32_t partition, int64_t offset, const std::string& error);

  mutable std::mutex mutex_;
  std::condition_variable told_more_;
  std::vector<Entry> entries_;  // by number
  std::map<int32_t, uint32_t> next_place_;
  size_t open_ = 0;
  size_t failed_ = 0;
  std::string first_error_;
  std::vector<uint64_t> told_twice_;
};

}  // namespace leat::client_live
