// describe_log_dirs.h: DescribeLogDirs, API key 35, versions 1 to 5, flexible since 2: log directories and the sizes of
// their partitions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct DescribeLogDirsRequest {
  static constexpr std::string_view kName = "DescribeLogDirsRequest";
  static constexpr Versions kVersions{.key = 35, .min = 1, .max = 5, .flexible_since = 2};

  struct DescribableLogDirTopic {
    std::string topic;
    std::vector<int32_t> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topic", m.topic);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const DescribableLogDirTopic&, const DescribableLogDirTopic&) = default;
  };

  std::optional<std::vector<DescribableLogDirTopic>> topics = std::vector<DescribableLogDirTopic>{};

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("topics", m.topics, {}, kEmpty);
  }
  friend bool operator==(const DescribeLogDirsRequest&, const DescribeLogDirsRequest&) = default;
};

struct DescribeLogDirsResponse {
  static constexpr std::string_view kName = "DescribeLogDirsResponse";
  static constexpr Versions kVersions{.key = 35, .min = 1, .max = 5, .flexible_since = 2};

  struct DescribeLogDirsPartition {
    int32_t partition_index = 0;
    int64_t partition_size = 0;
    int64_t offset_lag = 0;
    bool is_future_key = false;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("partitionSize", m.partition_size);
      v.field("offsetLag", m.offset_lag);
      v.field("isFutureKey", m.is_future_key);
    }
    friend bool operator==(const DescribeLogDirsPartition&, const DescribeLogDirsPartition&) = default;
  };

  struct DescribeLogDirsTopic {
    std::string name;
    std::vector<DescribeLogDirsPartition> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const DescribeLogDirsTopic&, const DescribeLogDirsTopic&) = default;
  };

  struct DescribeLogDirsResult {
    ErrorCode error_code = ErrorCode::kNone;
    std::string log_dir;
    std::vector<DescribeLogDirsTopic> topics;
    int64_t total_bytes = -1;
    int64_t usable_bytes = -1;
    bool is_cordoned = false;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("errorCode", m.error_code);
      v.field("logDir", m.log_dir);
      v.field("topics", m.topics);
      v.field("totalBytes", m.total_bytes, {.since = 4, .ignorable = true}, -1);
      v.field("usableBytes", m.usable_bytes, {.since = 4, .ignorable = true}, -1);
      v.field("isCordoned", m.is_cordoned, {.since = 5, .ignorable = true});
    }
    friend bool operator==(const DescribeLogDirsResult&, const DescribeLogDirsResult&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::vector<DescribeLogDirsResult> results;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code, {.since = 3, .ignorable = true});
    v.field("results", m.results);
  }
  friend bool operator==(const DescribeLogDirsResponse&, const DescribeLogDirsResponse&) = default;
};

}  // namespace leat
