// broker_link.cpp: see broker_link.h.
#include "client/cluster/broker_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client/cluster/backoff.h"
#include "core/base/check.h"
#include "net/protocol/api_table.h"
#include "net/protocol/throttle_time.h"

namespace leat::client::detail {
namespace {

// What every broker since 2.4 understands with our name in it; older ones answer with what they do.
constexpr int16_t kHandshakeVersion = 3;
constexpr size_t kCorrelationIdBytes = 4;
constexpr size_t kLargeRequestBytes = 10'000'000;  // brokers take 100 MiB by default

// A broker that does not speak the version of an ApiVersions request answers in version 0, with UNSUPPORTED_VERSION.
bool refuses_version(const Slice& payload) noexcept {
  if (payload.size() < kCorrelationIdBytes + 2) return false;
  return from_big_endian<int16_t>(payload.data() + kCorrelationIdBytes) ==
         static_cast<int16_t>(ErrorCode::kUnsupportedVersion);
}

}  // namespace

BrokerLink::BrokerLink(ClientContext& context, HostPort address) : context_(context), address_(std::move(address)) {}

BrokerLink::~BrokerLink() {
  close(Error(Cause::kClosed, "the client was destroyed"));
  deliver_answers();
  *alive_ = false;
}

void BrokerLink::call(LinkRequest request) {
  if (state_ == State::kClosed) {
    return answer_soon(std::move(request.on_answer), Error(Cause::kClosed, "the client is closed"));
  }
  Call call{.request = std::move(request)};
  call.deadline = std::max(now(), muted_until_) + call.request.timeout;
  // Nobody overtakes those that a throttle has held back, which end with it only when the timer says so.
  if (state_ == State::kReady && !is_muted() && queued_.empty()) return transmit(std::move(call));
  arm_timer(call.deadline);
  queued_.push_back(std::move(call));
  if (state_ == State::kIdle) connect();
}

Result<int16_t> BrokerLink::version_of(ApiKey key, int16_t version_max) const {
  const ApiSpec& ours = api_spec(key);
  const auto theirs = std::find_if(versions_.begin(), versions_.end(),
                                   [key](const auto& range) { return range.api_key == static_cast<int16_t>(key); });
  if (theirs == versions_.end()) {
    return Error(Cause::kUnsupported, fmt::format("the broker {} does not serve {}", address_.to_string(), ours.name));
  }
  const int16_t version = std::min({ours.max, theirs->max_version, version_max});
  if (version >= ours.min && version >= theirs->min_version) return version;
  return Error(Cause::kUnsupported, fmt::format("{}: the broker {} speaks versions {} to {}, this client {} to {}",
                                                ours.name, address_.to_string(), theirs->min_version,
                                                theirs->max_version, ours.min, std::min(ours.max, version_max)));
}

void BrokerLink::transmit(Call call) {
  const Result<int16_t> version = version_of(call.request.key, call.request.version_max);
  if (!version) return answer_soon(std::move(call.request.on_answer), version.error());
  call.version = *version;
  call.correlation_id = ++last_correlation_id_;
  leat::Result<std::vector<Slice>> frame = call.request.encode(call.version, call.correlation_id);
  call.request.encode = nullptr;  // and what it refers to
  if (!frame) {
    const Cause cause = frame.error().code == Errc::kLimit ? Cause::kTooLarge : Cause::kUnsupported;
    return answer_soon(std::move(call.request.on_answer), Error(cause, std::move(frame.error().context)));
  }
  for (const Slice& piece : *frame) call.frame_bytes += piece.size();
  connection_->send(*std::move(frame));
  if (call.request.answered == Answered::kNo) {
    return answer_soon(std::move(call.request.on_answer), LinkAnswer{.payload = {}, .version = call.version});
  }
  arm_timer(call.deadline);
  in_flight_.push_back(std::move(call));
}

void BrokerLink::transmit_queued() {
  if (state_ != State::kReady || is_muted()) return;
  for (Call& call : std::exchange(queued_, {})) transmit(std::move(call));
}

// Those that the broker has been sent stay unread in their socket for as long as those that are kept here.
Millis BrokerLink::note_throttle(ApiKey key, int16_t version, const Slice& payload) {
  const Millis time(throttle_time_ms(key, version, payload));
  if (time == Millis(0)) return time;
  muted_until_ = std::max(muted_until_, now() + time);
  for (std::deque<Call>* const calls : {&in_flight_, &queued_}) {
    for (Call& call : *calls) call.deadline = muted_until_ + call.request.timeout;
  }
  arm_timer(muted_until_);
  return time;
}

void BrokerLink::answer_soon(LinkRequest::OnAnswer on_answer, Result<LinkAnswer> answer) {
  answers_.push_back({std::move(on_answer), std::move(answer)});
  if (answers_.size() > 1) return;
  context_.scheduler.call_soon([this, alive = alive_] {
    if (*alive) deliver_answers();
  });
}

void BrokerLink::deliver_answers() {
  for (Ready& ready : std::exchange(answers_, {})) ready.on_answer(std::move(ready.answer));
}

void BrokerLink::connect() {
  state_ = State::kConnecting;
  const Millis timeout(context_.settings.connect_timeout_ms);
  handshake_deadline_ = now() + 2 * timeout;
  connection_ = context_.dialer.dial({.host = address_.host, .port = address_.port}, timeout, *this);
}

void BrokerLink::on_connected() {
  state_ = State::kNegotiating;
  handshake_deadline_ = now() + Millis(context_.settings.connect_timeout_ms);
  arm_timer(handshake_deadline_);
  send_versions_request(kHandshakeVersion);
}

void BrokerLink::send_versions_request(int16_t version) {
  ApiVersionsRequest request;
  request.client_software_name = "leat";
  request.client_software_version = std::string(kVersionText);
  handshake_version_ = version;
  leat::Result<std::vector<Slice>> frame =
      encode_request(request, version, ++last_correlation_id_, context_.settings.client_id);
  if (!frame) return break_off(Error(Cause::kInvalidArgument, fmt::format("client_id: {}", frame.error().context)));
  connection_->send(*std::move(frame));
}

void BrokerLink::on_versions(const Slice& payload) {
  if (handshake_version_ > 0 && refuses_version(payload)) return send_versions_request(0);
  leat::Result<ApiVersionsResponse> response =
      decode_response<ApiVersionsResponse>(payload, handshake_version_, last_correlation_id_);
  if (!response) {
    return break_off(Error(Cause::kProtocol, fmt::format("{} does not answer as a Kafka broker does: {}",
                                                         address_.to_string(), response.error().context)));
  }
  if (response->error_code != ErrorCode::kNone) {
    return break_off(Error::from_broker(response->error_code, fmt::format("the broker {}", address_.to_string())));
  }
  versions_ = std::move(response->api_keys);
  state_ = State::kReady;
  failures_ = 0;
  context_.reached.insert(address_.to_string());
  (void)note_throttle(ApiKey::kApiVersions, handshake_version_, payload);
  transmit_queued();
}

void BrokerLink::on_frame(Slice payload) {
  if (state_ == State::kNegotiating) return on_versions(payload);
  if (in_flight_.empty() || payload.size() < kCorrelationIdBytes ||
      from_big_endian<int32_t>(payload.data()) != in_flight_.front().correlation_id) {
    return break_off(
        Error(Cause::kProtocol, fmt::format("{} sent an answer that nobody waits for", address_.to_string())));
  }
  Call call = std::move(in_flight_.front());
  in_flight_.pop_front();
  const Millis throttle_time = note_throttle(call.request.key, call.version, payload);  // before who asks again
  call.request.on_answer(LinkAnswer{.payload = std::move(payload),
                                    .version = call.version,
                                    .correlation_id = call.correlation_id,
                                    .throttle_time = throttle_time});
}

void BrokerLink::on_closed(std::string reason) {
  if (state_ == State::kReady) return break_off(about_us({Cause::kNetwork, std::move(reason) + size_hint()}));
  const std::string address = address_.to_string();
  const std::string_view any_more = context_.reached.contains(address) ? " any more" : "";
  break_off(
      about_us({Cause::kUnreachable, fmt::format("broker {} is not reachable{} ({})", address, any_more, reason)}));
}

Error BrokerLink::about_us(Error error) const {
  const std::string address = address_.to_string();
  const bool answered_before = context_.reached.contains(address);
  return std::move(error).about_broker(address, answered_before ? AnsweredBefore::kYes : AnsweredBefore::kNo);
}

// A broker that is sent more than it takes closes the connection, and says why in its log only.
std::string BrokerLink::size_hint() const {
  size_t largest = 0;
  for (const Call& call : in_flight_) largest = std::max(largest, call.frame_bytes);
  if (largest < kLargeRequestBytes) return {};
  return fmt::format(
      "; a request of {} bytes was on its way, which may be more than this broker takes "
      "(socket.request.max.bytes)",
      largest);
}

void BrokerLink::break_off(const Error& error) {
  if (state_ == State::kClosed) return;
  connection_.reset();
  versions_.clear();
  ++failures_;
  state_ = State::kBackoff;
  const BackoffSettings backoff{.base = Millis(context_.settings.reconnect_backoff_ms),
                                .max = Millis(context_.settings.reconnect_backoff_max_ms)};
  backoff_until_ = now() + backoff_delay(backoff, failures_, context_.random);
  arm_timer(backoff_until_);
  std::deque<Call> failed = std::exchange(in_flight_, {});
  for (Call& call : std::exchange(queued_, {})) failed.push_back(std::move(call));
  for (Call& call : failed) answer_soon(std::move(call.request.on_answer), error);
}

void BrokerLink::set_address(const HostPort& address) {
  if (address == address_) return;
  address_ = address;
  failures_ = 0;
  if (connection_) break_off(Error(Cause::kNetwork, fmt::format("the broker moved to {}", address_.to_string())));
}

void BrokerLink::close(const Error& error) {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  connection_.reset();
  context_.scheduler.timers().cancel(std::exchange(timer_, kNoTimer));
  deliver_answers();
  std::deque<Call> failed = std::exchange(in_flight_, {});
  for (Call& call : std::exchange(queued_, {})) failed.push_back(std::move(call));
  for (Call& call : failed) call.request.on_answer(error);
}

// One timer for all: it fires at the earliest deadline known when it was armed, and looks what is due.
void BrokerLink::arm_timer(Nanos deadline) {
  if (timer_ != kNoTimer && timer_at_ <= deadline) return;
  context_.scheduler.timers().cancel(timer_);
  timer_at_ = deadline;
  timer_ = context_.scheduler.timers().start(std::chrono::ceil<Millis>(deadline - now()), [this] {
    timer_ = kNoTimer;
    on_timer();
  });
}

void BrokerLink::on_timer() {
  const Nanos at = now();
  const auto is_due = [at](const Call& call) { return call.deadline <= at; };
  const Error late =
      about_us({Cause::kTimedOut, fmt::format("the broker {} did not answer in time", address_.to_string())});
  if (std::any_of(in_flight_.begin(), in_flight_.end(), is_due)) return break_off(late);
  if (state_ == State::kNegotiating && handshake_deadline_ <= at) return break_off(late);
  const auto due = std::stable_partition(queued_.begin(), queued_.end(), std::not_fn(is_due));
  for (auto call = due; call != queued_.end(); ++call) answer_soon(std::move(call->request.on_answer), late);
  queued_.erase(due, queued_.end());
  if (state_ == State::kBackoff && backoff_until_ <= at) {
    state_ = State::kIdle;
    if (!queued_.empty()) connect();
  }
  transmit_queued();
  Nanos next = Nanos::max();
  for (const Call& call : queued_) next = std::min(next, call.deadline);
  for (const Call& call : in_flight_) next = std::min(next, call.deadline);
  if (state_ == State::kNegotiating) next = std::min(next, handshake_deadline_);
  if (state_ == State::kBackoff) next = std::min(next, backoff_until_);
  if (is_muted()) next = std::min(next, muted_until_);
  if (next != Nanos::max()) arm_timer(next);
}

}  // namespace leat::client::detail
