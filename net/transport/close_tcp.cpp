#include "net/transport/close_tcp.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LEAT_THREAD_SANITIZER 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define LEAT_THREAD_SANITIZER 1
#endif

#if defined(LEAT_THREAD_SANITIZER) && defined(__linux__)
// From sanitizer/linux_syscall_hooks.h, which g++ 12 does not ship; its libtsan has the function.
extern "C" void __sanitizer_syscall_pre_impl_close(long fd);  // NOLINT(bugprone-reserved-identifier,cert-dcl37-c)
#endif

namespace leat {

namespace {

void tell_sanitizer([[maybe_unused]] const uv_tcp_t& handle) noexcept {
#if defined(LEAT_THREAD_SANITIZER) && defined(__linux__)
  uv_os_fd_t fd = -1;
  if (uv_fileno(reinterpret_cast<const uv_handle_t*>(&handle), &fd) == 0) __sanitizer_syscall_pre_impl_close(fd);
#endif
}

}  // namespace

void close_tcp(uv_tcp_t& handle, uv_close_cb closed) noexcept {
  tell_sanitizer(handle);
  uv_close(reinterpret_cast<uv_handle_t*>(&handle), closed);
}

}  // namespace leat
