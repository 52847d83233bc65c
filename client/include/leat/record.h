// record.h: records on their way out and in. All of them are views: a ProducerRecord points to the caller's bytes until
// the record is taken, a RecordView into the answer of a broker, as long as the Records that it came from lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace leat::client {

struct Header {
  std::string_view key;
  std::optional<std::string_view> value;  // none: null
};

inline constexpr int32_t kAnyPartition = -1;
inline constexpr int64_t kTimestampNow = -1;

struct ProducerRecord {
  std::string_view topic;
  std::optional<std::string_view> key = {};    // none: null
  std::optional<std::string_view> value = {};  // none: null, a tombstone in a compacted topic
  int32_t partition = kAnyPartition;           // else this one, whatever the partitioner says
  int64_t timestamp_ms = kTimestampNow;        // since 1970
  std::span<const Header> headers = {};
};

// The headers of a record, read one after the other: for (const Header& header : record.headers) ...
class HeaderRange {
 public:
  class Iterator {
   public:
    using value_type = Header;
    using difference_type = std::ptrdiff_t;
    const Header& operator*() const noexcept { return header_; }
    const Header* operator->() const noexcept { return &header_; }
    Iterator& operator++() noexcept {
      advance();
      return *this;
    }
    friend bool operator==(const Iterator& at, std::default_sentinel_t) noexcept { return at.left_ < 0; }

   private:
    friend HeaderRange;
    Iterator(const uint8_t* next, const uint8_t* end, int32_t left) noexcept : next_(next), end_(end), left_(left) {
      advance();
    }
    void advance() noexcept;

    Header header_;
    const uint8_t* next_;
    const uint8_t* end_;
    int32_t left_;
  };

  HeaderRange() noexcept = default;
  HeaderRange(const uint8_t* encoded, size_t size_bytes, int32_t count) noexcept
      : encoded_(encoded), size_bytes_(size_bytes), count_(count) {}
  Iterator begin() const noexcept { return {encoded_, encoded_ + size_bytes_, count_}; }
  std::default_sentinel_t end() const noexcept { return {}; }
  int32_t size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }

 private:
  const uint8_t* encoded_ = nullptr;  // checked when the record was parsed
  size_t size_bytes_ = 0;
  int32_t count_ = 0;
};

enum class TimestampType : uint8_t { kCreateTime, kLogAppendTime };

struct RecordView {
  std::string_view topic;
  int32_t partition = 0;
  int32_t leader_epoch = -1;
  int64_t offset = 0;
  int64_t timestamp_ms = -1;
  TimestampType timestamp_type = TimestampType::kCreateTime;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  HeaderRange headers;
};

namespace detail {
class FetchedRecords;  // the parts of fetch answers, by partition, already checked and unpacked
}  // namespace detail

// What one poll gave: records of one or more partitions, each partition's in the order of their offsets. Holds the
// answers of the brokers that its views point into, and no copy of them; they count against the consumer's prefetch
// bound until the last copy of a Records is gone. Cheap to copy and to hand to another thread; a single one is read by
// one thread at a time.
//   for (const RecordView& record : records) use(record.value);
class Records {
 public:
  class Iterator {
   public:
    using value_type = RecordView;
    using difference_type = std::ptrdiff_t;
    const RecordView& operator*() const noexcept { return record_; }
    const RecordView* operator->() const noexcept { return &record_; }
    Iterator& operator++() noexcept {
      advance();
      return *this;
    }
    friend bool operator==(const Iterator& at, std::default_sentinel_t) noexcept { return at.ended_; }

   private:
    friend Records;
    explicit Iterator(const detail::FetchedRecords* of) noexcept;
    void advance() noexcept;

    RecordView record_;
    const detail::FetchedRecords* of_;
    size_t part_ = 0;                // of of_'s parts
    const uint8_t* next_ = nullptr;  // in the part: the next record
    const uint8_t* end_ = nullptr;
    int64_t base_offset_ = 0;     // of the batch
    int64_t base_timestamp_ = 0;  // of the batch
    int32_t left_in_batch_ = 0;
    bool ended_ = true;
  };

  Records() noexcept = default;
  explicit Records(std::shared_ptr<const detail::FetchedRecords> fetched) noexcept : fetched_(std::move(fetched)) {}

  Iterator begin() const noexcept { return Iterator(fetched_.get()); }
  std::default_sentinel_t end() const noexcept { return {}; }
  // An upper bound where control records or aborted ones are left out; exact otherwise.
  size_t count_max() const noexcept;
  bool empty() const noexcept { return begin() == end(); }

 private:
  std::shared_ptr<const detail::FetchedRecords> fetched_;
};

}  // namespace leat::client
