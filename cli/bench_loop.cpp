// bench_loop.cpp: see bench_loop.h.
#include "cli/bench_loop.h"

#include <utility>

#include "cli/topic_lookup.h"

namespace leat::cli {
namespace {

constexpr Millis kTick{200};

}  // namespace

Result<std::unique_ptr<client::Client>> BenchLoop::new_client(Session& session) {
  TRY(settings, session.client_settings());
  settings.client_id = "leat-bench";
  return session.checked(client::Client::create_on(loop_.raw(), settings));
}

void BenchLoop::run(std::function<void()> on_tick) {
  on_tick_ = std::move(on_tick);
  running_ = true;
  timer_ = loop_.timers().start(kTick, [this] { tick(); });
  loop_.run();
  running_ = false;
  loop_.timers().cancel(std::exchange(timer_, kNoTimer));
}

void BenchLoop::tick() {
  timer_ = loop_.timers().start(kTick, [this] { tick(); });
  on_tick_();
}

void BenchLoop::stop() noexcept {
  if (std::exchange(running_, false)) loop_.stop();
}

Result<client::TopicInfo> find_bench_topic(Session& session, const std::string& name) {
  TRY(topic, find_or_make_topic(session, name));
  TRY(reach_leaders(session, topic));
  return std::move(topic);
}

}  // namespace leat::cli
