// exceptions.h: where a tidy rule does not hold, each with its reason. An entry that excuses nothing any more fails the
// test.
#pragma once

#include <array>
#include <string_view>

namespace leat::tidy {

struct Exception {
  std::string_view rule;
  std::string_view path;
  std::string_view text;  // part of the violation's message: so that an entry excuses one thing, not a file
  std::string_view reason;
};

inline constexpr std::array kExceptions{
    Exception{"banned-call", "core/base/clock.cpp", "system_clock", "SystemClock is where the time comes from"},
    Exception{"banned-call", "core/base/clock.cpp", "steady_clock", "SystemClock is where the time comes from"},
    Exception{"banned-call", "core/base/random.cpp", "random_device", "SystemRandom is where randomness comes from"},
    Exception{"banned-call", "core/base/bytes.cpp", "std::mutex", "the cache of blocks is shared by loop and workers"},
    Exception{"banned-call", "core/storage/sim_file_system.cpp", "std::mutex",
              "a FileSystem is called from any thread"},
    Exception{"banned-call", "net/loop/worker_pool.h", "`sleep(", "WorkerPool's own: a wait on its condition variable"},
    Exception{"banned-call", "net/loop/worker_pool.cpp", "`sleep(",
              "WorkerPool's own: a wait on its condition variable"},
    Exception{"banned-call", "net/loop/worker_pool.cpp", "steady_clock",
              "how long an idle worker spins; compared with nothing else"},
    Exception{"banned-call", "server/startup.cpp", "`printf(", "the ready line, which is for whoever started leatd"},
    Exception{"banned-call", "server/admin_http.cpp", "std::thread",
              "the admin HTTP listener, which sees nothing of the loop's and is joined by its owner"},
    Exception{"banned-call", "core/base/check.cpp", "fprintf", "the last words before abort"},
    Exception{"banned-call", "benchmarks/load/topics.cpp", "sleep_for",
              "Kafka tells nobody when its broker begins to serve a new topic: it is asked again and again"},
    Exception{
        "banned-call", "benchmarks/load/commit_load.cpp", "sleep_for",
        "Kafka makes its offsets topic when it is first asked for a coordinator, and is asked again until it has"},
    Exception{"uv-include", "benchmarks/client/leat_on_loop.cpp", "<uv.h>",
              "a program of a user's, which embeds the client on a loop of its own"},
};

}  // namespace leat::tidy
