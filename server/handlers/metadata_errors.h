// metadata_errors.h: MetadataErrc as Kafka's error codes: the one switch of these APIs.
#pragma once

#include "core/metadata/metadata_machine.h"
#include "net/protocol/error_code.h"

namespace leat {

constexpr ErrorCode error_code_of(MetadataErrc code) noexcept {
  switch (code) {
    case MetadataErrc::kTopicAlreadyExists:
      return ErrorCode::kTopicAlreadyExists;
    case MetadataErrc::kUnknownTopic:
      return ErrorCode::kUnknownTopicOrPartition;
    case MetadataErrc::kUnknownTopicId:
      return ErrorCode::kUnknownTopicId;
    case MetadataErrc::kInvalidTopic:
      return ErrorCode::kInvalidTopicException;
    case MetadataErrc::kInvalidPartitions:
      return ErrorCode::kInvalidPartitions;
    case MetadataErrc::kInvalidReplicationFactor:
      return ErrorCode::kInvalidReplicationFactor;
    case MetadataErrc::kInvalidReplicaAssignment:
      return ErrorCode::kInvalidReplicaAssignment;
    case MetadataErrc::kInvalidConfig:
      return ErrorCode::kInvalidConfig;
    case MetadataErrc::kInvalidRequest:
      return ErrorCode::kInvalidRequest;
    case MetadataErrc::kPolicyViolation:
      return ErrorCode::kPolicyViolation;
    case MetadataErrc::kThrottlingQuotaExceeded:
      return ErrorCode::kThrottlingQuotaExceeded;
    case MetadataErrc::kStorage:
      return ErrorCode::kKafkaStorageError;
    case MetadataErrc::kStopping:
      return ErrorCode::kNotController;  // clients look for another, and find us again
  }
  return ErrorCode::kUnknownServerError;
}

}  // namespace leat
