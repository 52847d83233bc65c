// configs_codec.cpp: encode, decode and walk instantiated for settings.
#include "core/codec/schema_codec.h"
#include "net/protocol/messages/alter_configs.h"
#include "net/protocol/messages/describe_configs.h"
#include "net/protocol/messages/incremental_alter_configs.h"
#include "net/protocol/messages/list_config_resources.h"

namespace leat {

template struct MessageCodec<DescribeConfigsRequest>;
template struct MessageCodec<DescribeConfigsResponse>;
template struct MessageCodec<AlterConfigsRequest>;
template struct MessageCodec<AlterConfigsResponse>;
template struct MessageCodec<IncrementalAlterConfigsRequest>;
template struct MessageCodec<IncrementalAlterConfigsResponse>;
template struct MessageCodec<ListConfigResourcesRequest>;
template struct MessageCodec<ListConfigResourcesResponse>;

}  // namespace leat
