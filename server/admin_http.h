// admin_http.h: the admin HTTP listener: GET /metrics, /healthz, /readyz. It lives in a module of its own,
// leat_admin.so, loaded when it is asked for (docs/decisions/0018): the HTTP library brings OpenSSL and more with it,
// which would cost every start some 10 ms and every leatd 4 MB. It knows the broker only as AdminQuestions. Threads:
// one that accepts, and one for each connection that is kept.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "server/admin_questions.h"

namespace leat {

struct AdminHttpOptions {
  std::string host{};  // "": every interface
  uint16_t port = 0;   // 0: any free one
  // Bounds on one request, which its client cannot stretch: its bytes, the time in which they must come, and the time
  // in which the answer must be taken.
  size_t request_bytes_max = 16 << 10;
  Millis request_within_max{2000};
  Millis response_within_max{10'000};
  Millis probe_every{250};
};

class AdminHttp {
 public:
  virtual ~AdminHttp() = default;  // ends its threads: at once, also when a client is slow
  virtual uint16_t port() const noexcept = 0;
};

// In the module. The questions outlive the listener.
Result<std::unique_ptr<AdminHttp>> start_admin_http(AdminQuestions& questions, const AdminHttpOptions& options);

// In leatd: loads the module, which stays loaded, and starts the listener.
Result<std::unique_ptr<AdminHttp>> load_admin_http(AdminQuestions& questions, const AdminHttpOptions& options);

// What the module exports; only load_admin_http calls it.
using StartAdminHttp = Result<std::unique_ptr<AdminHttp>>*(AdminQuestions& questions, const AdminHttpOptions& options);
inline constexpr const char* kStartAdminHttp = "leat_start_admin_http";

}  // namespace leat
