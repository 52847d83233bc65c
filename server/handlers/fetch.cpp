// fetch.cpp: Fetch 4-18, with sessions (KIP-227), topic ids (13+), leader epochs (KIP-320, KIP-595). Gaps: aborted
// transactions (none exist yet); a fetch by a follower is refused. Parks: until min.bytes are there, an error or a
// deletion concerns it, or max.wait.ms passed; on the waiter lists of its partitions and one timer. It registers first
// and looks after. Above the client's consumer_byte_rate the answer is empty and says for how long to wait; the session
// goes on as if it had not been asked.
//   whole request: session not known                                     FETCH_SESSION_ID_NOT_FOUND
//                  not the session's next epoch                          INVALID_FETCH_SESSION_EPOCH
//                  session made with names used with ids, or reverse     FETCH_SESSION_TOPIC_ID_ERROR
//   a partition, answered at once, offsets -1:
//                  no such topic or partition / topic id                 UNKNOWN_TOPIC_OR_PARTITION / UNKNOWN_TOPIC_ID
//                  topic made anew while a session had it                INCONSISTENT_TOPIC_ID
//                  leader epoch below / above ours                       FENCED_LEADER_EPOCH / UNKNOWN_LEADER_EPOCH
//                  fetch offset outside the log                          OFFSET_OUT_OF_RANGE
//                  bytes on disk are damaged / cannot be read            CORRUPT_MESSAGE / KAFKA_STORAGE_ERROR
//                  asked by a follower, shutting down                    NOT_LEADER_OR_FOLLOWER
#include <algorithm>

#include "server/handlers/data_handlers.h"
#include "server/handlers/fetch_pass.h"
#include "server/handlers/throttle.h"

