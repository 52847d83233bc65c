// client.cpp: the public face of ClientCore.
#include <leat/client.h>

#include "client/client_core.h"

namespace leat::client {

Result<std::unique_ptr<Client>> Client::create(const ClientSettings& settings) {
  auto core = detail::ClientCore::create(detail::make_thread_runtime(settings.response_bytes_max), settings);
  if (!core) return std::move(core).error();
  return std::make_unique<Client>(*std::move(core));
}

Result<std::unique_ptr<Client>> Client::create_on(uv_loop_s* loop, const ClientSettings& settings) {
  if (loop == nullptr) return Error(Cause::kInvalidArgument, "the loop is null");
  auto core = detail::ClientCore::create(detail::make_attached_runtime(loop, settings.response_bytes_max), settings);
  if (!core) return std::move(core).error();
  return std::make_unique<Client>(*std::move(core));
}

Client::Client(std::unique_ptr<detail::ClientCore> core) noexcept : core_(std::move(core)) {}
Client::~Client() = default;

Pending<> Client::connect() { return core_->connect(); }
Result<std::unique_ptr<Producer>> Client::producer(const ProducerSettings& settings) {
  return core_->producer(settings);
}
Result<std::unique_ptr<Consumer>> Client::consumer(const ConsumerSettings& settings) {
  return core_->consumer(settings);
}
Admin& Client::admin() noexcept { return core_->admin(); }
void Client::spawn(Task<> task) { core_->spawn(std::move(task)); }
void Client::block_on(Task<> task) { core_->block_on(std::move(task)); }

}  // namespace leat::client
