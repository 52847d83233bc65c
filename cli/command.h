// command.h: what a command of `leat` is: a name, words that teach, flags, and an action. All of them stand in
// commands().
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "cli/flags.h"
#include "cli/session.h"
#include "core/base/result.h"

namespace leat::cli {

using Action = std::function<Result<int>(Session&)>;  // the exit code, or the error to report

struct Command {
  std::string_view name;     // "topic create": the group first
  std::string_view summary;  // one line, in the list of commands
  std::string_view examples;
  Action (*declare)(Flags& flags);
};

struct CommandGroup {
  std::string_view name;
  std::string_view summary;
};

std::span<const Command> commands() noexcept;
std::span<const CommandGroup> command_groups() noexcept;

Action declare_topic_create(Flags& flags);
Action declare_topic_list(Flags& flags);
Action declare_topic_describe(Flags& flags);
Action declare_topic_delete(Flags& flags);
Action declare_topic_alter(Flags& flags);
Action declare_produce(Flags& flags);
Action declare_consume(Flags& flags);
Action declare_offsets(Flags& flags);
Action declare_group_list(Flags& flags);
Action declare_group_describe(Flags& flags);
Action declare_group_reset(Flags& flags);
Action declare_group_delete(Flags& flags);
Action declare_quota_list(Flags& flags);
Action declare_quota_set(Flags& flags);
Action declare_quota_delete(Flags& flags);
Action declare_context_list(Flags& flags);
Action declare_context_show(Flags& flags);
Action declare_context_add(Flags& flags);
Action declare_context_use(Flags& flags);
Action declare_context_remove(Flags& flags);
Action declare_completion(Flags& flags);
Action declare_top(Flags& flags);
Action declare_config_get(Flags& flags);
Action declare_config_set(Flags& flags);
Action declare_log_dump(Flags& flags);
Action declare_log_verify(Flags& flags);
Action declare_log_repair(Flags& flags);
Action declare_bench_produce(Flags& flags);
Action declare_bench_consume(Flags& flags);
Action declare_bench_latency(Flags& flags);

}  // namespace leat::cli
