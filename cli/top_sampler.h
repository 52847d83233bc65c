// top_sampler.h: asks a cluster what `leat top` shows, without ever waiting: answers come in the client's thread, wake
// the pipe, and are taken up by the next advance(). Sizes and groups may be missing, which the sample says; without
// topics and their offsets there is no sample. Thread: one, which is not the client's.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <leat/client.h>

#include "cli/top_sample.h"
#include "cli/top_wake.h"

namespace leat::cli {

// The answer of one call. It may come when nobody wants it any more.
template <class T>
class Awaited {
 public:
  void await(client::Pending<T> pending, std::shared_ptr<WakePipe> wake) {
    auto place = std::make_shared<Place>();
    place_ = place;
    std::move(pending).then([place = std::move(place), wake = std::move(wake)](client::Result<T> answer) {
      {
        const std::lock_guard held(place->mutex);
        place->answer.emplace(std::move(answer));
      }
      wake->wake();
    });
  }
  bool is_there() const {
    const std::lock_guard held(place_->mutex);
    return place_->answer.has_value();
  }
  client::Result<T> take() {
    const std::lock_guard held(place_->mutex);
    return *std::move(place_->answer);
  }

 private:
  struct Place {
    std::mutex mutex;
    std::optional<client::Result<T>> answer;
  };
  std::shared_ptr<Place> place_;
};

enum class InternalTopics : uint8_t { kLeftOut, kShown };

class Sampler {
 public:
  Sampler(client::Admin& admin, InternalTopics internal, std::shared_ptr<WakePipe> wake) noexcept
      : admin_(admin), internal_(internal), wake_(std::move(wake)) {}

  bool is_idle() const noexcept { return step_ == Step::kIdle; }
  void begin();  // when idle
  // The sample, or why there is none, once; then it is idle again. taken_at, wall_ms and connections are the caller's.
  std::optional<client::Result<Sample>> advance();

 private:
  enum class Step : uint8_t { kIdle, kListing, kCommitted, kLogEnds };

  bool has_listing() const;
  std::optional<client::Error> take_listing();
  void take_sizes();
  void ask_committed();
  bool has_committed() const;
  std::optional<client::Error> take_committed();
  void ask_log_ends();
  std::optional<client::Result<Sample>> finish();

  client::Admin& admin_;
  const InternalTopics internal_;
  const std::shared_ptr<WakePipe> wake_;
  Step step_ = Step::kIdle;
  int attempts_ = 0;
  Sample sample_;
  Awaited<client::ClusterInfo> cluster_;
  Awaited<std::vector<client::TopicInfo>> topics_;
  Awaited<std::vector<client::LogDirInfo>> log_dirs_;
  Awaited<std::vector<client::GroupSummary>> groups_;
  std::map<std::string, Awaited<client::Offsets>> committed_;  // by group
  Awaited<std::map<client::TopicPartition, client::OffsetAndTimestamp>> log_ends_;
};

}  // namespace leat::cli
