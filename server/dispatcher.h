// dispatcher.h: from frames to handlers and back. Decodes the request header, keeps the order of a connection, answers,
// and closes on what cannot be answered, as Kafka does: an API or version that is not served, a malformed request, an
// error of a Produce with acks=0. Each of these is one log line (client id, peer, API key and version), rate limited.
// Order: Produce overlaps Produce, OffsetCommit overlaps OffsetCommit; any other request waits until all before it on
// its connection are answered, and what follows waits for it. Nothing begins while the peer has not taken its earlier
// answers, or while it is held back for its quota (Connection::backed_up).
// ApiVersions of an unknown version is answered in the form of version 0 with UNSUPPORTED_VERSION, so that any client
// can find out what the broker speaks. Thread: the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/ring_queue.h"
#include "core/codec/message_reader.h"
#include "core/quota/client_quotas.h"
#include "net/loop/gate.h"
#include "net/loop/task.h"
#include "net/protocol/api_table.h"
#include "net/transport/connection.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/request.h"

namespace leat {

// What a handler's work comes to.
struct Reply {
  enum class Kind : uint8_t { kRespond, kNothing, kClose };

  Kind kind = Kind::kNothing;  // kNothing: acks=0
  std::vector<Piece> pieces;   // the whole frame, for kRespond
  std::string reason;          // for kClose
  std::shared_ptr<void> held;  // as Response::held
  Millis throttle{0};          // for kRespond and kNothing: its connection is muted for so long

  static Reply respond(std::vector<Piece> frame) { return {Kind::kRespond, std::move(frame), {}, nullptr, {}}; }
  static Reply close(std::string why) { return {Kind::kClose, {}, std::move(why), nullptr, {}}; }
};

// The dispatcher's way to the handlers: HandlerTable in leatd, something smaller in tests.
class RequestHandlers {
 public:
  virtual ~RequestHandlers() = default;
  // Runs up to its first wait at once: what it does until then happens in the order of arrival.
  virtual Task<Reply> handle(const ApiSpec& api, Request request, MessageReader body) = 0;
  virtual void on_connection_closed(ConnectionId connection) = 0;
};

class Dispatcher final : public FrameHandler {
 public:
  using FindConnection = std::function<Connection*(ConnectionId)>;

  Dispatcher(Scheduler& scheduler, RequestHandlers& handlers, FindConnection find);

  // Where requests are counted from now on; null: nowhere.
  void set_metrics(RequestMetrics* metrics) noexcept { metrics_ = metrics; }
  // Whose requests' time is measured while one of them limits it; null: nobody's.
  void set_quotas(const ClientQuotas* quotas) noexcept { quotas_ = quotas; }

  void on_frame(Connection& connection, uint64_t ticket, Slice payload) override;
  void on_drained(ConnectionId connection) override;
  void on_closed(const ClosedConnection& closed) override;
  void on_refused(std::string_view peer, std::string_view reason) override;

  // Begins nothing more; wakes when what was begun has ended.
  Event::Wait close();
  size_t requests_running() const noexcept { return gate_.count(); }

 private:
  struct Pending {
    const ApiSpec* api = nullptr;
    Request request;
    MessageReader body{Slice()};
    Nanos arrived{0};
  };
  struct Peer {  // a connection that has sent something
    std::shared_ptr<const RequestOrigin> origin;
    RingQueue<Pending> waiting;  // for what is running, in order
    size_t running = 0;
    ApiKey running_api{};   // of all of them
    bool starting = false;  // start_waiting is at work, further out on the stack
  };

  const std::shared_ptr<const RequestOrigin>& origin_of(Peer& peer, const Connection& connection,
                                                        std::string_view client_id);
  void start_waiting(ConnectionId id, Peer& peer);
  static bool may_start(const Peer& peer, const ApiSpec& next) noexcept;
  std::shared_ptr<RequestWork> begin_work() const;
  Detached run(Gate::Hold hold, Pending pending);
  void finish(ConnectionId id, uint64_t ticket, Reply reply);
  Nanos arrival_time();
  void count(const ApiSpec& api, Nanos arrived, const Reply& reply) noexcept;
  void refuse(Connection& connection, const Slice& payload, std::string_view why);
  void answer_unknown_api_versions(Connection& connection, uint64_t ticket, int32_t correlation_id);

  Scheduler& scheduler_;
  RequestHandlers& handlers_;
  const FindConnection find_;
  RequestMetrics* metrics_ = nullptr;
  const ClientQuotas* quotas_ = nullptr;
  std::optional<Nanos> arrival_time_;  // of the frames of this turn of the loop
  std::unordered_map<ConnectionId, Peer> peers_;
  Gate gate_;
  RateLimitedLog refusals_;
  RateLimitedLog refused_connections_;
};

}  // namespace leat
