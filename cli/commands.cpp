// commands.cpp: all commands of `leat`, with the examples that their help ends with.
#include <array>

#include "cli/command.h"

namespace leat::cli {
namespace {

constexpr std::array kGroups{
    CommandGroup{"topic", "Create, list, describe, delete, alter topics"},
    CommandGroup{"group", "List, describe, reset, delete consumer groups"},
    CommandGroup{"config", "Read and change settings"},
    CommandGroup{"quota", "Limit what clients use"},
    CommandGroup{"context", "Name addresses, and choose one of them"},
    CommandGroup{"log", "Look into the files of a log, and repair them, without a server"},
    CommandGroup{"bench", "Measure any Kafka-compatible broker"},
};

constexpr std::array kCommands{
    Command{"topic create", "Make a topic",
            "  leat topic create orders --partitions 3\n"
            "  leat topic create prices --config cleanup.policy=compact --if-not-exists",
            declare_topic_create},
    Command{"topic list", "Name all topics",
            "  leat topic list\n"
            "  leat topic list --json | jq -r .topic",
            declare_topic_list},
    Command{"topic describe", "Partitions, offsets and settings of topics", "  leat topic describe orders prices",
            declare_topic_describe},
    Command{"topic delete", "Remove topics and their records", "  leat topic delete orders", declare_topic_delete},
    Command{"topic alter", "More partitions, other settings",
            "  leat topic alter orders --partitions 6\n"
            "  leat topic alter orders --config retention.ms=86400000 --unset segment.bytes",
            declare_topic_alter},
    Command{"produce", "Lines of standard input become records",
            "  echo hello | leat produce orders\n"
            "  printf 'anna:bread\\nbert:salt\\n' | leat produce orders --key-separator :\n"
            "  leat produce orders --compression zstd --acks 1 < orders.txt",
            declare_produce},
    Command{"consume", "Records to standard output",
            "  leat consume orders                                  # what comes from now on\n"
            "  leat consume orders --from-beginning --exit          # all that is there\n"
            "  leat consume orders --since 1h --format '%p@%o %k=%v\\n'\n"
            "  leat consume orders --partition 0 --offset 42 --count 1 --json\n"
            "  leat consume orders --group billing --from-beginning # as one of a group; goes on where it ended",
            declare_consume},
    Command{"offsets", "Where partitions begin and end",
            "  leat offsets orders\n"
            "  leat offsets orders --at 2h",
            declare_offsets},
    Command{"group list", "Name all groups, with their state",
            "  leat group list\n"
            "  leat group list --state Empty --type consumer\n"
            "  leat group list --json | jq -r .group",
            declare_group_list},
    Command{"group describe", "How far a group is, and who its members are",
            "  leat group describe billing\n"
            "  leat group describe billing --json | jq '[.partitions[].lag] | add'   # all that is still to read",
            declare_group_describe},
    Command{
        "group reset", "Move the committed offsets of a group",
        "  leat group reset billing --to-earliest --all-topics                  # shows what would change\n"
        "  leat group reset billing --to-earliest --all-topics --execute        # changes it\n"
        "  leat group reset billing --to-datetime 2h --topic orders --execute   # back to two hours ago\n"
        "  leat group reset billing --shift-by -100 --topic orders:0,2          # 100 records back in two partitions",
        declare_group_reset},
    Command{"group delete", "Remove groups and their committed offsets",
            "  leat group delete billing\n"
            "  leat group list --state Empty -q | xargs leat group delete",
            declare_group_delete},
    Command{"config get", "Effective settings, with their source",
            "  leat config get topic orders\n"
            "  leat config get topic orders retention.ms\n"
            "  leat config get group billing\n"
            "  leat config get broker --overrides",
            declare_config_get},
    Command{"config set", "Change settings",
            "  leat config set topic orders retention.ms=86400000\n"
            "  leat config set topic orders --unset retention.ms\n"
            "  leat config set group billing consumer.session.timeout.ms=50000\n"
            "  leat config set broker log.retention.ms=86400000",
            declare_config_set},
    Command{"quota list", "Quotas of users, client ids and addresses",
            "  leat quota list\n"
            "  leat quota list --client-id billing\n"
            "  leat quota list --json | jq .quotas",
            declare_quota_list},
    Command{"quota set", "Limit a user, a client id or an address",
            "  leat quota set --client-id billing producer_byte_rate=1048576 consumer_byte_rate=2097152\n"
            "  leat quota set --client-id-default request_percentage=200   # of one thread, each client id\n"
            "  leat quota set --ip-default connection_creation_rate=1000",
            declare_quota_set},
    Command{"quota delete", "Take limits away",
            "  leat quota delete --client-id billing --if-exists           # all of its quotas\n"
            "  leat quota delete --client-id-default request_percentage --if-exists",
            declare_quota_delete},
    Command{"context list", "Name all contexts",
            "  leat context list\n"
            "  leat context list --json | jq -r .context",
            declare_context_list},
    Command{"context show", "Which address is asked, and why",
            "  leat context show\n"
            "  leat context show --context staging -q     # the address and nothing else",
            declare_context_show},
    Command{"context add", "Give an address a name",
            "  leat context add local localhost:9092 --use\n"
            "  leat context add cluster one.example:9092,two.example:9092 && leat context show --context cluster",
            declare_context_add},
    Command{"context use", "Choose the context that commands use",
            "  leat context use staging\n"
            "  leat context use --none                    # localhost:9092 again",
            declare_context_use},
    Command{"context remove", "Forget contexts", "  leat context remove staging", declare_context_remove},
    Command{"log dump", "Show batches, records, index entries",
            "  leat log dump leat-data/orders-0\n"
            "  leat log dump --records leat-data/orders-0/00000000000000000000.log\n"
            "  leat log dump leat-data/orders-0/00000000000000000000.index",
            declare_log_dump},
    Command{"log verify", "Check that files hold what was written",
            "  leat log verify leat-data\n"
            "  leat log verify leat-data/orders-0 --json   # exit code 1: damage; 4: nothing but a torn tail",
            declare_log_verify},
    Command{"log repair", "Take damage out of logs, while leatd is stopped",
            "  leat log repair --dry-run leat-data           # what would be done\n"
            "  leat log repair leat-data/orders-0            # what is taken out goes to .aside files beside the log",
            declare_log_repair},
    Command{"top", "What happens now: rates of topics, lag of groups, brokers",
            "  leat top                                   # q ends it; r b s l n sort\n"
            "  leat top --interval 2000 --sort lag\n"
            "  leat top -n 1 --json                       # one measurement, for programs",
            declare_top},
    Command{"completion", "A script with which your shell completes words",
            "  eval \"$(leat completion bash)\"            # in this shell; in ~/.bashrc: in each one\n"
            "  leat completion zsh > _leat                # to a folder of $fpath\n"
            "  leat completion fish > leat.fish           # to ~/.config/fish/completions",
            declare_completion},
    Command{"bench produce", "How fast records are taken",
            "  leat bench produce speed --record-bytes 100 --batch-records 1000\n"
            "  leat bench produce speed --connections 8 --batch-records 1 --duration 30",
            declare_bench_produce},
    Command{"bench consume", "How fast records are given", "  leat bench consume speed --fetch-bytes 1048576",
            declare_bench_consume},
    Command{"bench latency", "How long until a record is durable, and read",
            "  leat bench latency speed --rate 1000 --duration 30", declare_bench_latency},
};

}  // namespace

std::span<const Command> commands() noexcept { return kCommands; }
std::span<const CommandGroup> command_groups() noexcept { return kGroups; }

}  // namespace leat::cli
