// error.h: the one error type that crosses Leat's interfaces: a code to act on and words for a person. The words say
// what happened, to which topic partition or file, and what to do. Wire codes are made from Errc in server/handlers
// only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace leat {

enum class Errc : uint8_t {
  // Files and the machine.
  kIo,             // the operating system refused; context has path and errno's text
  kNoSpace,        // disk full or below the reserve; clears by itself when space is freed
  kNotFound,       // no such file, topic, partition, member ...
  kAlreadyExists,  //
  kLocked,         // another process holds the data directory
  kOffline,        // the log directory failed earlier (a sync failed): no more writes until restart
  kCorrupt,        // bytes on disk are not what was written; context has file, position, expected, found
  kCancelled,      // shutting down, or the asker is gone
  kTimedOut,
  kUnsupported,  // a version, codec or feature that is not served
  kLimit,        // a bound of ours was reached
  kInvalidArgument,
  kProtocol,  // bytes from a peer cannot be decoded
  // Records.
  kCorruptBatch,       // CRC, length or compressed data of a client's batch are wrong
  kInvalidRecord,      // well-formed bytes that break a rule of the record format or the topic
  kInvalidTimestamp,   // outside message.timestamp.before/after.max.ms
  kMessageTooLarge,    // above max.message.bytes
  kUnsupportedFormat,  // message format v0 or v1 where v2 is required
  kUnsupportedCodec,   // codec not allowed at this request version
  // The log and its producers.
  kOffsetOutOfRange,
  kOutOfOrderSequence,
  kDuplicateSequence,
  kInvalidProducerEpoch,
  kUnknownProducerId,
  kPolicyViolation,
};

std::string_view to_string(Errc code) noexcept;

struct Error {
  Errc code;
  std::string context;

  Error(Errc error_code, std::string error_context) : code(error_code), context(std::move(error_context)) {}
};

// "<context>: <strerror(error_number)>" with the code that belongs to errno: ENOSPC and EDQUOT kNoSpace, ENOENT
// kNotFound, ...
Error error_from_errno(int error_number, std::string_view context);

}  // namespace leat
