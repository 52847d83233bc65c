// group_list.cpp: leat group list.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/suggest.h"
#include "cli/text_table.h"

namespace leat::cli {
namespace {

struct ListOptions {
  std::vector<std::string> states;
  std::vector<std::string> types;
};

// As the broker spells them; it takes them in any case.
const std::vector<std::string> kStates = {
    "Empty", "Assigning", "Reconciling", "PreparingRebalance", "CompletingRebalance", "Stable", "Dead", "NotReady"};
const std::vector<std::string> kTypes = {"classic", "consumer", "share", "streams"};

std::string lower(std::string text) {
  for (char& letter : text) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  return text;
}

Result<void> check_known(const std::vector<std::string>& words, const std::vector<std::string>& known,
                         std::string_view what) {
  for (const std::string& word : words) {
    const bool found =
        std::any_of(known.begin(), known.end(), [&word](const std::string& one) { return lower(one) == lower(word); });
    if (found) continue;
    const std::string meant = did_you_mean(word, known);
    return fail(Errc::kInvalidArgument, fmt::format("there is no {} '{}'{} There are: {}", what, word,
                                                    meant.empty() ? "." : meant, fmt::join(known, ", ")));
  }
  return {};
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

Error not_listed(Session& session, const ListOptions& options, const client::Error& error) {
  const bool filters = !options.states.empty() || !options.types.empty();
  if (!filters || error.cause() != client::Cause::kUnsupported) return session.failure(error);
  return session.failure(error, "this broker does not tell states or types of groups; list them without a filter");
}

Result<int> list(Session& session, const ListOptions& options) {
  TRY(check_known(options.states, kStates, "state"));
  TRY(check_known(options.types, kTypes, "type"));
  TRY(connected, session.client());
  client::GroupFilter filter{.states = options.states, .types = options.types};
  const client::Result<std::vector<client::GroupSummary>> groups =
      connected->admin().list_groups(std::move(filter)).wait();
  if (!groups) return fail(not_listed(session, options, groups.error()));
  TextTable table({"GROUP", "TYPE", "STATE", "PROTOCOL"});
  for (const client::GroupSummary& group : *groups) {
    if (session.options.json) {
      session.out(json_line({{"group", group.group_id},
                             {"type", group.type},
                             {"state", group.state},
                             {"protocol_type", group.protocol_type}}));
    } else if (session.options.quiet) {
      session.out(group.group_id + "\n");
    }
    table.add({group.group_id, or_dash(group.type), or_dash(group.state), or_dash(group.protocol_type)});
  }
  if (!groups->empty()) {
    if (!session.options.json && !session.options.quiet) session.out(table.to_string());
  } else if (!options.states.empty() || !options.types.empty()) {
    session.say("No such groups. All of them: leat group list");
  } else {
    session.say("No groups. The first member makes one: leat consume TOPIC --group NAME");
  }
  return kExitOk;
}

}  // namespace

Action declare_group_list(Flags& flags) {
  const auto options = std::make_shared<ListOptions>();
  flags.texts("--state", "STATE", options->states, "Only groups in this state, as Stable or Empty; may be repeated");
  flags.texts("--type", "TYPE", options->types,
              "Only groups of this type: classic, consumer, share or streams; may be repeated");
  return [options](Session& session) { return list(session, *options); };
}

}  // namespace leat::cli
