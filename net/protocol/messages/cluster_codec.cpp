// cluster_codec.cpp: encode, decode and walk instantiated for what a client asks first, and the cluster.
#include "core/codec/schema_codec.h"
#include "net/protocol/messages/api_versions.h"
#include "net/protocol/messages/describe_cluster.h"
#include "net/protocol/messages/describe_quorum.h"
#include "net/protocol/messages/describe_topic_partitions.h"
#include "net/protocol/messages/metadata.h"
#include "net/protocol/messages/update_features.h"

namespace leat {

template struct MessageCodec<ApiVersionsRequest>;
template struct MessageCodec<ApiVersionsResponse>;
template struct MessageCodec<MetadataRequest>;
template struct MessageCodec<MetadataResponse>;
template struct MessageCodec<DescribeTopicPartitionsRequest>;
template struct MessageCodec<DescribeTopicPartitionsResponse>;
template struct MessageCodec<DescribeClusterRequest>;
template struct MessageCodec<DescribeClusterResponse>;
template struct MessageCodec<DescribeQuorumRequest>;
template struct MessageCodec<DescribeQuorumResponse>;
template struct MessageCodec<UpdateFeaturesRequest>;
template struct MessageCodec<UpdateFeaturesResponse>;

}  // namespace leat
