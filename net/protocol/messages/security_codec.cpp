// security_codec.cpp: encode, decode and walk instantiated for login, access rules, quotas.
#include "core/codec/schema_codec.h"
#include "net/protocol/messages/alter_client_quotas.h"
#include "net/protocol/messages/alter_user_scram_credentials.h"
#include "net/protocol/messages/create_acls.h"
#include "net/protocol/messages/delete_acls.h"
#include "net/protocol/messages/describe_acls.h"
#include "net/protocol/messages/describe_client_quotas.h"
#include "net/protocol/messages/describe_user_scram_credentials.h"
#include "net/protocol/messages/sasl_authenticate.h"
#include "net/protocol/messages/sasl_handshake.h"

namespace leat {

template struct MessageCodec<SaslHandshakeRequest>;
template struct MessageCodec<SaslHandshakeResponse>;
template struct MessageCodec<SaslAuthenticateRequest>;
template struct MessageCodec<SaslAuthenticateResponse>;
template struct MessageCodec<DescribeAclsRequest>;
template struct MessageCodec<DescribeAclsResponse>;
template struct MessageCodec<CreateAclsRequest>;
template struct MessageCodec<CreateAclsResponse>;
template struct MessageCodec<DeleteAclsRequest>;
template struct MessageCodec<DeleteAclsResponse>;
template struct MessageCodec<DescribeUserScramCredentialsRequest>;
template struct MessageCodec<DescribeUserScramCredentialsResponse>;
template struct MessageCodec<AlterUserScramCredentialsRequest>;
template struct MessageCodec<AlterUserScramCredentialsResponse>;
template struct MessageCodec<DescribeClientQuotasRequest>;
template struct MessageCodec<DescribeClientQuotasResponse>;
template struct MessageCodec<AlterClientQuotasRequest>;
template struct MessageCodec<AlterClientQuotasResponse>;

}  // namespace leat
