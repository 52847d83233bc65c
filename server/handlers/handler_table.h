// handler_table.h: which handler serves which API: the one list that feeds dispatch. The versions stand in
// net/protocol's API table; that every API marked served there has a handler here, and none other, is checked when the
// table is made. Thread: the loop.
#pragma once

#include "server/dispatcher.h"

namespace leat {

struct Broker;

class HandlerTable final : public RequestHandlers {
 public:
  void attach(Broker& broker) noexcept { broker_ = &broker; }  // before the first connection is taken

  Task<Reply> handle(const ApiSpec& api, Request request, MessageReader body) override;
  void on_connection_closed(ConnectionId connection) override;

 private:
  Broker* broker_ = nullptr;
};

}  // namespace leat
