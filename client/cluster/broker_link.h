// broker_link.h: requests to one broker, over one connection that is made when it is needed and made again when it
// broke. Requests are pipelined; answers come back in their order. Every call is answered exactly once, from the loop,
// never from inside call(): with the broker's bytes, or with an error: kTimedOut, kNetwork (the connection broke),
// kUnreachable (none could be made), kUnsupported, kProtocol, kClosed. What times out takes its connection with it, for
// the answers behind it are late as well. After a failure the next attempt waits (backoff.h); calls that come meanwhile
// wait with it, and fail together when that attempt fails, so that their callers can look for another leader.
// A broker that throttles answers at once and reads nothing more for the throttle_time_ms of its answer (KIP-219):
// until then no call is sent, over a new connection neither, and the timeout of those that wait begins when it ends.
// A connection begins with ApiVersions; TLS lies below, in the Dialer, SASL comes right behind ApiVersions, in
// on_versions(). Thread: the loop.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <leat/result.h>

#include "client/cluster/client_context.h"
#include "client/host_port.h"
#include "core/base/bytes.h"
#include "core/base/result.h"
#include "net/protocol/api_key.h"
#include "net/protocol/frame.h"
#include "net/protocol/messages/api_versions.h"

namespace leat::client::detail {

struct LinkAnswer {
  Slice payload;  // empty where no answer was expected
  int16_t version = 0;
  int32_t correlation_id = 0;
  Millis throttle_time{0};  // 0 where the broker did not throttle
};

enum class Answered : uint8_t { kYes, kNo };  // kNo: Produce with acks=0 has no answer; sent is done

struct LinkRequest {
  using Encode = std::function<leat::Result<std::vector<Slice>>(int16_t version, int32_t correlation_id)>;
  using OnAnswer = std::function<void(Result<LinkAnswer>)>;

  ApiKey key = ApiKey::kApiVersions;
  int16_t version_max = INT16_MAX;  // the newest that both sides speak is chosen, not above this
  Millis timeout{30'000};           // from call() on, or from the end of a throttle
  Answered answered = Answered::kYes;
  Encode encode = {};
  OnAnswer on_answer = {};
};

class BrokerLink final : private OutboundHandler {
 public:
  BrokerLink(ClientContext& context, HostPort address);
  ~BrokerLink() override;
  BrokerLink(const BrokerLink&) = delete;
  BrokerLink& operator=(const BrokerLink&) = delete;

  void call(LinkRequest request);
  void set_address(const HostPort& address);  // for the next connection; a present one to another address is closed
  // Every call is answered with `error`, now; later ones too.
  void close(const Error& error);

  const HostPort& address() const noexcept { return address_; }
  bool is_ready() const noexcept { return state_ == State::kReady; }
  // The last attempt failed, and the next has to wait.
  bool is_backing_off() const noexcept { return state_ == State::kBackoff; }
  // Throttled: calls are kept until then; a time that has passed: they are not.
  Nanos muted_until() const noexcept { return muted_until_; }
  bool is_muted() const noexcept { return now() < muted_until_; }
  size_t waiting() const noexcept { return queued_.size() + in_flight_.size(); }
  // Of the present connection; nothing while there is none. kUnsupported: the two speak no version in common.
  Result<int16_t> version_of(ApiKey key, int16_t version_max) const;
  const std::vector<ApiVersionsResponse::ApiVersion>& broker_versions() const noexcept { return versions_; }

 private:
  enum class State : uint8_t { kIdle, kConnecting, kNegotiating, kReady, kBackoff, kClosed };
  struct Call {
    LinkRequest request;
    Nanos deadline{0};
    int16_t version = 0;
    int32_t correlation_id = 0;
    size_t frame_bytes = 0;
  };

  void on_connected() override;
  void on_frame(Slice payload) override;
  void on_closed(std::string reason) override;

  void connect();
  void send_versions_request(int16_t version);
  void on_versions(const Slice& payload);
  void transmit(Call call);
  void transmit_queued();
  Millis note_throttle(ApiKey key, int16_t version, const Slice& payload);
  void answer_soon(LinkRequest::OnAnswer on_answer, Result<LinkAnswer> answer);
  void deliver_answers();
  void break_off(const Error& error);  // fails all calls, closes the connection, backs off
  std::string size_hint() const;
  Error about_us(Error error) const;
  void on_timer();
  void arm_timer(Nanos deadline);
  Nanos now() const noexcept { return context_.scheduler.clock().monotonic(); }

  ClientContext& context_;
  HostPort address_;
  State state_ = State::kIdle;
  std::unique_ptr<OutboundConnection> connection_;
  std::vector<ApiVersionsResponse::ApiVersion> versions_;
  int16_t handshake_version_ = 0;
  int32_t last_correlation_id_ = 0;
  int failures_ = 0;            // in a row, of connections
  std::deque<Call> queued_;     // until the connection is ready, and the throttle over
  std::deque<Call> in_flight_;  // in the order of their answers
  struct Ready {
    LinkRequest::OnAnswer on_answer;
    Result<LinkAnswer> answer;
  };
  std::vector<Ready> answers_;                                  // to be given once the present callback has returned
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for what the ready queue holds of us
  Nanos handshake_deadline_{0};
  Nanos backoff_until_{0};
  Nanos muted_until_{0};  // stays when the connection breaks: a new one is no way around a quota
  TimerId timer_ = kNoTimer;
  Nanos timer_at_{0};
};

}  // namespace leat::client::detail
