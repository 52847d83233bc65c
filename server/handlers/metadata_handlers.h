// metadata_handlers.h: the handlers of topics and settings. Each is a coroutine that reads top to bottom; versions,
// gaps and errors: at the top of each .cpp. Thread: the loop.
#pragma once

#include "net/loop/task.h"
#include "net/protocol/messages/alter_configs.h"
#include "net/protocol/messages/create_partitions.h"
#include "net/protocol/messages/create_topics.h"
#include "net/protocol/messages/delete_topics.h"
#include "net/protocol/messages/describe_configs.h"
#include "net/protocol/messages/describe_topic_partitions.h"
#include "net/protocol/messages/incremental_alter_configs.h"
#include "net/protocol/messages/list_config_resources.h"
#include "net/protocol/messages/metadata.h"
#include "server/request.h"

namespace leat {

struct Broker;

Task<MetadataResponse> handle_metadata(Broker& broker, Request request, MetadataRequest message);
Task<DescribeTopicPartitionsResponse> handle_describe_topic_partitions(Broker& broker, Request request,
                                                                       DescribeTopicPartitionsRequest message);
Task<CreateTopicsResponse> handle_create_topics(Broker& broker, Request request, CreateTopicsRequest message);
Task<DeleteTopicsResponse> handle_delete_topics(Broker& broker, Request request, DeleteTopicsRequest message);
Task<CreatePartitionsResponse> handle_create_partitions(Broker& broker, Request request,
                                                        CreatePartitionsRequest message);
Task<DescribeConfigsResponse> handle_describe_configs(Broker& broker, Request request, DescribeConfigsRequest message);
Task<AlterConfigsResponse> handle_alter_configs(Broker& broker, Request request, AlterConfigsRequest message);
Task<IncrementalAlterConfigsResponse> handle_incremental_alter_configs(Broker& broker, Request request,
                                                                       IncrementalAlterConfigsRequest message);
Task<ListConfigResourcesResponse> handle_list_config_resources(Broker& broker, Request request,
                                                               ListConfigResourcesRequest message);

}  // namespace leat
