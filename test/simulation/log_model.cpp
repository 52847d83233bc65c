// log_model.cpp: see the header.
#include "test/simulation/log_model.h"

#include <fmt/format.h>

#include "core/record/batch.h"
#include "core/record/batch_builder.h"
#include "test/support/catch.h"

namespace leat {

namespace {

SubmittedPtr make_batch(Random& random, int64_t now_ms, const BatchOptions& options) {
  auto batch = std::make_shared<SubmittedBatch>();
  BatchBuilder builder(options);
  const uint64_t record_count = 1 + random.below(random.one_in(4) ? 40 : 4);
  const uint64_t value_bytes_max = record_count <= 4 && random.one_in(4) ? 2500 : 200;
  for (uint64_t i = 0; i < record_count; ++i) {
    std::vector<uint8_t> value(random.below(value_bytes_max));
    const uint64_t pattern = random.next();
    for (size_t at = 0; at < value.size(); ++at) value[at] = static_cast<uint8_t>(pattern >> (8 * (at % 8)));
    const std::string key = fmt::format("{:016x}", random.next());  // so that no two batches are alike
    const int64_t timestamp_ms = now_ms - static_cast<int64_t>(random.below(50));
    builder.append({.key = as_bytes(key), .value = ByteView(value), .timestamp_ms = timestamp_ms});
    batch->timestamps_ms.push_back(timestamp_ms);
  }
  Result<Slice> bytes = builder.finish();
  REQUIRE(bytes);
  batch->bytes = std::move(*bytes);
  batch->record_count = static_cast<int32_t>(record_count);
  batch->producer_id = options.producer_id;
  batch->producer_epoch = options.producer_epoch;
  batch->base_sequence = options.base_sequence;
  return batch;
}

}  // namespace

SubmittedPtr SimulatedClient::next_batch(Random& random, int64_t now_ms) {
  if (unanswered_ != nullptr) return unanswered_;
  BatchOptions options{.codec = random.one_in(5) ? Codec::kLz4 : Codec::kNone};
  if (is_idempotent()) {
    options.producer_id = producer_id_;
    options.producer_epoch = epoch_;
    options.base_sequence = next_sequence_;
  }
  unanswered_ = make_batch(random, now_ms, options);
  return unanswered_;
}

void SimulatedClient::on_answered() {
  REQUIRE(unanswered_ != nullptr);
  next_sequence_ += unanswered_->record_count;
  unanswered_ = nullptr;
}

void SimulatedClient::on_failed() {
  if (!is_idempotent()) unanswered_ = nullptr;
}

// What a real one does: a new epoch from InitProducerId, and the batch again under it.
void SimulatedClient::on_out_of_order() {
  ++epoch_;
  next_sequence_ = 0;
  unanswered_ = nullptr;
}

AppendInput append_input(const SubmittedBatch& batch) {
  Slice bytes = Slice::copy_of(batch.bytes.view());
  const BatchView view(bytes.view());
  ValidBatch valid;
  valid.record_count = view.record_count();
  valid.last_offset_delta = view.last_offset_delta();
  valid.max_timestamp_ms = view.max_timestamp();
  valid.bytes = std::move(bytes);
  return {.batch = std::move(valid)};
}

SubmittedPtr LogModel::identify(int64_t offset, ByteView bytes) const {
  const auto found = candidates_.find(offset);
  if (found == candidates_.end()) return nullptr;
  for (const SubmittedPtr& candidate : found->second) {
    const ByteView made = candidate->bytes.view();
    if (made.size() > bytes.size()) continue;
    // Base offset and leader epoch are the log's; magic and all behind it are the client's, and so is the length.
    const bool is_same = equal(made.subspan(kMagicAt), bytes.subspan(kMagicAt, made.size() - kMagicAt)) &&
                         BatchView(bytes).batch_length() == BatchView(made).batch_length();
    if (is_same) return candidate;
  }
  return nullptr;
}

std::optional<int64_t> find_in(const LogContent& content, const SubmittedBatch& batch) {
  for (const auto& [base_offset, present] : content) {
    if (present.get() == &batch) return base_offset;
  }
  return std::nullopt;
}

}  // namespace leat
