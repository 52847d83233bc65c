// fetch_pass.h: one look of a fetch at its partitions: what each would answer now, within the limits. Hot bytes come
// from the tail cache by reference, large batches in the page cache go from the file to the socket, fewer are read
// here, and cold ones by workers, several reads in one job. A fetch that must wait throws the pass away and makes
// another when something has changed. Thread: the loop; reads on kRead workers.
#pragma once

#include <memory>
#include <vector>

#include "net/loop/task.h"
#include "net/protocol/messages/fetch.h"
#include "server/broker.h"
#include "server/fetch_session.h"
#include "server/handlers/topic_lookup.h"

namespace leat {

struct FetchLimits {
  int16_t version = 0;
  int64_t bytes_max = 0;       // of the whole response
  bool from_follower = false;  // answered as by a leader that has no followers
};

class FetchPass {
 public:
  struct Answer {
    FetchEntry* entry = nullptr;
    FetchResponse::PartitionData data;
    int64_t bytes = 0;
    bool more_to_say = false;  // bytes left above the fetch offset, or an error: the entry stays ready
  };

  FetchPass(Broker& broker, FetchSession& session, FetchLimits limits) noexcept
      : broker_(broker), session_(session), limits_(limits) {}

  // Looks at `entries`, in that order. The entries must stay in the session's watch until it returns.
  Task<void> look(std::vector<FetchEntry*> entries);

  std::vector<Answer>& answers() noexcept { return answers_; }
  int64_t bytes() const noexcept { return bytes_; }
  bool must_answer() const noexcept { return must_answer_; }  // an error, or a log that diverges

 private:
  struct ColdRead {
    size_t answer;
    std::unique_ptr<SegmentRead> read;
  };

  enum class Looked : uint8_t { kDone, kReadColdFirst };
  Looked look_at(FetchEntry& entry);
  PartitionRef find(const FetchEntry& entry) const;
  Partition* resolve(FetchEntry& entry, Answer& answer);
  bool position_is_good(const Partition& partition, const FetchEntry& entry, Answer& answer);
  void fail(Answer& answer, ErrorCode code);
  void read_from_page_cache();
  Task<void> read_cold();
  void take(Answer& answer, FetchedBatches batches);
  void take_read(Answer& answer, FetchedBatches batches);
  bool take_from_page_cache(Answer& answer, SegmentRead& read);
  void note_read_end(const FetchEntry& entry, const std::optional<ReadEnd>& end);
  int64_t left() const noexcept { return limits_.bytes_max - bytes_; }

  Broker& broker_;
  FetchSession& session_;
  FetchLimits limits_;
  std::vector<Answer> answers_;
  std::vector<ColdRead> cold_;
  int64_t bytes_ = 0;
  int64_t loop_read_bytes_ = 0;
  bool must_answer_ = false;
};

// What of `batches` fits into `bytes_max`: whole batches from the front.
FetchedBatches front_of(FetchedBatches batches, int64_t bytes_max);

}  // namespace leat
