// transactions_codec.cpp: encode, decode and walk instantiated for producer ids and transactions.
#include "core/codec/schema_codec.h"
#include "net/protocol/messages/add_offsets_to_txn.h"
#include "net/protocol/messages/add_partitions_to_txn.h"
#include "net/protocol/messages/describe_transactions.h"
#include "net/protocol/messages/end_txn.h"
#include "net/protocol/messages/init_producer_id.h"
#include "net/protocol/messages/list_transactions.h"
#include "net/protocol/messages/write_txn_markers.h"

namespace leat {

template struct MessageCodec<InitProducerIdRequest>;
template struct MessageCodec<InitProducerIdResponse>;
template struct MessageCodec<AddPartitionsToTxnRequest>;
template struct MessageCodec<AddPartitionsToTxnResponse>;
template struct MessageCodec<AddOffsetsToTxnRequest>;
template struct MessageCodec<AddOffsetsToTxnResponse>;
template struct MessageCodec<EndTxnRequest>;
template struct MessageCodec<EndTxnResponse>;
template struct MessageCodec<WriteTxnMarkersRequest>;
template struct MessageCodec<WriteTxnMarkersResponse>;
template struct MessageCodec<DescribeTransactionsRequest>;
template struct MessageCodec<DescribeTransactionsResponse>;
template struct MessageCodec<ListTransactionsRequest>;
template struct MessageCodec<ListTransactionsResponse>;

}  // namespace leat
