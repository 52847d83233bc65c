// dispatcher.cpp: see dispatcher.h.
#include "server/dispatcher.h"

#include <utility>

#include "net/protocol/frame.h"
#include "net/protocol/messages/api_versions.h"

namespace leat {

namespace {

// Their order is settled when they begin: by the slot on the append lane, by the step of the group's machine. Then they
// wait for a log, and one sync may do for many.
bool overlaps(const ApiSpec& api) noexcept { return api.key == ApiKey::kProduce || api.key == ApiKey::kOffsetCommit; }

// The first fields are the same in every version of the request header, also in those that we do not know.
struct HeaderStart {
  int16_t api_key = -1;
  int16_t api_version = -1;
  int32_t correlation_id = 0;
  std::string client_id;
  bool whole = false;
};

HeaderStart read_header_start(const Slice& payload) {
  Reader in(payload.view());
  HeaderStart start;
  start.api_key = in.i16();
  start.api_version = in.i16();
  start.correlation_id = in.i32();
  start.whole = !in.failed();
  const int16_t client_id_size = in.i16();
  if (client_id_size > 0) start.client_id = as_text(in.take(static_cast<size_t>(client_id_size)));
  return start;
}

}  // namespace

Dispatcher::Dispatcher(Scheduler& scheduler, RequestHandlers& handlers, FindConnection find)
    : scheduler_(scheduler),
      handlers_(handlers),
      find_(std::move(find)),
      gate_(scheduler),
      refusals_(scheduler.clock()),
      refused_connections_(scheduler.clock()) {}

void Dispatcher::on_frame(Connection& connection, uint64_t ticket, Slice payload) {
  const auto size_bytes = static_cast<int64_t>(payload.size());
  // Not answered: the connection is closed at the end, after the answers to what was begun have left.
  if (gate_.closed()) return;
  MessageReader body(payload);
  Result<RequestHeader> header = decode_request_header(body);
  const HeaderStart start = header ? HeaderStart{} : read_header_start(payload);
  const int16_t key = header ? header->request_api_key : start.api_key;
  const int16_t version = header ? header->request_api_version : start.api_version;
  const ApiSpec* api = find_api(key);
  if (api != nullptr && api->key == ApiKey::kApiVersions && !api->supports(version) && (header || start.whole)) {
    answer_unknown_api_versions(connection, ticket, header ? header->correlation_id : start.correlation_id);
    return;
  }
  if (!header) {
    refuse(connection, payload, header.error().context);
    return;
  }
  if (api->served == Served::kNo) {
    refuse(connection, payload, fmt::format("{} is not served", api->name));
    return;
  }
  if (!api->supports(version)) {
    refuse(connection, payload, fmt::format("versions {} to {} of {} are served", api->min, api->max, api->name));
    return;
  }
  Peer& peer = peers_[connection.id()];
  Request request;
  request.connection = connection.id();
  request.ticket = ticket;
  request.origin = origin_of(peer, connection, header->client_id ? *header->client_id : std::string_view());
  request.api = api->key;
  request.version = version;
  request.correlation_id = header->correlation_id;
  request.size_bytes = size_bytes;
  peer.waiting.push_back({api, std::move(request), std::move(body), arrival_time()});
  start_waiting(connection.id(), peer);
}

const std::shared_ptr<const RequestOrigin>& Dispatcher::origin_of(Peer& peer, const Connection& connection,
                                                                  std::string_view client_id) {
  if (peer.origin == nullptr || peer.origin->client_id != client_id) {
    peer.origin = std::make_shared<const RequestOrigin>(RequestOrigin{
        .peer = connection.peer(), .listener_name = connection.listener_name(), .client_id = std::string(client_id)});
  }
  return peer.origin;
}

void Dispatcher::on_drained(ConnectionId connection) {
  const auto found = peers_.find(connection);
  if (found != peers_.end()) start_waiting(connection, found->second);
}

void Dispatcher::on_closed(const ClosedConnection& closed) {
  peers_.erase(closed.id);
  handlers_.on_connection_closed(closed.id);
  if (closed.by == ClosedBy::kLimit) {
    refusals_.warn("closed {}: {}", closed.peer, closed.reason);
  } else {
    log_debug("closed {}: {}", closed.peer, closed.reason);
  }
}

void Dispatcher::on_refused(std::string_view peer, std::string_view reason) {
  refused_connections_.warn("refused a connection from {}: {}", peer, reason);
}

Event::Wait Dispatcher::close() {
  for (auto& [id, peer] : peers_) peer.waiting.clear();
  return gate_.close();
}

// Begins what may begin, in order. A handler that never waits ends inside, which brings us here again: the outer call
// goes on. The peer stays: it is erased by on_closed only, which comes from the loop and not from in here.
void Dispatcher::start_waiting(ConnectionId id, Peer& peer) {
  if (peer.starting) return;
  peer.starting = true;
  while (!peer.waiting.empty() && may_start(peer, *peer.waiting.front().api)) {
    Connection* connection = find_(id);
    std::optional<Gate::Hold> hold = gate_.try_enter();
    if (connection == nullptr || !hold) {
      peer.waiting.clear();
      break;
    }
    if (connection->backed_up()) break;  // on_drained goes on here
    Pending next = std::move(peer.waiting.front());
    peer.waiting.pop_front();
    ++peer.running;
    peer.running_api = next.api->key;
    const std::shared_ptr<RequestWork> work = begin_work();
    next.request.work = work;
    run(std::move(*hold), std::move(next));
    if (work != nullptr) work->on_first_wait(scheduler_.clock().monotonic());
  }
  peer.starting = false;
}

std::shared_ptr<RequestWork> Dispatcher::begin_work() const {
  if (quotas_ == nullptr || !quotas_->limits(QuotaKey::kRequestPercentage)) return nullptr;
  return std::make_shared<RequestWork>(scheduler_.clock().monotonic());
}

bool Dispatcher::may_start(const Peer& peer, const ApiSpec& next) noexcept {
  return peer.running == 0 || (overlaps(next) && peer.running_api == next.key);
}

Detached Dispatcher::run(Gate::Hold hold, Pending pending) {
  const Gate::Hold held = std::move(hold);
  const ConnectionId id = pending.request.connection;
  const uint64_t ticket = pending.request.ticket;
  const ApiSpec& api = *pending.api;
  const Nanos arrived = pending.arrived;
  Task<Reply> handling = handlers_.handle(api, std::move(pending.request), std::move(pending.body));
  Reply reply = co_await handling;
  count(api, arrived, reply);
  finish(id, ticket, std::move(reply));
}

void Dispatcher::finish(ConnectionId id, uint64_t ticket, Reply reply) {
  const auto found = peers_.find(id);
  if (found == peers_.end()) return;  // it has closed meanwhile
  --found->second.running;
  if (Connection* connection = find_(id)) {
    if (reply.kind == Reply::Kind::kClose) {
      refusals_.warn("closing {}: {}", connection->peer(), reply.reason);
      connection->close(reply.reason);
    } else {
      connection->respond(ticket, Response{std::move(reply.pieces), std::move(reply.held)});
      if (reply.throttle > Millis(0)) connection->mute(reply.throttle);
    }
  }
  start_waiting(id, found->second);
}

// One reading of the clock for all frames of a turn: those that were read later waited as long in the kernel.
Nanos Dispatcher::arrival_time() {
  if (metrics_ == nullptr || metrics_->timed == Timed::kNo) return Nanos(0);
  if (!arrival_time_) {
    arrival_time_ = scheduler_.clock().monotonic();
    scheduler_.before_poll([this] { arrival_time_.reset(); });
  }
  return *arrival_time_;
}

void Dispatcher::count(const ApiSpec& api, Nanos arrived, const Reply& reply) noexcept {
  if (metrics_ == nullptr) return;
  const auto key = static_cast<int16_t>(api.key);
  metrics_->on_answered(key);
  if (reply.kind == Reply::Kind::kClose) ++metrics_->refused;
  if (metrics_->timed == Timed::kYes) metrics_->on_took(key, scheduler_.clock().monotonic() - arrived);
}

void Dispatcher::refuse(Connection& connection, const Slice& payload, std::string_view why) {
  if (metrics_ != nullptr) ++metrics_->refused;
  const HeaderStart start = read_header_start(payload);
  refusals_.warn("closing {}: client \"{}\", API key {}, version {}: {}", connection.peer(), printable(start.client_id),
                 start.api_key, start.api_version, why);
  connection.close(why);
}

void Dispatcher::answer_unknown_api_versions(Connection& connection, uint64_t ticket, int32_t correlation_id) {
  const ApiSpec& api = api_spec(ApiKey::kApiVersions);
  ApiVersionsResponse response;
  response.error_code = ErrorCode::kUnsupportedVersion;
  response.api_keys.push_back({static_cast<int16_t>(api.key), api.advertised_min, api.max});
  Result<std::vector<Piece>> frame = encode_response(response, 0, correlation_id);
  ENSURE(frame, "{}", frame.error().context);
  connection.respond(ticket, Response{std::move(*frame), nullptr});
}

}  // namespace leat
