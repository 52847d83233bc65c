// compaction_filter.cpp: deciding over records, and making a batch anew of those that stay.
#include "core/log/compaction_filter.h"

#include <algorithm>

#include "core/record/batch_builder.h"
#include "core/record/compression.h"

namespace leat {
namespace {

std::optional<int64_t> date_of(const BatchView& batch) noexcept {
  return batch.has_delete_horizon() ? std::optional(batch.base_timestamp()) : std::nullopt;
}

}  // namespace

bool BatchFilter::stays(const BatchView& batch, const CompactionRecords::Item& item) const noexcept {
  if (item.offset >= rules_.end) return true;
  if (!item.record.key || map_.latest(*item.record.key) > item.offset) return false;
  const std::optional<int64_t> date = date_of(batch);
  return item.record.value || !date || rules_.now_ms < *date;
}

// Never so late that it would read as none.
int64_t BatchFilter::new_date() const noexcept {
  const int64_t room_ms = kNoHorizon - 1 - rules_.now_ms;
  return rules_.now_ms + std::min(rules_.delete_retention_ms, room_ms);
}

// A tombstone gets its date from the pass whose map holds its key, for only that one takes away what came before it.
Result<BatchFilter::Census> BatchFilter::count(CompactionRecords& records) const {
  Census census;
  while (true) {
    TRY(item, records.next());
    if (!item) return census;
    if (!stays(records.batch(), *item)) {
      ++census.going;
      continue;
    }
    ++census.staying;
    const bool is_tombstone = !item->record.value && item->record.key && item->offset < rules_.end;
    if (!is_tombstone) continue;
    census.has_tombstone = true;
    if (item->offset >= rules_.first_dirty && !records.batch().has_delete_horizon()) census.has_new_tombstone = true;
  }
}

const ProducerToKeep* find_producer(const std::vector<ProducerToKeep>& producers, int64_t producer_id) noexcept {
  const auto below = [](const ProducerToKeep& producer, int64_t id) { return producer.producer_id < id; };
  const auto found = std::lower_bound(producers.begin(), producers.end(), producer_id, below);
  return found != producers.end() && found->producer_id == producer_id ? &*found : nullptr;
}

ProducerToKeep* find_producer(std::vector<ProducerToKeep>& producers, int64_t producer_id) noexcept {
  return const_cast<ProducerToKeep*>(find_producer(std::as_const(producers), producer_id));
}

bool BatchFilter::keeps_header(const BatchView& batch) const noexcept {
  if (batch.next_offset() == rules_.log_end) return true;
  if (!batch.has_producer_id()) return false;
  const ProducerToKeep* producer = find_producer(rules_.producers, batch.producer_id());
  return producer != nullptr && (producer->last_offset == kNoOffset || producer->last_offset == batch.last_offset());
}

FilteredBatch BatchFilter::without_records(const BatchView& batch, int64_t records_gone) const {
  FilteredBatch filtered{.fate = FilteredBatch::Fate::kGoes, .records_gone = records_gone};
  if (!keeps_header(batch)) return filtered;
  filtered.fate = records_gone == 0 ? FilteredBatch::Fate::kStays : FilteredBatch::Fate::kAnew;
  if (records_gone > 0) filtered.bytes = empty_batch(batch);
  return filtered;
}

Result<FilteredBatch> BatchFilter::filter(const BatchView& batch) const {
  const bool is_out_of_reach = batch.base_offset() >= rules_.end || batch.is_transactional() || batch.is_control();
  if (is_out_of_reach) return FilteredBatch{};
  if (batch.record_count() == 0) return without_records(batch, 0);
  TRY(records, CompactionRecords::open(batch, rules_.decompressed_bytes_max));
  TRY(census, count(records));
  if (census.staying == 0) {
    FilteredBatch emptied = without_records(batch, census.going);
    emptied.unpacked_bytes = records.unpacked_bytes();
    return emptied;
  }
  std::optional<int64_t> date = census.has_tombstone ? date_of(batch) : std::nullopt;
  if (census.has_new_tombstone) date = new_date();
  FilteredBatch filtered{.records_gone = census.going,
                         .delete_horizon_ms = date.value_or(kNoHorizon),
                         .unpacked_bytes = records.unpacked_bytes()};
  if (census.going == 0 && !census.has_new_tombstone) return filtered;
  filtered.fate = FilteredBatch::Fate::kAnew;
  TRY(bytes, rebuild(records, date));
  filtered.bytes = std::move(bytes);
  return filtered;
}

Result<Slice> BatchFilter::rebuild(CompactionRecords& records, std::optional<int64_t> delete_horizon_ms) const {
  const BatchView& batch = records.batch();
  TRY(codec, codec_from_bits(batch.codec_bits()));
  BatchBuilder builder({.codec = codec,
                        .base_offset = batch.base_offset(),
                        .leader_epoch = batch.leader_epoch(),
                        .timestamp_type = batch.timestamp_type(),
                        .append_time_ms = batch.max_timestamp(),
                        .producer_id = batch.producer_id(),
                        .producer_epoch = batch.producer_epoch(),
                        .base_sequence = batch.base_sequence(),
                        .delete_horizon_ms = delete_horizon_ms,
                        .last_offset_delta = batch.last_offset_delta()});
  records.rewind();
  while (true) {
    TRY(item, records.next());
    if (!item) return builder.finish();
    if (stays(batch, *item)) builder.append_copy_at(item->offset_delta, item->record, records.timestamp_of(*item));
  }
}

}  // namespace leat
