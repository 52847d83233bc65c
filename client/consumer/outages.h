// outages.h: what keeps brokers from giving a consumer what it wants, while it is tried on without a word: by source,
// for a broker that answers says nothing of another one. A broker that cannot be reached, or does not answer in time,
// is told at once; what mostly passes within a moment (a leader that moves, a coordinator that loads, one of several
// bootstrap servers, a topic that is not there) only when it has lasted. What will not pass is no outage, for poll()
// gives it; but for topics, which somebody may make or allow. Pure. Thread: the loop.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include <leat/error.h>
#include <leat/topic_partition.h>

#include "core/base/clock.h"

namespace leat::client::detail {

class Outages {
 public:
  enum class Of : uint8_t { kFetches, kPartition, kLeader, kGroup, kPositions, kMetadata, kTopic };
  struct Source {
    Of of = Of::kMetadata;
    int32_t node = -1;              // of kFetches
    TopicPartition partition = {};  // of kPartition and kLeader; of kTopic only its topic
    friend auto operator<=>(const Source&, const Source&) = default;
  };

  void note(const Source& source, const Error& error, Nanos now);  // it failed, again perhaps
  void clear(const Source& source) { entries_.erase(source); }
  void clear_unless(const std::function<bool(const Source&)>& is_needed);
  bool empty() const noexcept { return entries_.empty(); }
  // Of those that are to be told the one that began first.
  std::optional<Error> current(Nanos now) const;

 private:
  struct Entry {
    Error error;
    Nanos since;
  };
  std::map<Source, Entry> entries_;
};

}  // namespace leat::client::detail
