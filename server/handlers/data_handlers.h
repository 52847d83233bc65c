// data_handlers.h: the handlers on the path of the data. Each is a coroutine that reads top to bottom; what it found
// before a wait it looks up again after. Versions, gaps and errors: at the top of each .cpp. Thread: the loop.
#pragma once

#include <optional>

#include "net/loop/task.h"
#include "net/protocol/messages/delete_records.h"
#include "net/protocol/messages/describe_producers.h"
#include "net/protocol/messages/fetch.h"
#include "net/protocol/messages/init_producer_id.h"
#include "net/protocol/messages/list_offsets.h"
#include "net/protocol/messages/offset_for_leader_epoch.h"
#include "net/protocol/messages/produce.h"
#include "server/request.h"

namespace leat {

struct Broker;

// Slots on the lanes are taken before the first wait (or in order of arrival, when the append budget is spent):
// requests of one connection may overlap. nullopt: acks=0 and all went well, nothing is sent. A response to acks=0
// holds an error: as Kafka does, the connection is closed in its place.
Task<std::optional<ProduceResponse>> handle_produce(Broker& broker, Request request, ProduceRequest message);
Task<FetchResponse> handle_fetch(Broker& broker, Request request, FetchRequest message);
Task<ListOffsetsResponse> handle_list_offsets(Broker& broker, Request request, ListOffsetsRequest message);
Task<DeleteRecordsResponse> handle_delete_records(Broker& broker, Request request, DeleteRecordsRequest message);
Task<OffsetForLeaderEpochResponse> handle_offset_for_leader_epoch(Broker& broker, Request request,
                                                                  OffsetForLeaderEpochRequest message);
Task<DescribeProducersResponse> handle_describe_producers(Broker& broker, Request request,
                                                          DescribeProducersRequest message);
Task<InitProducerIdResponse> handle_init_producer_id(Broker& broker, Request request, InitProducerIdRequest message);

}  // namespace leat
