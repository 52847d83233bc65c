// group_reset.cpp: leat group reset: moves the committed offsets of a group that has no members. Without --execute it
// shows what it would do and changes nothing.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/moment.h"
#include "cli/progress_line.h"
#include "cli/reset_plan.h"
#include "cli/text_table.h"
#include "cli/topic_lookup.h"
#include "net/protocol/error_code.h"

namespace leat::cli {
namespace {

struct ResetOptions {
  std::string group;
  bool to_earliest = false;
  bool to_latest = false;
  std::optional<int64_t> to_offset;
  std::optional<std::string> to_datetime;
  std::optional<int64_t> shift_by;
  std::vector<std::string> topics;
  bool all_topics = false;
  bool execute = false;
};

using Plan = std::vector<PlannedReset>;

Result<ResetTarget> target_of(const ResetOptions& options, int64_t now_ms) {
  const int given = (options.to_earliest ? 1 : 0) + (options.to_latest ? 1 : 0) + (options.to_offset ? 1 : 0) +
                    (options.to_datetime ? 1 : 0) + (options.shift_by ? 1 : 0);
  if (given != 1) {
    return fail(Errc::kInvalidArgument,
                "where to? Give one of --to-earliest, --to-latest, --to-offset, --to-datetime and --shift-by");
  }
  if (options.to_earliest) return ResetTarget{.to = ResetTo::kEarliest};
  if (options.to_latest) return ResetTarget{.to = ResetTo::kLatest};
  if (options.to_offset) return ResetTarget{.to = ResetTo::kOffset, .value = *options.to_offset};
  if (options.shift_by) return ResetTarget{.to = ResetTo::kShift, .value = *options.shift_by};
  TRY(moment_ms, parse_moment(*options.to_datetime, now_ms));
  return ResetTarget{.to = ResetTo::kMoment, .value = moment_ms};
}

Result<void> check_empty(Session& session, client::Admin& admin, const std::string& name) {
  const client::Result<client::GroupInfo> group = admin.describe_group(name).wait();
  const bool missing = !group && group.error().kafka_code() == ErrorCode::kGroupIdNotFound;
  if (missing) return {};  // the commit makes it
  if (!group) return fail(session.failure(group.error()));
  if (group->members.empty() && group->state == "Empty") return {};
  return fail(session.refusal(
      ErrorCode::kNonEmptyGroup,
      fmt::format("group '{}' is not empty (NON_EMPTY_GROUP): it has {} member{} and its state is {}. Its offsets "
                  "can be moved only while nobody reads with it: stop its consumers and try again. Who they are: "
                  "leat group describe {}",
                  name, group->members.size(), group->members.size() == 1 ? "" : "s", group->state, name)));
}

Result<std::vector<TopicSelection>> named_topics(const ResetOptions& options) {
  if (options.topics.empty() != options.all_topics) {
    return fail(Errc::kInvalidArgument, "of which topics? Give --topic TOPIC, --topic TOPIC:0,2 or --all-topics");
  }
  std::vector<TopicSelection> topics;
  for (const std::string& text : options.topics) {
    TRY(topic, parse_topic_selection(text));
    topics.push_back(std::move(topic));
  }
  return topics;
}

Result<std::vector<TopicSelection>> committed_topics(const ResetOptions& options, const client::Offsets& committed) {
  std::vector<TopicSelection> topics;
  for (const auto& [name, offset] : committed) {
    if (topics.empty() || topics.back().topic != name.topic) topics.push_back({.topic = name.topic, .partitions = {}});
    topics.back().partitions.push_back(name.partition);
  }
  if (topics.empty()) {
    return fail(Errc::kNotFound,
                fmt::format("group '{}' has committed nothing: name the topics with --topic", options.group));
  }
  return topics;
}

Result<void> plan_topic(Session& session, const TopicSelection& selection, const client::Offsets& committed,
                        const ResetTarget& target, Plan& plan) {
  TRY(topic, find_topic(session, selection.topic));
  const std::vector<int64_t> selected(selection.partitions.begin(), selection.partitions.end());
  TRY(partitions, chosen_partitions(session, topic, selected));
  TRY(earliest, list_offsets(session, selection.topic, partitions, client::kEarliestOffset));
  TRY(latest, list_offsets(session, selection.topic, partitions, client::kLatestOffset));
  OffsetsFound at_moment;
  if (target.to == ResetTo::kMoment) {
    TRY(found, list_offsets(session, selection.topic, partitions, target.value));
    at_moment = std::move(found);
  }
  for (const auto& [index, first] : earliest) {
    const client::TopicPartition name{.topic = selection.topic, .partition = index};
    PartitionState state;
    state.earliest = first.offset;
    state.latest = latest[index].offset;
    if (const auto found = at_moment.find(index); found != at_moment.end() && found->second.offset >= 0) {
      state.at_moment = found->second.offset;
    }
    if (const auto before = committed.find(name); before != committed.end()) state.committed = before->second.offset;
    TRY(planned, plan_reset(name, state, target));
    plan.push_back(std::move(planned));
  }
  return {};
}

Result<Plan> make_plan(Session& session, const std::vector<TopicSelection>& topics, const client::Offsets& committed,
                       const ResetTarget& target) {
  Plan plan;
  ProgressLine progress(session);
  size_t done_count = 0;
  for (const TopicSelection& topic : topics) {
    if (progress.is_due()) {
      progress.show(fmt::format("{} of {} topics, {} partitions", done_count, topics.size(), plan.size()));
    }
    TRY(plan_topic(session, topic, committed, target, plan));
    ++done_count;
  }
  return plan;
}

void print_plan(Session& session, const ResetOptions& options, const Plan& plan) {
  TextTable table({"TOPIC", "PARTITION", "COMMITTED", "NEW", "LAG", "NOTE"});
  for (const PlannedReset& one : plan) {
    if (session.options.json) {
      session.out(json_line({{"group", options.group},
                             {"topic", one.partition.topic},
                             {"partition", one.partition.partition},
                             {"committed_offset", or_null(one.committed)},
                             {"new_offset", one.next},
                             {"log_end_offset", one.log_end},
                             {"executed", options.execute}}));
    }
    table.add({one.partition.topic, std::to_string(one.partition.partition),
               one.committed ? std::to_string(*one.committed) : "-", std::to_string(one.next),
               std::to_string(one.log_end - one.next), one.was_outside ? "the nearest that is there" : ""});
  }
  if (!session.options.json) session.out(table.to_string());
}

Result<void> carry_out(Session& session, client::Admin& admin, const ResetOptions& options, const Plan& plan) {
  client::Offsets offsets;
  for (const PlannedReset& one : plan) offsets[one.partition].offset = one.next;
  TRY(refused, session.wait(admin.alter_group_offsets(options.group, std::move(offsets))));
  if (refused.empty()) return {};
  const auto& [partition, error] = *refused.begin();
  if (error.kafka_code() == ErrorCode::kUnknownMemberId) {
    return fail(session.failure(
        error, fmt::format("group '{}' got a member meanwhile (UNKNOWN_MEMBER_ID), and keeps its offsets: stop its "
                           "consumers and try again",
                           options.group)));
  }
  return fail(session.failure(
      error, fmt::format("{} of {} offsets were not moved: {}", refused.size(), plan.size(), error.message())));
}

Result<int> reset(Session& session, const ResetOptions& options) {
  TRY(target, target_of(options, session.clock.wall_ms()));
  TRY(topics, named_topics(options));
  TRY(connected, session.client());
  client::Admin& admin = connected->admin();
  TRY(check_empty(session, admin, options.group));
  TRY(committed, session.wait(admin.list_group_offsets(options.group)));
  if (options.all_topics) {
    TRY(all, committed_topics(options, committed));
    topics = std::move(all);
  }
  TRY(plan, make_plan(session, topics, committed, target));
  if (options.execute) TRY(carry_out(session, admin, options, plan));
  print_plan(session, options, plan);
  session.say(
      options.execute
          ? fmt::format("Moved {} offset{} of group '{}'.", plan.size(), plan.size() == 1 ? "" : "s", options.group)
          : std::string("Nothing is changed yet: this is the plan. The same with --execute carries it out."));
  return kExitOk;
}

}  // namespace

Action declare_group_reset(Flags& flags) {
  const auto options = std::make_shared<ResetOptions>();
  flags.word("group", options->group, Need::kRequired, "The group; it must have no members");
  flags.on_off("--to-earliest", options->to_earliest, "To the first record there is");
  flags.on_off("--to-latest", options->to_latest, "To the end: only what comes from now on");
  flags.number("--to-offset", options->to_offset, {.least = 0, .greatest = INT64_MAX}, "To this offset");
  flags.text(
      "--to-datetime", "TIME", options->to_datetime,
      "To the first record at or after TIME: milliseconds since 1970, 2026-01-31T12:00:00Z, or so long ago: 10m, "
      "2h, 1d");
  flags.number("--shift-by", options->shift_by, {.least = INT64_MIN, .greatest = INT64_MAX},
               "So many records on; negative: back");
  flags.texts("-t,--topic", "TOPIC[:P,...]", options->topics,
              "A topic, or some of its partitions: orders or orders:0,2; may be repeated");
  flags.on_off("--all-topics", options->all_topics, "Every partition for which the group has committed");
  flags.on_off("--execute", options->execute, "Do it; without it the plan is shown and nothing changes");
  return [options](Session& session) { return reset(session, *options); };
}

}  // namespace leat::cli
