// partitioner.h: the hashes by which Kafka's Java clients and coordinators choose a partition. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/bytes.h"

namespace leat {

int32_t murmur2(ByteView key) noexcept;  // as Kafka's Utils.murmur2

// Where Java's default partitioner puts a record with this key. partition_count > 0.
int32_t partition_for_key(ByteView key, int32_t partition_count) noexcept;

// Java's String.hashCode of UTF-8 text (over UTF-16 units; a malformed byte counts as U+FFFD), and the partition of an
// internal topic that coordinates a group or transactional id: Utils.abs(hash) % partition_count.
int32_t java_string_hash(std::string_view utf8) noexcept;
int32_t coordinator_partition(std::string_view id, int32_t partition_count) noexcept;
// For who has the hash already; its count may be known only later.
int32_t coordinator_partition_of_hash(int32_t hash, int32_t partition_count) noexcept;

}  // namespace leat
