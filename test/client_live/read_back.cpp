// read_back.cpp: see read_back.h.
#include "test/client_live/read_back.h"

#include <algorithm>

namespace leat::client_live {
namespace {

std::string text_of(const RecordName& name) {
  return "record " + std::to_string(name.number) + " (key " + std::to_string(name.key) + ", its " +
         std::to_string(name.place) + "th)";
}

// Those that were acknowledged with an offset stand in the order in which they were sent.
void check_order_of_acknowledged(const std::vector<Ledger::Entry>& entries) {
  struct Last {
    int64_t offset = -1;
    int32_t partition = -1;
    RecordName name;
  };
  std::map<int32_t, Last> last_of_key;
  for (const Ledger::Entry& entry : entries) {
    if (entry.told != Told::kDelivered || entry.offset < 0) continue;
    Last& last = last_of_key[entry.name.key];
    if (last.partition >= 0 && last.partition != entry.partition) {
      throw Failed(text_of(entry.name) + " went to another partition than the ones of its key before it");
    }
    if (entry.offset <= last.offset) {
      throw Failed(text_of(entry.name) + " was acknowledged at offset " + std::to_string(entry.offset) + ", and " +
                   text_of(last.name) + " at " + std::to_string(last.offset));
    }
    last = {.offset = entry.offset, .partition = entry.partition, .name = entry.name};
  }
}

}  // namespace

std::string place_of(int32_t partition, int64_t offset) {
  return "partition " + std::to_string(partition) + ", offset " + std::to_string(offset);
}

uint64_t number_in(const client::RecordView& record, const Ledger& ledger) {
  std::optional<RecordName> name;
  if (record.key && record.value) name = name_in(*record.value);
  if (!name || ledger.name_of(name->number) != name || *record.key != "k" + std::to_string(name->key)) {
    throw Failed(place_of(record.partition, record.offset) + ": a record that nobody sent");
  }
  return name->number;
}

void ReadBack::note(const client::RecordView& record) {
  std::vector<uint64_t>& numbers = numbers_[record.partition];
  if (record.offset != static_cast<int64_t>(numbers.size())) {
    throw Failed(place_of(record.partition, record.offset) + " came where offset " + std::to_string(numbers.size()) +
                 " was due");
  }
  numbers.push_back(number_in(record, ledger_));
}

bool ReadBack::has_reached(const Ends& ends) const {
  return std::all_of(ends.begin(), ends.end(), [this](const auto& end) {
    const auto found = numbers_.find(end.first);
    const size_t reached = found == numbers_.end() ? 0 : found->second.size();
    return static_cast<int64_t>(reached) >= end.second;
  });
}

void ReadBack::check(Promise promise, const Ends& ends) const {
  const std::vector<Ledger::Entry> entries = ledger_.entries();
  for (const auto& [partition, numbers] : numbers_) {
    const auto end = ends.find(partition);
    // More than there was at the end is possible: what a request that was given up brought late.
    require(end != ends.end() && static_cast<int64_t>(numbers.size()) >= end->second,
            "partition " + std::to_string(partition) + " has " + std::to_string(numbers.size()) +
                " records, fewer than its end says");
  }
  check_acknowledged(entries);
  if (promise == Promise::kExactlyOnce) check_exactly_once(entries);
  if (promise != Promise::kAtLeastOnce) check_order_of_acknowledged(entries);
}

// Nothing acknowledged is lost, and it is where the acknowledgement said.
void ReadBack::check_acknowledged(const std::vector<Ledger::Entry>& entries) const {
  std::vector<bool> is_there(entries.size(), false);
  for (const auto& [partition, numbers] : numbers_) {
    for (const uint64_t number : numbers) is_there[number] = true;
  }
  for (const Ledger::Entry& entry : entries) {
    if (entry.told != Told::kDelivered) continue;
    if (!is_there[entry.name.number]) throw Failed(text_of(entry.name) + " was acknowledged and is not there");
    if (entry.offset < 0) continue;
    const auto found = numbers_.find(entry.partition);
    const bool at_its_place = found != numbers_.end() && entry.offset < static_cast<int64_t>(found->second.size()) &&
                              found->second[static_cast<size_t>(entry.offset)] == entry.name.number;
    if (at_its_place) continue;
    throw Failed(text_of(entry.name) + " was acknowledged at " + place_of(entry.partition, entry.offset) +
                 ", where another one is");
  }
}

void ReadBack::check_exactly_once(const std::vector<Ledger::Entry>& entries) const {
  for (const Ledger::Entry& entry : entries) {
    if (entry.told == Told::kDelivered) continue;
    throw Failed(text_of(entry.name) + " was not delivered: " + ledger_.first_error());
  }
  std::map<int32_t, uint32_t> next_place;
  size_t count = 0;
  for (const auto& [partition, numbers] : numbers_) {
    for (size_t offset = 0; offset < numbers.size(); ++offset) {
      const RecordName& name = entries[numbers[offset]].name;
      const uint32_t due = next_place[name.key]++;
      if (name.place == due) continue;
      throw Failed(
          place_of(partition, static_cast<int64_t>(offset)) + ": " + text_of(name) +
          (name.place < due ? " comes a second time, or late" : ", while one of its key before it is missing"));
    }
    count += numbers.size();
  }
  require(count == entries.size(), std::to_string(count) + " records are stored of " + std::to_string(entries.size()));
}

}  // namespace leat::client_live
