// read_back.h: what is stored of a load, read from the beginning of each partition, and what must hold of it. Offsets
// of a partition follow each other without a hole: the topics of these runs are new, and nothing but the load writes
// to them. Thread: one; check() when every record has its outcome.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <leat/record.h>

#include "test/client_live/ledger.h"

namespace leat::client_live {

enum class Promise : uint8_t {
  kExactlyOnce,  // idempotent, with time enough: all delivered, each once, in order, without a gap
  kGivenUp,      // idempotent, with short delivery timeouts: what was given up may be there or not
  kAtLeastOnce,  // without idempotence: twice is allowed, and disorder
};

using Ends = std::map<int32_t, int64_t>;  // by partition: the offset behind the last record

class ReadBack {
 public:
  explicit ReadBack(const Ledger& ledger) : ledger_(ledger) {}

  void note(const client::RecordView& record);  // throws Failed
  bool has_reached(const Ends& ends) const;
  const std::map<int32_t, std::vector<uint64_t>>& numbers() const noexcept { return numbers_; }

  void check(Promise promise, const Ends& ends) const;

 private:
  void check_acknowledged(const std::vector<Ledger::Entry>& entries) const;
  void check_exactly_once(const std::vector<Ledger::Entry>& entries) const;

  const Ledger& ledger_;
  std::map<int32_t, std::vector<uint64_t>> numbers_;  // by partition, by offset: which record is there
};

std::string place_of(int32_t partition, int64_t offset);  // "partition 3, offset 17", for messages
// Throws Failed where nobody sent it.
uint64_t number_in(const client::RecordView& record, const Ledger& ledger);

}  // namespace leat::client_live
