// admin_core.h: what an Admin owns: its work, which coroutines share. Thread: any.
#pragma once

#include <memory>
#include <utility>

#include "client/admin/admin_work.h"

namespace leat::client::detail {

class AdminCore {
 public:
  explicit AdminCore(std::shared_ptr<AdminWork> work) noexcept : work_(std::move(work)) {}
  AdminWork& work() noexcept { return *work_; }

 private:
  const std::shared_ptr<AdminWork> work_;
};

}  // namespace leat::client::detail
