// quota_handlers.h: the handlers of client quotas. Each is a coroutine that reads top to bottom; versions, gaps and
// errors: at the top of quotas.cpp. Thread: the loop.
#pragma once

#include "net/loop/task.h"
#include "net/protocol/messages/alter_client_quotas.h"
#include "net/protocol/messages/describe_client_quotas.h"
#include "server/request.h"

namespace leat {

struct Broker;

Task<DescribeClientQuotasResponse> handle_describe_client_quotas(Broker& broker, Request request,
                                                                 DescribeClientQuotasRequest message);
Task<AlterClientQuotasResponse> handle_alter_client_quotas(Broker& broker, Request request,
                                                           AlterClientQuotasRequest message);

}  // namespace leat
