// consume_group.cpp: a record is done when it has left this process; only then its offset is committed.
#include "cli/consume_group.h"

#include "client/group_consumer.h"
#include "core/base/random.h"
#include "core/base/uuid.h"

namespace leat::cli {
namespace {

constexpr Millis kPollWait{500};  // between two looks at the group

Result<void> check_flags(const ConsumeOptions& options) {
  if (options.group->empty()) return fail(Errc::kInvalidArgument, "--group needs a name");
  if (!options.partitions.empty()) {
    return fail(Errc::kInvalidArgument, "--partition cannot stand with --group: the group gives out the partitions");
  }
  if (options.offset) {
    return fail(Errc::kInvalidArgument,
                "--offset cannot stand with --group, which goes on where it came to. To move it: leat group reset");
  }
  return {};
}

GroupConsumerOptions consumer_options(const ConsumeOptions& options) {
  SystemRandom random;
  GroupConsumerOptions made;
  made.group_id = *options.group;
  made.instance_id = options.instance_id;
  made.member_id = Uuid::make(random).to_string();
  if (options.group_protocol == "consumer") made.protocol = GroupProtocol::kConsumer;
  if (options.group_protocol == "classic") made.protocol = GroupProtocol::kClassic;
  made.reader.max_bytes = static_cast<int32_t>(options.max_bytes);
  if (options.isolation == "read_committed") made.reader.isolation = Isolation::kReadCommitted;
  return made;
}

// Where the partitions ended when they were first given to this member. Until it is given some, nothing is at its end:
// they may still be another's.
class EndSeeker {
 public:
  Result<bool> reached(SimpleClient& client, const Topic& topic, const Offsets& positions) {
    if (positions.empty()) return false;
    std::vector<int32_t> fresh;
    for (const auto& [partition, position] : positions) {
      if (!ends_.contains(partition)) fresh.push_back(partition);
    }
    if (!fresh.empty()) {
      TRY(latest, list_offsets(client, topic, kLatestOffset, fresh));
      for (const auto& [partition, end] : latest) ends_[partition] = end.offset;
    }
    return at_end(positions, ends_);
  }

 private:
  Offsets ends_;
};

Result<void> read_on(Session& session, SimpleClient& client, const ConsumeOptions& options, RecordPrinter& printer,
                     GroupConsumer& consumer) {
  const auto on_record = [&printer](const FetchedRecord& fetched) { printer.print(fetched); };
  EndSeeker ends;
  while (!printer.is_done()) {
    TRY(consumer.poll(kPollWait, on_record));
    session.console.flush();
    if (!session.output_closed()) consumer.done_below(printer.printed_below(consumer.positions()));
    if (!options.exit_at_end) continue;
    TRY(reached, ends.reached(client, consumer.topic(), consumer.positions()));
    if (reached) break;
  }
  return {};
}

}  // namespace

Result<int> consume_in_group(Session& session, const ConsumeOptions& options) {
  TRY(check_flags(options));
  TRY(format, RecordFormat::parse(options.format));
  TRY(client, session.client());
  TRY(topic, client->topic(options.topic, AutoCreate::kNo));
  catch_interrupts();
  RecordPrinter printer(session, options, std::move(format));
  const auto begin = [&](const Topic& of, const std::vector<int32_t>& partitions) {
    return start_offsets(session, *client, of, options, partitions);
  };
  const auto notice = [&session](const std::string& line) {
    if (!session.options.quiet && !session.options.json) session.console.warn("leat: " + line);
  };
  GroupConsumer consumer(*client, session.clock, topic, consumer_options(options),
                         {.start_offsets = begin, .notice = notice});
  const Result<void> read = read_on(session, *client, options, printer, consumer);
  const Result<void> closed = consumer.close();
  if (!read) return fail(read.error());
  if (!closed) return fail(closed.error());
  return kExitOk;
}

}  // namespace leat::cli
