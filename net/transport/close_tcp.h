// Closes a libuv TCP handle, telling ThreadSanitizer that its descriptor is free again.
//
// libuv on Linux closes by the raw system call, which ThreadSanitizer does not see: for it the descriptor stays the
// socket's, and a file that a worker opens under the same number right after reads as a race with the loop's accept.
// Each close of a TCP handle goes through here; outside a ThreadSanitizer build it is uv_close and no more.
#pragma once

#include <uv.h>

namespace leat {

// As uv_close: `closed` is called from the loop, once; the descriptor is closed when this returns.
void close_tcp(uv_tcp_t& handle, uv_close_cb closed) noexcept;

}  // namespace leat
