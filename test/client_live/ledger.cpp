// ledger.cpp: see ledger.h.
#include "test/client_live/ledger.h"

#include <charconv>

namespace leat::client_live {
namespace {

template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<RecordName> name_in(std::string_view value) {
  RecordName name;
  if (!take_number(value, name.number) || !take_number(value, name.key) || !take_number(value, name.place)) {
    return std::nullopt;
  }
  return name;
}

RecordName Ledger::begin(int32_t key) {
  const std::lock_guard held(mutex_);
  RecordName name{.number = entries_.size(), .key = key, .place = next_place_[key]++};
  entries_.push_back({.name = name});
  ++open_;
  return name;
}

std::string Ledger::value_of(const RecordName& name, size_t padding_bytes) const {
  std::string value = std::to_string(name.number) + " " + std::to_string(name.key) + " " + std::to_string(name.place);
  if (padding_bytes > 0) value += " " + std::string(padding_bytes, static_cast<char>('a' + name.number % 26));
  return value;
}

void Ledger::note(uint64_t number, const client::DeliveryReport& report) {
  note(number, report.ok() ? Told::kDelivered : Told::kFailed, report.partition, report.offset,
       report.ok() ? std::string() : report.error->message());
}

void Ledger::note(uint64_t number, const client::Result<client::DeliveredRecord>& outcome) {
  if (outcome) return note(number, Told::kDelivered, outcome->partition, outcome->offset, "");
  note(number, Told::kFailed, -1, -1, outcome.error().message());
}

void Ledger::note(uint64_t number, Told told, int32_t partition, int64_t offset, const std::string& error) {
  {
    const std::lock_guard held(mutex_);
    Entry& entry = entries_[number];
    if (entry.told != Told::kNothing) {
      told_twice_.push_back(number);
      return;
    }
    entry.told = told;
    entry.partition = partition;
    entry.offset = offset;
    --open_;
    if (told == Told::kFailed && failed_++ == 0) first_error_ = error;
  }
  told_more_.notify_all();
}

bool Ledger::wait_until_open(size_t count, Clock::time_point deadline) {
  std::unique_lock held(mutex_);
  return told_more_.wait_until(held, deadline, [this, count] { return open_ <= count; });
}

size_t Ledger::size() const {
  const std::lock_guard held(mutex_);
  return entries_.size();
}

size_t Ledger::open() const {
  const std::lock_guard held(mutex_);
  return open_;
}

size_t Ledger::failed() const {
  const std::lock_guard held(mutex_);
  return failed_;
}

std::string Ledger::first_error() const {
  const std::lock_guard held(mutex_);
  return first_error_;
}

std::optional<RecordName> Ledger::name_of(uint64_t number) const {
  const std::lock_guard held(mutex_);
  if (number >= entries_.size()) return std::nullopt;
  return entries_[number].name;
}

std::vector<Ledger::Entry> Ledger::entries() const {
  const std::lock_guard held(mutex_);
  return entries_;
}

void Ledger::check_told_once() const {
  const std::lock_guard held(mutex_);
  if (!told_twice_.empty()) {
    throw Failed("record " + std::to_string(told_twice_.front()) + " and " + std::to_string(told_twice_.size() - 1) +
                 " others have more than one outcome");
  }
  for (const Entry& entry : entries_) {
    if (entry.told != Told::kNothing) continue;
    throw Failed("record " + std::to_string(entry.name.number) + " never got an outcome");
  }
}

}  // namespace leat::client_live
