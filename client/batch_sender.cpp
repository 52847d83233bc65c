// batch_sender.cpp: Produce.
#include "client/batch_sender.h"

#include <fmt/format.h>

#include "core/record/batch.h"
#include "net/protocol/messages/produce.h"

namespace leat {
namespace {

constexpr int32_t kProduceTimeoutMs = 30'000;

Error refusal(std::string_view topic, const ProduceResponse::PartitionProduceResponse& answer) {
  std::string text = fmt::format("{}-{} refused the records", topic, answer.index);
  Error error = to_error(answer.error_code, text, answer.error_message);
  for (const auto& record : answer.record_errors) {
    error.context +=
        fmt::format("; record {}: {}", record.batch_index, record.batch_index_error_message.value_or("refused"));
  }
  if (answer.error_code == ErrorCode::kMessageTooLarge) {
    error.context = with_hint(std::move(error.context),
                              "Send smaller batches (--batch-bytes), or raise the topic's max.message.bytes");
  }
  return error;
}

std::string why_not_yet(std::string_view topic, const ProduceResponse::PartitionProduceResponse& answer) {
  std::string why = describe_error(answer.error_code, answer.error_message);
  if (answer.error_code != ErrorCode::kNotEnoughReplicas &&
      answer.error_code != ErrorCode::kNotEnoughReplicasAfterAppend) {
    return why;
  }
  return with_hint(std::move(why), fmt::format("A leatd is one replica: leat config set topic {} "
                                               "min.insync.replicas=1",
                                               topic));
}

}  // namespace

int32_t BatchSender::leader_of(int32_t partition) const noexcept {
  for (const auto& known : topic_.partitions) {
    if (known.partition_index == partition) return known.leader_id;
  }
  return -1;
}

Result<void> BatchSender::send_once(std::map<int32_t, Slice>& batches, std::vector<SentBatch>& sent) {
  std::map<int32_t, ProduceRequest> requests;  // by leader
  for (const auto& [partition, batch] : batches) {
    ProduceRequest& request = requests[leader_of(partition)];
    request.acks = static_cast<int16_t>(acks_);
    request.timeout_ms = kProduceTimeoutMs;
    if (request.topic_data.empty()) request.topic_data.emplace_back().name = topic_.name.value_or("");
    request.topic_data.front().partition_data.push_back({.index = partition, .records = Records(batch)});
  }
  const auto done = [&](int32_t partition, int64_t base_offset) {
    const auto batch = batches.find(partition);
    if (batch == batches.end()) return;
    sent.push_back({.partition = partition,
                    .base_offset = base_offset,
                    .record_count = BatchView(batch->second.view()).record_count()});
    batches.erase(batch);
  };
  for (const auto& [leader, request] : requests) {
    TRY(broker, client_.broker(leader));
    if (acks_ == Acks::kNone) {
      TRY(broker->send(request, kProduceVersionMax));
      for (const auto& data : request.topic_data.front().partition_data) done(data.index, -1);
      continue;
    }
    TRY(response, broker->call<ProduceResponse>(request, kProduceVersionMax));
    for (const auto& topic : response.responses) {
      for (const auto& answer : topic.partition_responses) {
        if (answer.error_code == ErrorCode::kNone) {
          done(answer.index, answer.base_offset);
        } else if (is_retriable(answer.error_code) && answer.error_code != ErrorCode::kCorruptMessage) {
          last_retriable_ = why_not_yet(topic.name, answer);
        } else {
          return fail(refusal(topic.name, answer));
        }
      }
    }
  }
  return {};
}

Result<std::vector<SentBatch>> BatchSender::send(std::map<int32_t, Slice> batches) {
  constexpr int kTries = 20;
  constexpr Millis kPause{200};
  std::vector<SentBatch> sent;
  for (int tries_left = kTries;; --tries_left) {
    TRY(send_once(batches, sent));
    if (batches.empty()) return sent;
    const int32_t partition = batches.begin()->first;
    if (tries_left == 0) {
      return fail(Errc::kIo,
                  fmt::format("{}-{} does not take records: {}", topic_.name.value_or(""), partition, last_retriable_));
    }
    pause_for(kPause);
    TRY(topic, client_.topic(topic_.name.value_or(""), AutoCreate::kNo));
    topic_ = std::move(topic);
  }
}

}  // namespace leat
