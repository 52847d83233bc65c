// producer.cpp: the public face of ProducerCore.
#include <leat/producer.h>

#include "client/producer/producer_core.h"

namespace leat::client {

SendOperation::SendOperation(std::shared_ptr<detail::ProducerCore> core, const ProducerRecord& record)
    : core_(std::move(core)), record_(record) {
  core_->begin(*this);
}

SendOperation::~SendOperation() { core_->abandon(*this); }

// Told of its record's outcome, and of the batch that has the callback.
DeliveryCallback SendOperation::callback() noexcept {
  return {[](DeliveryCallback::Act act, unsigned char* storage, const void* argument) {
            SendOperation* self = nullptr;
            std::memcpy(&self, storage, sizeof(void*));
            switch (act) {
              case DeliveryCallback::Act::kReport: {
                const auto& report = *static_cast<const DeliveryReport*>(argument);
                if (!report.ok()) return self->core_->resolve(*self, *report.error);
                return self->core_->resolve(*self, DeliveredRecord{.partition = report.partition,
                                                                   .offset = report.offset,
                                                                   .log_append_time_ms = report.log_append_time_ms});
              }
              case DeliveryCallback::Act::kMoved:
                self->place_ = *static_cast<const detail::OutcomePlace*>(argument);
                break;
              case DeliveryCallback::Act::kDrop:
                break;
            }
          },
          static_cast<void*>(this)};
}

bool SendOperation::await_ready() noexcept { return core_->is_resolved(*this); }
bool SendOperation::await_suspend(std::coroutine_handle<> awaiter) noexcept { return core_->suspend(*this, awaiter); }
Result<DeliveredRecord> SendOperation::await_resume() noexcept { return std::move(*outcome_); }

Producer::Producer(std::shared_ptr<detail::ProducerCore> core) noexcept : core_(std::move(core)) {}
Producer::~Producer() { core_->shut_down(); }
SendOperation Producer::send(const ProducerRecord& record) { return SendOperation(core_, record); }
Result<> Producer::send(const ProducerRecord& record, DeliveryCallback on_delivery) {
  return core_->send(record, std::move(on_delivery));
}
Pending<> Producer::ready() { return core_->ready(); }
Pending<> Producer::flush(int64_t timeout_ms) { return core_->flush(timeout_ms); }
Pending<> Producer::close(int64_t timeout_ms) { return core_->close(timeout_ms); }
ProducerStats Producer::stats() const { return core_->stats(); }

}  // namespace leat::client
