// transaction_records.cpp: encode, decode and walk instantiated.
#include "core/coordinator/transaction_records.h"

#include "core/codec/schema_codec.h"

namespace leat {

template struct MessageCodec<TransactionLogKey>;
template struct MessageCodec<TransactionLogValue>;

}  // namespace leat
