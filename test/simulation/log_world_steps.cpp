// log_world_steps.cpp: what happens in a life: appends, upkeep alone and beside appends, DeleteRecords.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "core/record/batch.h"
#include "test/simulation/log_world.h"
#include "test/support/catch.h"

namespace leat {

namespace {

bool is_trouble(Errc code) noexcept { return code == Errc::kIo || code == Errc::kNoSpace || code == Errc::kOffline; }

}  // namespace

// The offsets after each event. What the log calls durable is what the model holds it to.
void LogWorld::note_offsets() {
  const LogOffsets& offsets = log_->offsets();
  REQUIRE(offsets.log_start <= offsets.last_stable);
  REQUIRE(offsets.last_stable <= offsets.high_watermark);
  REQUIRE(offsets.high_watermark <= offsets.log_end);
  REQUIRE(log_->recovery_point() <= offsets.log_end);
  if (config_.flush != FlushPolicy::kNone) durable_end_ = std::max(durable_end_, offsets.high_watermark.v);
  durable_end_ = std::max(durable_end_, log_->recovery_point().v);
  REQUIRE(offsets.log_start.v >= log_start_acknowledged_);
  log_start_seen_ = std::max(log_start_seen_, offsets.log_start.v);
}

// One batch of each of some clients, in any order.
std::vector<size_t> LogWorld::choose_inputs(std::vector<AppendInput>& inputs, std::vector<SubmittedPtr>& batches) {
  std::vector<size_t> chosen;
  for (size_t client = 0; client < clients_.size(); ++client) {
    if (random_.one_in(2)) chosen.push_back(client);
  }
  if (chosen.empty()) chosen.push_back(random_.below(clients_.size()));
  for (size_t i = chosen.size(); i > 1; --i) std::swap(chosen[i - 1], chosen[random_.below(i)]);
  for (const size_t client : chosen) {
    batches.push_back(clients_[client].next_batch(random_, now_ms_));
    inputs.push_back(append_input(*batches.back()));
  }
  return chosen;
}

void LogWorld::append() { append_beside(nullptr); }

// Appends, in as many groups as it happens and writes as the log wants, with other work done and finished at any moment
// of them. Plain ones may wait for one sync together, as in the lane.
void LogWorld::append_beside(std::unique_ptr<Maintenance> work) {
  std::vector<AppendInput> inputs;
  std::vector<SubmittedPtr> batches;
  std::vector<size_t> clients = choose_inputs(inputs, batches);
  enum class WorkState : uint8_t { kBegun, kExecuted, kFinished };
  WorkState state = work ? WorkState::kBegun : WorkState::kFinished;
  const std::function<void()> work_a_little = [&] {
    if (state == WorkState::kFinished || files_.power_is_out() || random_.one_in(3)) return;
    if (state == WorkState::kBegun) {
      work->execute();
      state = WorkState::kExecuted;
    } else {
      finish(*work);
      state = WorkState::kFinished;
    }
  };

  std::vector<Flight> unsynced;
  while (!inputs.empty() && !files_.power_is_out()) {
    Flight flight = begin_some(inputs, batches, clients);
    const bool may_wait = flight.append->size_bytes() > 0 && flight.append->is_plain() && flight.append->needs_sync();
    if (!may_wait) sync_flights(unsynced, work_a_little);
    work_a_little();
    if (files_.power_is_out()) {
      fail_flight(flight);
      break;
    }
    write_flight(std::move(flight), unsynced, work_a_little);
    if (!may_wait || random_.one_in(2)) sync_flights(unsynced, work_a_little);
  }
  sync_flights(unsynced, work_a_little);
  for (const size_t client : clients) clients_[client].on_failed();  // the power went before they were answered
  while (state != WorkState::kFinished && !files_.power_is_out()) work_a_little();
}

LogWorld::Flight LogWorld::begin_some(std::vector<AppendInput>& inputs, std::vector<SubmittedPtr>& batches,
                                      std::vector<size_t>& clients) {
  const auto offered_count = static_cast<ptrdiff_t>(1 + random_.below(inputs.size()));
  std::vector<AppendInput> offered(std::make_move_iterator(inputs.begin()),
                                   std::make_move_iterator(inputs.begin() + offered_count));
  inputs.erase(inputs.begin(), inputs.begin() + offered_count);
  std::vector<Slice> bytes;
  for (const AppendInput& input : offered) bytes.push_back(input.batch.bytes);
  Flight flight;
  flight.append = log_->begin_append(offered, now_ms_);
  REQUIRE(flight.append != nullptr);
  const auto taken = static_cast<ptrdiff_t>(bytes.size() - offered.size());
  REQUIRE(taken > 0);
  REQUIRE(flight.append->outcomes.size() == static_cast<size_t>(taken));
  inputs.insert(inputs.begin(), std::make_move_iterator(offered.begin()), std::make_move_iterator(offered.end()));
  flight.batches.assign(batches.begin(), batches.begin() + taken);
  flight.clients.assign(clients.begin(), clients.begin() + taken);
  batches.erase(batches.begin(), batches.begin() + taken);
  clients.erase(clients.begin(), clients.begin() + taken);
  note_candidates(*flight.append, flight.batches, bytes);
  return flight;
}

void LogWorld::write_flight(Flight flight, std::vector<Flight>& unsynced, const std::function<void()>& work_a_little) {
  flight.append->write();
  work_a_little();
  if (files_.power_is_out()) return fail_flight(flight);
  log_->on_written(*flight.append);
  note_written(*flight.append, flight.batches);
  work_a_little();
  if (!flight.append->failed() && flight.append->needs_sync()) {
    unsynced.push_back(std::move(flight));
    return;
  }
  note_offsets();
  take_outcomes(*flight.append, flight.clients, flight.batches);
}

// One sync for all.
void LogWorld::sync_flights(std::vector<Flight>& flights, const std::function<void()>& work_a_little) {
  if (flights.empty()) return;
  if (!files_.power_is_out()) {
    flights.back().append->sync();
    for (size_t i = 0; i + 1 < flights.size(); ++i) flights[i].append->share_sync_of(*flights.back().append);
    work_a_little();
  }
  for (const Flight& flight : flights) {
    if (files_.power_is_out()) {
      fail_flight(flight);
      continue;
    }
    log_->on_synced(*flight.append);
    note_offsets();
    take_outcomes(*flight.append, flight.clients, flight.batches);
  }
  flights.clear();
}

void LogWorld::fail_flight(const Flight& flight) {
  for (const size_t client : flight.clients) clients_[client].on_failed();
}

void LogWorld::note_candidates(const LogAppend& append, const std::vector<SubmittedPtr>& batches,
                               const std::vector<Slice>& bytes) {
  for (size_t i = 0; i < batches.size(); ++i) {
    if (append.outcomes[i].error || append.outcomes[i].duplicate) continue;
    model_.submitted(BatchView(bytes[i].view()).base_offset().v, batches[i]);
  }
}

// What was written is in the log, durable or not, and was not in it before.
void LogWorld::note_written(const LogAppend& append, const std::vector<SubmittedPtr>& batches) {
  if (append.failed()) return;
  for (size_t i = 0; i < batches.size(); ++i) {
    const BatchOutcome& outcome = append.outcomes[i];
    if (outcome.error || outcome.duplicate) continue;
    // A copy that retention took with the state of its producer may be appended again: in the log it is there once.
    const std::optional<int64_t> earlier = find_in(content_, *batches[i]);
    REQUIRE((!earlier || *earlier + batches[i]->record_count <= log_->offsets().log_start.v));
    REQUIRE(outcome.base_offset.v >= written_end_);
    written_end_ = outcome.base_offset.v + batches[i]->record_count;
    content_[outcome.base_offset.v] = batches[i];
    epoch_seen_ = log_->leader_epoch();
  }
  REQUIRE(log_->offsets().log_end.v == written_end_);
}

void LogWorld::take_outcomes(const LogAppend& append, const std::vector<size_t>& clients,
                             const std::vector<SubmittedPtr>& batches) {
  for (size_t i = 0; i < batches.size(); ++i) {
    const BatchOutcome& outcome = append.outcomes[i];
    if (outcome.error) {
      take_error(*outcome.error, clients[i], batches[i]);
      continue;
    }
    // Answered: under a policy that promises it, durable. Duplicates too.
    REQUIRE(outcome.base_offset.v + batches[i]->record_count <= log_->offsets().high_watermark.v);
    if (outcome.duplicate) REQUIRE(find_in(content_, *batches[i]) == outcome.base_offset.v);
    if (outcome.duplicate) tell(fmt::format("duplicate of {}", outcome.base_offset.v));
    clients_[clients[i]].on_answered();
  }
}

void LogWorld::take_error(const Error& error, size_t client, const SubmittedPtr& batch) {
  INFO(to_string(error.code) << ": " << error.context);
  tell(fmt::format("append failed: {}", error.context));
  if (is_trouble(error.code)) {
    REQUIRE(trouble_is_on_);
    if (error.code == Errc::kOffline) REQUIRE(health_.offline);
    clients_[client].on_failed();
    return;
  }
  // A gap in the sequences: only where the policy lets answered records be lost.
  REQUIRE(error.code == Errc::kOutOfOrderSequence);
  REQUIRE(acknowledged_may_be_lost_);
  REQUIRE_FALSE(find_in(content_, *batch));
  clients_[client].on_out_of_order();
}

void LogWorld::finish(Maintenance& work) {
  log_->finish(work);
  if (!work.error) return;
  INFO(work.error->context);
  tell(fmt::format("upkeep failed: {}", work.error->context));
  REQUIRE(trouble_is_on_);
}

void LogWorld::work_through(std::unique_ptr<Maintenance> work) {
  if (work == nullptr) return;
  work->execute();
  if (files_.power_is_out()) return;
  finish(*work);
}

void LogWorld::checkpoint() {
  work_through(log_->begin_checkpoint(now_ms_));
  if (files_.power_is_out()) return;
  note_offsets();
  const Result<void> written = write_checkpoints();
  if (files_.power_is_out()) return;
  if (!written) REQUIRE(trouble_is_on_);
  if (written) log_start_acknowledged_ = std::max(log_start_acknowledged_, log_->durable_log_start().v);
}

// Acknowledged when the checkpoint that remembers it is durable; before that all below it is.
void LogWorld::delete_records() {
  const LogOffsets offsets = log_->offsets();
  const int64_t span = offsets.high_watermark - offsets.log_start;
  const Offset to = offsets.log_start + static_cast<int64_t>(random_.below(static_cast<uint64_t>(span) + 3));
  const Result<void> advanced = log_->advance_log_start(to);
  if (!advanced && health_.offline) return;
  REQUIRE(advanced.has_value() == (to <= offsets.high_watermark));
  if (!advanced) {
    REQUIRE(advanced.error().code == Errc::kOffsetOutOfRange);
    return;
  }
  note_offsets();
  if (log_->durable_log_start() < log_->offsets().log_start) {
    work_through(log_->begin_checkpoint(now_ms_));
    if (files_.power_is_out()) return;
    note_offsets();
  }
  if (write_checkpoints()) log_start_acknowledged_ = std::max(log_start_acknowledged_, log_->durable_log_start().v);
}

}  // namespace leat
