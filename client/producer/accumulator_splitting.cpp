// accumulator_splitting.cpp: a batch that the broker refused as too large, and that has more than one record, goes out
// again as two: what a broker takes is not what the producer was set to, and it says so only by refusing. Halves of
// their bytes, so that some few rounds find what passes; a single record that is refused is given up
// (accumulator_sending.cpp). The parts stand where the batch stood, with its sequence numbers, its flush and its time.
#include <fmt/format.h>

#include "client/producer/accumulator.h"
#include "core/base/check.h"

namespace leat::client::detail {

std::unique_ptr<ProducerBatch> Accumulator::new_part(const ProducerBatch& of, const ProducerBatch::Guess& guess) {
  auto part = std::make_unique<ProducerBatch>(++last_batch_id_, of.opened_at(), guess);
  part->generation = of.generation;
  part->expires_with = of.expires_with;
  ++batches_by_generation_[of.generation - first_generation_];
  return part;
}

void Accumulator::split(PartitionQueue& partition, BatchSlot& slot, const Slice& records) {
  const std::unique_ptr<ProducerBatch> whole = std::move(slot.batch);
  ENSURE(whole->record_count() > 1);
  const size_t half_bytes = kBatchHeaderBytes + records.size() / 2;
  const ProducerBatch::Guess guess{.size_bytes = half_bytes, .record_count = whole->record_count() / 2 + 1};
  partition.guess = guess;  // what comes next is not expected to be as large either
  std::vector<BatchSlot> parts;
  for (int i = 0; i < 2; ++i) {
    BatchSlot& part = parts.emplace_back();
    part.batch = new_part(*whole, guess);
    part.batch_id = part.batch->id();
  }
  // The first one takes a record at least, and leaves one.
  const auto last_index = static_cast<size_t>(whole->record_count()) - 1;
  whole->visit(records, partition.topic.name, [&](size_t index, const ProducerRecord& record, int64_t timestamp_ms) {
    const bool goes_first = parts[0].batch->size_bytes() < half_bytes && index != last_index;
    parts[goes_first ? 0 : 1].batch->append_moved(record, timestamp_ms, *whole, index);
  });
  buffered_bytes_ -= whole->charged_bytes();
  --batches_by_generation_[whole->generation - first_generation_];
  for (BatchSlot& part : parts) {
    part.record_count = part.batch->record_count();
    buffered_bytes_ += part.batch->charged_bytes();
    make_ready(partition, part);
  }
  ++stats_.batches_split;
  partition.replace(slot, std::move(parts));
  news_ = true;
}

}  // namespace leat::client::detail
