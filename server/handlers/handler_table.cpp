// handler_table.cpp: see handler_table.h. Around each handler: decode the message, call, encode the answer.
#include "server/handlers/handler_table.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "net/protocol/frame.h"
#include "server/broker.h"
#include "server/handlers/cluster_handlers.h"
#include "server/handlers/data_handlers.h"
#include "server/handlers/error_census.h"
#include "server/handlers/group_handlers.h"
#include "server/handlers/metadata_handlers.h"
#include "server/handlers/quota_handlers.h"
#include "server/handlers/throttle.h"

namespace leat {

namespace {

// Whose request an error or a throttle time is about; put into words only when there is an error.
struct AskedBy {
  explicit AskedBy(const Request& request) noexcept
      : origin(request.origin), work(request.work), api(request.api), version(request.version) {}
  std::string text() const {
    return fmt::format("client \"{}\", API key {}, version {}", printable(origin->client_id), static_cast<int16_t>(api),
                       version);
  }
  std::shared_ptr<const RequestOrigin> origin;
  std::shared_ptr<const RequestWork> work;
  ApiKey api;
  int16_t version;
};

template <class Message>
std::optional<std::string> decode_fault(MessageReader& body, const Request& request, Message& message) {
  if (decode(body, request.version, message)) return std::nullopt;
  return fmt::format("{}: malformed {} at {}", AskedBy(request).text(), Message::kName, body.failed_field());
}

template <class Message>
Reply encode_reply(const Message& response, const AskedBy& asked_by, int32_t correlation_id) {
  Result<std::vector<Piece>> frame = encode_response(response, asked_by.version, correlation_id);
  if (!frame) return Reply::close(fmt::format("{}: {}", asked_by.text(), frame.error().context));
  return Reply::respond(std::move(*frame));
}

template <class Response>
void count_errors(Broker& broker, ApiKey api, const Response& response) {
  for_each_error(response, [&broker, api](ErrorCode code) {
    broker.request_metrics.on_error(static_cast<int16_t>(api), static_cast<int16_t>(code));
  });
}

// The longest wait that any quota asks for: the handler may have found one, the time that the request took another.
template <class Response>
Millis note_throttle(Broker& broker, const AskedBy& asked_by, Response& response) {
  const Millis for_time = request_throttle(broker, *asked_by.origin, asked_by.work.get());
  if constexpr (requires { response.throttle_time_ms; }) {
    response.throttle_time_ms = std::max(response.throttle_time_ms, static_cast<int32_t>(for_time.count()));
    return Millis(response.throttle_time_ms);
  } else {
    return for_time;
  }
}

template <class Message, class Response, Task<Response> (*kHandle)(Broker&, Request, Message)>
Task<Reply> serve(Broker& broker, Request request, MessageReader body) {
  Message message;
  if (std::optional<std::string> fault = decode_fault(body, request, message))
    co_return Reply::close(std::move(*fault));
  body = MessageReader(Slice());  // a request that is parked, its connection closed perhaps, holds no read buffer
  const AskedBy asked_by(request);
  const int32_t correlation_id = request.correlation_id;
  const std::shared_ptr<ByteBudget::Grant> grant = request.response_grant;
  Task<Response> handling = kHandle(broker, std::move(request), std::move(message));
  Response response = co_await handling;
  count_errors(broker, asked_by.api, response);
  const Millis throttle = note_throttle(broker, asked_by, response);
  Reply reply = encode_reply(response, asked_by, correlation_id);
  reply.held = grant;
  reply.throttle = throttle;
  co_return reply;
}

// Produce with acks=0 has no answer; an error of it, which the client could not see otherwise, closes the connection.
// It is held back for its bytes, not for its time, as in Kafka.
Task<Reply> serve_produce(Broker& broker, Request request, MessageReader body) {
  ProduceRequest message;
  if (std::optional<std::string> fault = decode_fault(body, request, message))
    co_return Reply::close(std::move(*fault));
  const AskedBy asked_by(request);
  const int32_t correlation_id = request.correlation_id;
  const int64_t size_bytes = request.size_bytes;
  const bool unanswered = message.acks == 0;
  Task<std::optional<ProduceResponse>> handling = handle_produce(broker, std::move(request), std::move(message));
  std::optional<ProduceResponse> response = co_await handling;
  const Millis for_bytes = produce_throttle(broker, *asked_by.origin, size_bytes);
  if (!response) {
    Reply unsaid;
    unsaid.throttle = for_bytes;
    co_return unsaid;
  }
  count_errors(broker, ApiKey::kProduce, *response);
  if (unanswered) co_return Reply::close(fmt::format("{}: a Produce with acks=0 failed", asked_by.text()));
  response->throttle_time_ms = static_cast<int32_t>(for_bytes.count());
  const Millis throttle = note_throttle(broker, asked_by, *response);
  Reply reply = encode_reply(*response, asked_by, correlation_id);
  reply.throttle = throttle;
  co_return reply;
}

Task<Reply> serve_fetch(Broker& broker, Request request, MessageReader body) {
  request.response_grant = std::make_shared<ByteBudget::Grant>();
  return serve<FetchRequest, FetchResponse, handle_fetch>(broker, std::move(request), std::move(body));
}

struct Entry {
  ApiKey key;
  Task<Reply> (*serve)(Broker&, Request, MessageReader);
};

template <class Message, class Response>
using Handler = Task<Response> (*)(Broker&, Request, Message);

template <auto kHandle>
struct Serve;
template <class Message, class Response, Handler<Message, Response> kHandle>
struct Serve<kHandle> {
  static constexpr Entry entry{static_cast<ApiKey>(Message::kVersions.key), &serve<Message, Response, kHandle>};
};

// By key.
constexpr Entry kEntries[] = {
    {ApiKey::kProduce, &serve_produce},
    {ApiKey::kFetch, &serve_fetch},
    Serve<&handle_list_offsets>::entry,
    Serve<&handle_metadata>::entry,
    Serve<&handle_offset_commit>::entry,
    Serve<&handle_offset_fetch>::entry,
    Serve<&handle_find_coordinator>::entry,
    Serve<&handle_join_group>::entry,
    Serve<&handle_heartbeat>::entry,
    Serve<&handle_leave_group>::entry,
    Serve<&handle_sync_group>::entry,
    Serve<&handle_describe_groups>::entry,
    Serve<&handle_list_groups>::entry,
    Serve<&handle_api_versions>::entry,
    Serve<&handle_create_topics>::entry,
    Serve<&handle_delete_topics>::entry,
    Serve<&handle_delete_records>::entry,
    Serve<&handle_init_producer_id>::entry,
    Serve<&handle_offset_for_leader_epoch>::entry,
    Serve<&handle_describe_configs>::entry,
    Serve<&handle_alter_configs>::entry,
    Serve<&handle_describe_log_dirs>::entry,
    Serve<&handle_create_partitions>::entry,
    Serve<&handle_delete_groups>::entry,
    Serve<&handle_elect_leaders>::entry,
    Serve<&handle_incremental_alter_configs>::entry,
    Serve<&handle_list_partition_reassignments>::entry,
    Serve<&handle_offset_delete>::entry,
    Serve<&handle_describe_client_quotas>::entry,
    Serve<&handle_alter_client_quotas>::entry,
    Serve<&handle_describe_quorum>::entry,
    Serve<&handle_describe_cluster>::entry,
    Serve<&handle_describe_producers>::entry,
    Serve<&handle_consumer_group_heartbeat>::entry,
    Serve<&handle_consumer_group_describe>::entry,
    Serve<&handle_list_config_resources>::entry,
    Serve<&handle_describe_topic_partitions>::entry,
};

constexpr const Entry* find_entry(ApiKey key) noexcept {
  for (const Entry& entry : kEntries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

constexpr bool each_served_api_has_one_entry() noexcept {
  size_t served_count = 0;
  for (const ApiSpec& api : kApis) {
    if (api.served == Served::kNo) continue;
    ++served_count;
    if (find_entry(api.key) == nullptr) return false;
  }
  return served_count == std::size(kEntries);
}
static_assert(each_served_api_has_one_entry(), "kEntries and the APIs marked served in api_table.h differ");

}  // namespace

Task<Reply> HandlerTable::handle(const ApiSpec& api, Request request, MessageReader body) {
  const Entry* entry = find_entry(api.key);
  ENSURE(entry != nullptr && broker_ != nullptr, "API {}", api.name);
  return entry->serve(*broker_, std::move(request), std::move(body));
}

void HandlerTable::on_connection_closed(ConnectionId connection) {
  if (broker_ != nullptr) broker_->fetch_sessions.on_connection_closed(connection);
}

}  // namespace leat
