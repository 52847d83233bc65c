// init_producer_id.cpp: InitProducerId 0-5. Ids come from MetadataStore in blocks that are durable before their first
// id is given out, so none is given twice, also after a crash. Without a transactional id each call gets a new id at
// epoch 0, whatever id the client had (it is Kafka's answer too: idempotent producers raise their epoch themselves,
// KIP-360). Gap: transactions: with a transactional id the coordinator is not available. Waits: for a new block now and
// then.
//   empty transactional id                          INVALID_REQUEST
//   producer id without epoch, or the reverse       INVALID_REQUEST
//   transactional id                                COORDINATOR_NOT_AVAILABLE
//   the journal cannot take a new block             KAFKA_STORAGE_ERROR
//   shutting down                                   COORDINATOR_LOAD_IN_PROGRESS
#include "server/broker.h"
#include "server/handlers/data_handlers.h"
#include "server/metadata_store.h"

namespace leat {

namespace {

ErrorCode error_of(MetadataErrc code) noexcept {
  switch (code) {
    case MetadataErrc::kStopping:
      return ErrorCode::kCoordinatorLoadInProgress;
    case MetadataErrc::kStorage:
      return ErrorCode::kKafkaStorageError;
    case MetadataErrc::kTopicAlreadyExists:
    case MetadataErrc::kUnknownTopic:
    case MetadataErrc::kUnknownTopicId:
    case MetadataErrc::kInvalidTopic:
    case MetadataErrc::kInvalidPartitions:
    case MetadataErrc::kInvalidReplicationFactor:
    case MetadataErrc::kInvalidReplicaAssignment:
    case MetadataErrc::kInvalidConfig:
    case MetadataErrc::kInvalidRequest:
    case MetadataErrc::kPolicyViolation:
    case MetadataErrc::kThrottlingQuotaExceeded:
      return ErrorCode::kUnknownServerError;  // ids give none of these
  }
  return ErrorCode::kUnknownServerError;
}

InitProducerIdResponse refused(ErrorCode code) {
  InitProducerIdResponse response;
  response.error_code = code;
  response.producer_id = kNoProducerId;
  response.producer_epoch = kNoProducerEpoch;
  return response;
}

}  // namespace

Task<InitProducerIdResponse> handle_init_producer_id(Broker& broker, Request /*request*/,
                                                     InitProducerIdRequest message) {
  const bool has_id = message.producer_id != kNoProducerId;
  const bool has_epoch = message.producer_epoch != kNoProducerEpoch;
  if (has_id != has_epoch) co_return refused(ErrorCode::kInvalidRequest);
  if (message.transactional_id && message.transactional_id->empty()) co_return refused(ErrorCode::kInvalidRequest);
  if (message.transactional_id) co_return refused(ErrorCode::kCoordinatorNotAvailable);
  const MetadataResult<int64_t> id = co_await broker.metadata->next_producer_id();
  if (!id) co_return refused(error_of(id.error().code));
  InitProducerIdResponse response;
  response.producer_id = *id;
  response.producer_epoch = 0;
  co_return response;
}

}  // namespace leat