namespace leat {

namespace {

enum class FetchKind : uint8_t {
  kSessionless,
  kFull,         // asks for a session; answers every partition
  kIncremental,  // of a session; answers what changed
};

struct FetchContext {
  ErrorCode error = ErrorCode::kNone;
  FetchKind kind = FetchKind::kSessionless;
  std::shared_ptr<FetchSession> session;  // one without an id serves a fetch that has none
  std::vector<FetchEntry*> all;           // every entry, in the request's order, unless incremental
  bool followed = false;                  // the request names a follower
};

FetchKey key_of(const FetchRequest::FetchTopic& topic, int32_t partition) {
  return {.topic_id = topic.topic_id, .topic = topic.topic, .partition = partition};
}

void put_partitions(FetchContext& context, const FetchRequest& message) {
  for (const FetchRequest::FetchTopic& topic : message.topics) {
    for (const FetchRequest::FetchPartition& partition : topic.partitions) {
      const FetchPosition position{.fetch_offset = Offset(partition.fetch_offset),
                                   .bytes_max = partition.partition_max_bytes,
                                   .current_leader_epoch = partition.current_leader_epoch,
                                   .last_fetched_epoch = partition.last_fetched_epoch};
      const size_t before = context.session->watch.size();
      FetchEntry& entry = context.session->watch.put(key_of(topic, partition.partition), position);
      const bool is_new = context.session->watch.size() > before;
      if (context.kind != FetchKind::kIncremental && is_new) context.all.push_back(&entry);
    }
  }
}

void forget_partitions(FetchSession& session, const FetchRequest& message) {
  for (const FetchRequest::ForgottenTopic& topic : message.forgotten_topics_data) {
    for (const int32_t partition : topic.partitions) {
      session.watch.remove({.topic_id = topic.topic_id, .topic = topic.topic, .partition = partition});
    }
  }
}

FetchContext full_context(Broker& broker, const FetchRequest& message, IsolationLevel isolation, TopicIdUse id_use) {
  FetchContext context;
  if (message.session_id != kNoFetchSession)
    broker.fetch_sessions.remove(message.session_id);  // the client begins anew
  context.kind = message.session_epoch == kInitialFetchEpoch ? FetchKind::kFull : FetchKind::kSessionless;
  context.session = std::make_shared<FetchSession>(isolation, id_use);
  context.session->busy = true;
  put_partitions(context, message);
  return context;
}

FetchContext session_error(ErrorCode error) {
  FetchContext context;
  context.error = error;
  return context;
}

// The session must not be busy.
FetchContext incremental_context(Broker& broker, const FetchRequest& message, std::shared_ptr<FetchSession> session,
                                 IsolationLevel isolation) {
  FetchContext context;
  context.kind = FetchKind::kIncremental;
  context.session = std::move(session);
  context.session->busy = true;
  context.session->watch.clear_interrupt();
  context.session->watch.set_isolation(isolation);
  put_partitions(context, message);
  forget_partitions(*context.session, message);
  if (context.session->watch.size() == 0) {
    broker.fetch_sessions.remove(context.session->id);  // nothing left: as Kafka, the session ends
    context.kind = FetchKind::kSessionless;
  } else {
    context.session->next_epoch = FetchSessions::epoch_after(context.session->next_epoch);
    broker.fetch_sessions.touch(*context.session);
  }
  return context;
}

Task<FetchContext> begin_fetch(Broker& broker, const Request& request, const FetchRequest& message) {
  const IsolationLevel isolation =
      message.isolation_level == 1 ? IsolationLevel::kReadCommitted : IsolationLevel::kReadUncommitted;
  const TopicIdUse id_use = request.version >= 13 ? TopicIdUse::kIds : TopicIdUse::kNames;
  if (message.session_epoch == kInitialFetchEpoch || message.session_epoch == kFinalFetchEpoch) {
    co_return full_context(broker, message, isolation, id_use);
  }
  while (true) {
    std::shared_ptr<FetchSession> session = broker.fetch_sessions.find(message.session_id);
    if (session == nullptr) co_return session_error(ErrorCode::kFetchSessionIdNotFound);
    if (session->topic_id_use != id_use) co_return session_error(ErrorCode::kFetchSessionTopicIdError);
    if (session->next_epoch != message.session_epoch) co_return session_error(ErrorCode::kInvalidFetchSessionEpoch);
    if (!session->busy) co_return incremental_context(broker, message, std::move(session), isolation);
    // The client gave up on its last fetch, which is still parked: that one ends now, and this one looks again.
    if (session->idle == nullptr) session->idle = std::make_shared<Event>(broker.scheduler);
    const std::shared_ptr<Event> idle = session->idle;
    session->watch.interrupt();
    (void)co_await idle->wait();
  }
}

void end_fetch(FetchSession& session) {
  session.busy = false;
  if (session.idle != nullptr) std::exchange(session.idle, nullptr)->set();
}

bool is_news(const FetchPass::Answer& answer) noexcept {
  const FetchEntry& entry = *answer.entry;
  return answer.bytes > 0 || answer.data.error_code != ErrorCode::kNone ||
         answer.data.diverging_epoch.epoch != kNoLeaderEpoch || !entry.told ||
         entry.told_high_watermark.v != answer.data.high_watermark ||
         entry.told_log_start.v != answer.data.log_start_offset;
}

// Entries with nothing to say leave the ready list, so that the next look does not cost them.
void quiet_idle_entries(FetchWatch& watch, const std::vector<FetchPass::Answer>& answers) {
  for (const FetchPass::Answer& answer : answers) {
    if (!answer.more_to_say && !is_news(answer)) watch.set_quiet(*answer.entry);
  }
}

void add_answer(FetchResponse& response, FetchPass::Answer& answer) {
  const FetchKey& key = answer.entry->key;
  if (response.responses.empty() || response.responses.back().topic != key.topic ||
      response.responses.back().topic_id != key.topic_id) {
    FetchResponse::FetchableTopicResponse& topic = response.responses.emplace_back();
    topic.topic = key.topic;
    topic.topic_id = key.topic_id;
  }
  response.responses.back().partitions.push_back(std::move(answer.data));
}

void add_endpoint(const Broker& broker, const Request& request, FetchResponse& response) {
  const auto address = broker.advertised.find(request.origin->listener_name);
  if (address == broker.advertised.end()) return;
  response.node_endpoints.push_back(
      {.node_id = broker.node_id, .host = address->second.host, .port = address->second.port, .rack = std::nullopt});
}

FetchResponse make_response(Broker& broker, const Request& request, FetchContext& context, FetchPass& pass) {
  FetchResponse response;
  FetchWatch& watch = context.session->watch;
  bool names_leader = false;
  for (FetchPass::Answer& answer : pass.answers()) {
    FetchEntry& entry = *answer.entry;
    const bool included = context.kind != FetchKind::kIncremental || is_news(answer);
    const bool failed = answer.data.error_code != ErrorCode::kNone;
    // After an error everything is news.
    entry.told = !failed;
    entry.told_high_watermark = Offset(answer.data.high_watermark);
    entry.told_log_start = Offset(answer.data.log_start_offset);
    if (answer.bytes > 0) watch.move_to_end(entry);
    if (!answer.more_to_say) watch.set_quiet(entry);
    names_leader = names_leader || answer.data.current_leader.leader_id != -1;
    if (included) add_answer(response, answer);
  }
  if (names_leader && request.version >= 16) add_endpoint(broker, request, response);
  if (context.kind == FetchKind::kFull) broker.fetch_sessions.insert(context.session);
  if (request.version >= 7) response.session_id = context.session->id;
  return response;
}

std::vector<FetchEntry*> ready_entries(FetchWatch& watch) {
  std::vector<FetchEntry*> entries;
  for (FetchEntry* entry = watch.first_ready(); entry != nullptr; entry = watch.next_ready(*entry))
    entries.push_back(entry);
  return entries;
}

// More than the quota lets through at once would be withheld, however often the client came.
int64_t bytes_allowed(const Broker& broker, const Request& request) {
  return std::min(broker.fetch_bytes_max, fetch_quota_bytes(broker, *request.origin));
}

FetchLimits limits_of(const Broker& broker, const Request& request, const FetchRequest& message) {
  const int64_t bytes_max = std::min(broker.response_bytes_allowed(), bytes_allowed(broker, request));
  FetchLimits limits;
  limits.version = request.version;
  limits.bytes_max = std::clamp<int64_t>(message.max_bytes, 0, bytes_max);
  limits.from_follower = message.replica_id >= 0 || message.replica_state.replica_id >= 0;
  return limits;
}

// Nothing was told and nothing moved: what was ready stays so. A session that was asked for is not made.
FetchResponse withheld_response(const Request& request, const FetchContext& context) {
  FetchResponse response;
  if (request.version >= 7 && context.kind == FetchKind::kIncremental) response.session_id = context.session->id;
  return response;
}

FetchResponse answer_fetch(Broker& broker, const Request& request, FetchContext& context, FetchPass& pass) {
  const ClientQuotas::FetchCharge charge = fetch_charge(broker, *request.origin, pass.bytes());
  FetchResponse response;
  if (charge.withhold) {
    response = withheld_response(request, context);
  } else {
    if (request.response_grant != nullptr) {
      *request.response_grant = broker.response_budget.take_anyway(static_cast<size_t>(pass.bytes()));
    }
    response = make_response(broker, request, context, pass);
  }
  response.throttle_time_ms = static_cast<int32_t>(charge.throttle.count());
  return response;
}

}  // namespace

Task<FetchResponse> handle_fetch(Broker& broker, Request request, FetchRequest message) {
  FetchContext context = co_await begin_fetch(broker, request, message);
  if (context.error != ErrorCode::kNone) {
    FetchResponse response;
    if (request.version >= 7) response.error_code = context.error;
    co_return response;
  }
  FetchSession& session = *context.session;
  FetchWatch& watch = session.watch;
  broker.fetch_sessions.enter(request.connection, watch);
  const Nanos deadline = broker.scheduler.clock().monotonic() + Millis(std::max(message.max_wait_ms, 0));
  while (true) {
    FetchPass pass(broker, session, limits_of(broker, request, message));
    watch.begin_look();
    if (request.work != nullptr) request.work->begin_step(broker.scheduler.clock().monotonic());
    std::vector<FetchEntry*> entries = context.kind == FetchKind::kIncremental ? ready_entries(watch) : context.all;
    co_await pass.look(std::move(entries));
    const int64_t bytes_wanted = std::min<int64_t>(message.min_bytes, bytes_allowed(broker, request)) - pass.bytes();
    const Millis wait = std::chrono::ceil<Millis>(deadline - broker.scheduler.clock().monotonic());
    if (bytes_wanted <= 0 || pass.must_answer() || watch.size() == 0 || wait <= Millis(0) || watch.interrupted() ||
        broker.fetch_sessions.shutting_down()) {
      FetchResponse response = answer_fetch(broker, request, context, pass);
      broker.fetch_sessions.leave(request.connection);
      end_fetch(session);
      co_return response;
    }
    quiet_idle_entries(watch, pass.answers());
    if (request.work != nullptr) request.work->end_step(broker.scheduler.clock().monotonic());
    Event changed(broker.scheduler);
    (void)co_await watch.park(changed, bytes_wanted, wait);
    watch.end_park();
  }
}

}  // namespace leat
