// consumer_groups_codec.cpp: encode, decode and walk instantiated for consumer groups (KIP-848) and client metrics.
#include "core/codec/schema_codec.h"
#include "net/protocol/messages/consumer_group_describe.h"
#include "net/protocol/messages/consumer_group_heartbeat.h"
#include "net/protocol/messages/get_telemetry_subscriptions.h"
#include "net/protocol/messages/push_telemetry.h"

namespace leat {

template struct MessageCodec<ConsumerGroupHeartbeatRequest>;
template struct MessageCodec<ConsumerGroupHeartbeatResponse>;
template struct MessageCodec<ConsumerGroupDescribeRequest>;
template struct MessageCodec<ConsumerGroupDescribeResponse>;
template struct MessageCodec<GetTelemetrySubscriptionsRequest>;
template struct MessageCodec<GetTelemetrySubscriptionsResponse>;
template struct MessageCodec<PushTelemetryRequest>;
template struct MessageCodec<PushTelemetryResponse>;

}  // namespace leat
