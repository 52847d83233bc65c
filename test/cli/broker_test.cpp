// broker_test.cpp: produce and consume against a broker that behaves, and one that does not.
#include <map>

#include "cli/session.h"
#include "core/record/batch_builder.h"
#include "test/cli/captured.h"
#include "test/client/fake_broker.h"
#include "test/support/catch.h"

using namespace leat;
using namespace leat::cli;
using namespace leat::test;

namespace {

using Words = std::vector<std::string>;

Slice batch_at(int64_t base_offset, std::initializer_list<const char*> values, const BatchOptions& options = {}) {
  BatchOptions placed = options;
  placed.base_offset = Offset(base_offset);
  BatchBuilder builder(placed);
  for (const char* value : values) builder.append({.key = std::nullopt, .value = as_bytes(value), .timestamp_ms = 1});
  return *builder.finish();
}

Captured consume_all(const FakeBroker& broker, std::initializer_list<std::string> more = {}) {
  std::vector<std::string> words{"-b", broker.address(), "consume", "orders", "--from-beginning", "--exit"};
  words.insert(words.end(), more.begin(), more.end());
  return run_leat(words);
}

}  // namespace

TEST_CASE("produce, consume: lines there and back, with keys", "[cli][broker]") {
  const FakeBroker broker({});
  const Captured produced = run_leat({"-b", broker.address(), "produce", "orders", "-K", ":", "-H", "h=1"},
                                     "a:1\nb:2:3\nno key\n:empty\nlast");
  INFO(produced.errors);
  CHECK(produced.exit_code == kExitOk);
  CHECK(produced.out == "Produced 5 records to orders-0, offsets 0 to 4.\n");
  const Captured consumed = consume_all(broker, {"--format", "%o[%k|%v|%K|%h]\\n"});
  CHECK(consumed.exit_code == kExitOk);
  CHECK(consumed.out == "0[a|1|1|h=1]\n1[b|2:3|1|h=1]\n2[|no key|-1|h=1]\n3[|empty|0|h=1]\n4[|last|-1|h=1]\n");
  CHECK(run_leat({"-b", broker.address(), "consume", "orders", "--offset", "3", "--count", "1"}).out == "empty\n");
}

TEST_CASE("produce: batches are bounded by records and bytes, in every codec", "[cli][broker]") {
  for (const char* codec : {"none", "gzip", "snappy", "lz4", "zstd"}) {
    const FakeBroker broker({});
    std::string input;
    for (int i = 0; i < 50; ++i) input += std::string(100, 'x') + "\n";
    const Captured few =
        run_leat({"-b", broker.address(), "produce", "orders", "--batch-records", "20", "-z", codec, "--json"}, input);
    INFO(codec << few.errors);
    CHECK(std::count(few.out.begin(), few.out.end(), '\n') == 3);
    const Captured small =
        run_leat({"-b", broker.address(), "produce", "orders", "--batch-bytes", "250", "--json"}, input);
    CHECK(std::count(small.out.begin(), small.out.end(), '\n') == 50);
    CHECK(broker.record_count() == 100);
    const Captured all = consume_all(broker);
    CHECK(all.out == input + input);
  }
}

TEST_CASE("produce: what the broker calls retriable is tried again, the rest is told", "[cli][broker]") {
  const FakeBroker moving({.produce_errors = 2, .leaderless_metadata = 1});
  CHECK(run_leat({"-b", moving.address(), "produce", "orders"}, "x\n").exit_code == kExitOk);
  CHECK(moving.record_count() == 1);
  const FakeBroker small({.produce_errors = 1, .produce_error = ErrorCode::kMessageTooLarge});
  const Captured refused = run_leat({"-b", small.address(), "produce", "orders"}, "x\n");
  CHECK(refused.exit_code == kExitFailed);
  CHECK(contains(refused.errors, "MESSAGE_TOO_LARGE"));
  CHECK(contains(refused.errors, "max.message.bytes"));
  CHECK(small.record_count() == 0);
  const FakeBroker unanswered({});
  CHECK(contains(run_leat({"-b", unanswered.address(), "produce", "orders", "--acks", "0"}, "x\n").out,
                 "not acknowledged"));
}

TEST_CASE("produce: a broker that says no until the time is over is named with what it said", "[cli][broker]") {
  for (const ErrorCode code : {ErrorCode::kKafkaStorageError, ErrorCode::kNotEnoughReplicas}) {
    const FakeBroker refusing(
        {.produce_errors = 1'000'000, .produce_error = code, .configs = {{"min.insync.replicas", "2"}}});
    for (const bool json : {false, true}) {
      Words words{"-b", refusing.address(), "produce", "orders", "--timeout", "200"};
      if (json) words.emplace_back("--json");
      const Captured refused = run_leat(words, "x\n");
      INFO(refused.errors);
      CHECK(refused.exit_code == kExitFailed);
      CHECK(contains(refused.errors, error_name(code)));
      CHECK(contains(refused.errors, "\"kind\":\"" + std::string(error_name(code)) + "\"") == json);
      CHECK(contains(refused.errors, "free space") == (code == ErrorCode::kKafkaStorageError));
      CHECK(contains(refused.errors, "min.insync.replicas=1") == (code == ErrorCode::kNotEnoughReplicas));
      CHECK(!contains(refused.errors, "--timeout waits longer"));
    }
  }
}

TEST_CASE("produce: a record that is too large says what would help", "[cli][broker]") {
  const std::map<std::string, std::string> limits{{"max.message.bytes", "1000000"},
                                                  {"socket.request.max.bytes", "3000000"}};
  const FakeBroker broker({.configs = limits});
  const auto produce = [](const FakeBroker& to, const std::string& input, const Words& more = {}) {
    Words words{"-b", to.address(), "produce", "orders"};
    words.insert(words.end(), more.begin(), more.end());
    return run_leat(words, input);
  };
  const Captured one = produce(broker, "small\n" + std::string(2'000'000, 'x') + "\nbehind it\n");
  INFO(one.errors);
  CHECK(one.exit_code == kExitFailed);
  CHECK(contains(one.errors, "line 2 has 2000000 bytes, which is more than topic 'orders' takes at once"));
  CHECK(
      contains(one.errors, "its max.message.bytes is 1000000. More: leat config set topic orders max.message.bytes=N"));
  CHECK(!contains(one.errors, "--batch-bytes"));
  CHECK(broker.record_count() == 1);  // what came before it is kept
  CHECK(produce(broker, std::string(2'000'000, 'x') + "\n", {"-z", "zstd"}).exit_code == kExitOk);
  const FakeBroker patient({.configs = {{"max.message.bytes", "9000000"}, {"socket.request.max.bytes", "3000000"}}});
  const Captured request = produce(patient, std::string(4'000'000, 'x') + "\n");
  CHECK(contains(request.errors, "more than the broker takes in a request (MESSAGE_TOO_LARGE)"));
  CHECK(contains(request.errors, "socket.request.max.bytes is 3000000"));
  CHECK(patient.record_count() == 0);
  // Where the broker is the first to know: a record that is too large by itself is refused, many in one batch are
  // split.
  const FakeBroker::Script refuses{
      .produce_errors = 1, .produce_error = ErrorCode::kMessageTooLarge, .configs = {{"max.message.bytes", "1000"}}};
  const FakeBroker refusing(refuses);
  const Captured refused = produce(refusing, std::string(990, 'x') + "\n");
  INFO(refused.errors);
  CHECK(refused.exit_code == kExitFailed);
  CHECK(contains(refused.errors, "max.message.bytes is 1000"));
  CHECK(contains(refused.errors, "leat config set topic orders max.message.bytes=N"));
  const FakeBroker splitting(refuses);
  const Captured many = produce(splitting, "a\nb\nc\n");
  CHECK(many.exit_code == kExitOk);
  CHECK(splitting.record_count() == 3);
}

TEST_CASE("topic alter: nothing is changed when the broker refuses a part of it", "[cli][broker]") {
  const auto alter = [](const Words& more, Words& changes) {
    const FakeBroker broker({.configs = {{"retention.ms", "1"}, {"segment.ms", "1"}}, .partitions_max = 10});
    Words words{"-b", broker.address(), "topic", "alter", "orders"};
    words.insert(words.end(), more.begin(), more.end());
    const Captured result = run_leat(words);
    changes = broker.changes();
    return result;
  };
  const auto is_change = [](const std::string& change) { return !change.starts_with("check "); };
  const std::vector<Words> wrong{{"-p", "3", "-c", "retention.mss=5"},
                                 {"-p", "11", "-c", "retention.ms=5"},
                                 {"-p", "3", "-c", "retention.ms=5", "-c", "nothing=1"},
                                 {"-p", "3", "--unset", "nothing"},
                                 {"-p", "11"},
                                 {"-c", "nothing=1"}};
  for (const Words& more : wrong) {
    Words changes;
    const Captured refused = alter(more, changes);
    INFO(refused.errors);
    CHECK(refused.exit_code == kExitFailed);
    CHECK(std::none_of(changes.begin(), changes.end(), is_change));
  }
  Words changes;
  const Captured done = alter({"-p", "3", "-c", "retention.ms=5", "--unset", "segment.ms"}, changes);
  INFO(done.errors);
  CHECK(done.exit_code == kExitOk);
  std::erase_if(changes, [&](const std::string& change) { return !is_change(change); });
  CHECK(changes == Words{"set retention.ms", "set segment.ms", "make partitions 3"});
}

TEST_CASE("topic describe: what is there is described, what is not is told, and fails", "[cli][broker]") {
  const FakeBroker broker({.stored = {batch_at(0, {"a", "b"})}});
  const auto describe = [&broker](const Words& names, const Words& more = {}) {
    Words words{"-b", broker.address(), "topic", "describe"};
    words.insert(words.end(), names.begin(), names.end());
    words.insert(words.end(), more.begin(), more.end());
    return run_leat(words);
  };
  for (const Words& names : {Words{"nope", "orders"}, Words{"orders", "nope"}, Words{"nope", "orders", "gone"}}) {
    const Captured text = describe(names);
    INFO(text.errors);
    CHECK(text.exit_code == kExitFailed);
    CHECK(contains(text.out, "Topic orders "));
    CHECK(!contains(text.out, "nope"));
    CHECK(contains(text.errors, "topic 'nope' does not exist (UNKNOWN_TOPIC_OR_PARTITION)"));
    CHECK(std::count(text.errors.begin(), text.errors.end(), '\n') == static_cast<std::ptrdiff_t>(names.size() - 1));
    const Captured json = describe(names, {"--json"});
    CHECK(json.exit_code == kExitFailed);
    CHECK(std::count(json.out.begin(), json.out.end(), '\n') == 1);
    CHECK(json.errors.starts_with("{\"error\":{\"kind\":\"UNKNOWN_TOPIC_OR_PARTITION\""));
  }
  CHECK(describe({"orders"}).exit_code == kExitOk);
}

TEST_CASE("produce: nothing to read is told, input that cannot be read is an error and no empty input", "[cli]") {
  const FakeBroker broker({});
  CHECK(run_leat({"-b", broker.address(), "produce", "orders"}).out == "No input, no records.\n");
}

TEST_CASE("consume: a moved leader is found again, an offset that is not there is told", "[cli][broker]") {
  const FakeBroker moving({.fetch_errors = 2, .stored = {batch_at(0, {"a", "b"})}});
  CHECK(consume_all(moving).out == "a\nb\n");
  const Captured beyond = run_leat({"-b", moving.address(), "consume", "orders", "--offset", "99", "--count", "1"});
  CHECK(beyond.exit_code == kExitFailed);
  CHECK(contains(beyond.errors, "orders-0 has no offset 99 (OFFSET_OUT_OF_RANGE): its log begins at 0 and ends at 2"));
}

TEST_CASE("consume: an offset outside the log is told with --exit, too, and its end is inside", "[cli][broker]") {
  const FakeBroker broker({.stored = {batch_at(0, {"a", "b"})}});
  const auto consume_at = [&broker](const char* offset) {
    return run_leat({"-b", broker.address(), "consume", "orders", "-o", offset, "--exit"});
  };
  CHECK(consume_at("1").out == "b\n");
  const Captured end = consume_at("2");
  CHECK(end.exit_code == kExitOk);
  CHECK(end.out.empty());
  CHECK(end.errors.empty());
  for (const char* offset : {"3", "99999", "9223372036854775807"}) {
    const Captured outside = consume_at(offset);
    CHECK(outside.exit_code == kExitFailed);
    CHECK(outside.out.empty());
    CHECK(contains(outside.errors, std::string("orders-0 has no offset ") + offset));
    CHECK(contains(outside.errors, "its log begins at 0 and ends at 2"));
    CHECK(contains(outside.errors, "--from-beginning"));
  }
}

TEST_CASE("consume: a batch with a wrong CRC is no output", "[cli][broker]") {
  const Slice damaged = batch_at(2, {"c"});
  damaged.unpublished()[damaged.size() - 2] ^= 1;
  const FakeBroker broker({.stored = {batch_at(0, {"a", "b"}), damaged}});
  const Captured result = consume_all(broker);
  CHECK(result.exit_code == kExitFailed);
  CHECK(result.out == "a\nb\n");
  CHECK(contains(result.errors, "CRC is wrong"));
}

TEST_CASE("consume: read_committed leaves out what was aborted, and markers always", "[cli][broker]") {
  const BatchOptions transaction{
      .producer_id = 5, .producer_epoch = 0, .base_sequence = 0, .kind = BatchKind::kTransactional};
  const auto marker_at = [](int64_t offset, MarkerType type) {
    const Slice marker = end_marker_batch({.type = type, .producer_id = 5, .producer_epoch = 0, .timestamp_ms = 1});
    set_base_offset(marker.unpublished(), Offset(offset));
    return marker;
  };
  const FakeBroker broker({.aborted = {{.producer_id = 5, .first_offset = 1}},
                           .stored = {batch_at(0, {"plain"}), batch_at(1, {"aborted 1", "aborted 2"}, transaction),
                                      batch_at(3, {"plain too"}), marker_at(4, MarkerType::kAbort),
                                      batch_at(5, {"committed"}, transaction), marker_at(6, MarkerType::kCommit)}});
  CHECK(consume_all(broker, {"--isolation", "read_committed"}).out == "plain\nplain too\ncommitted\n");
  CHECK(consume_all(broker).out == "plain\naborted 1\naborted 2\nplain too\ncommitted\n");
}

TEST_CASE("client: a missing topic, a foreign port and a closed connection are told apart", "[cli][broker]") {
  const FakeBroker without({.knows_topic = false});
  CHECK(contains(consume_all(without).errors,
                 "topic 'orders' does not exist (UNKNOWN_TOPIC_OR_PARTITION). Make it with: leat "
                 "topic create orders"));
  for (const Words& reading : {Words{"consume", "orders", "--group", "g"}, Words{"bench", "consume", "orders"}}) {
    Words words{"-b", without.address()};
    words.insert(words.end(), reading.begin(), reading.end());
    const Captured refused = run_leat(words);
    CHECK(refused.exit_code == kExitFailed);
    CHECK(contains(refused.errors, "topic 'orders' does not exist"));
    CHECK(contains(refused.errors, "leat topic create orders"));
  }
  const FakeBroker foreign({.answers_nonsense = true});
  const Captured nonsense = consume_all(foreign);
  CHECK(nonsense.exit_code == kExitUnreachable);
  CHECK(contains(nonsense.errors, "may be no Kafka broker"));
  const FakeBroker closing({.closes_after_handshake = true});
  const Captured closed = consume_all(closing);
  CHECK(closed.exit_code == kExitUnreachable);
  CHECK(contains(closed.errors, closing.address() + " closed the connection"));
}

TEST_CASE("client: an address that is advertised but not reached has one hint", "[cli][broker]") {
  const FakeBroker broker({.advertised_port = 1});  // nobody listens there
  const Captured result = consume_all(broker);
  INFO(result.errors);
  CHECK(result.exit_code == kExitUnreachable);
  CHECK(contains(result.errors, "broker 127.0.0.1:1 is not reachable"));
  CHECK(contains(result.errors, "advertised.listeners"));
  CHECK(!contains(result.errors, "Start it with"));
}

TEST_CASE("client: advertised.listeners is blamed for addresses that only brokers tell and nobody reached", "[cli]") {
  const FakeBroker broker({});
  using client::AnsweredBefore;
  const auto told_of = [&broker](const std::string& address, AnsweredBefore before) {
    std::string told;
    const Captured result = run_in_session([&](Session& session) {
      session.options.address.bootstrap_servers = "127.0.0.1:1," + broker.address();
      REQUIRE(session.client());
      client::Error error(client::Cause::kUnreachable, "no way to " + address);  // its words are not looked at
      told = session.advised(session.failure(std::move(error).about_broker(address, before))).context;
      return kExitOk;
    });
    CHECK(told.starts_with("no way to " + address));
    return told;
  };
  CHECK(contains(told_of("10.1.2.3:9092", AnsweredBefore::kNo), "advertised.listeners"));
  CHECK(!contains(told_of("10.1.2.3:9092", AnsweredBefore::kYes), "advertised.listeners"));
  CHECK(!contains(told_of(broker.address(), AnsweredBefore::kNo), "advertised.listeners"));  // gone for a moment
  CHECK(!contains(told_of("127.0.0.1:1", AnsweredBefore::kNo), "advertised.listeners"));
}

TEST_CASE("bench: produce and consume count what went over the wire", "[cli][broker]") {
  const FakeBroker broker({});
  const Captured produced =
      run_leat({"-b", broker.address(), "bench", "produce", "orders", "-n", "10", "-d", "1", "--json"});
  INFO(produced.errors);
  CHECK(produced.exit_code == kExitOk);
  CHECK(contains(produced.out, "\"records\":" + std::to_string(broker.record_count()) + ","));
  CHECK(broker.record_count() > 0);
  CHECK(broker.record_count() % 10 == 0);
  const Captured consumed = run_leat({"-b", broker.address(), "bench", "consume", "orders", "--once", "--json"});
  INFO(consumed.errors);
  CHECK(consumed.exit_code == kExitOk);
  CHECK(contains(consumed.out, "\"records\":" + std::to_string(broker.record_count()) + ","));
}

TEST_CASE("bench: a batch that cannot pass is refused before anything is sent, with what to do", "[cli][broker]") {
  const FakeBroker broker({.configs = {{"max.message.bytes", "1048588"}, {"socket.request.max.bytes", "104857600"}}});
  const auto bench = [&broker](const Words& more) {
    Words words{"-b", broker.address(), "bench", "produce", "orders", "-d", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return run_leat(words);
  };
  const Captured huge = bench({"-s", "2000000"});
  CHECK(huge.exit_code == kExitUsage);
  CHECK(
      contains(huge.errors, "a batch of 1000 records of 2000000 bytes has 2000000000 bytes, which fits in no request"));
  const Captured large = bench({"-s", "2000000", "-n", "1"});
  CHECK(large.exit_code == kExitFailed);
  CHECK(contains(large.errors, "MESSAGE_TOO_LARGE"));
  CHECK(contains(large.errors, "max.message.bytes is 1048588"));
  for (const Captured& refused : {huge, large}) {
    INFO(refused.errors);
    CHECK(refused.out.empty());
    CHECK(contains(refused.errors, "--batch-records"));
    CHECK(refused.errors.find("..") == std::string::npos);
  }
  CHECK(broker.record_count() == 0);
  CHECK(bench({"-s", "10", "-n", "10"}).exit_code == kExitOk);
  const FakeBroker small({.configs = {{"max.message.bytes", "1000"}}});
  const Words packed{"-b", small.address(), "bench", "produce", "orders", "-d", "1", "-s", "20", "-n", "100"};
  CHECK(run_leat(packed).exit_code == kExitFailed);
  Words with_codec = packed;
  with_codec.emplace_back("-z");
  with_codec.emplace_back("zstd");
  CHECK(run_leat(with_codec).exit_code == kExitOk);  // only the broker can tell
}

TEST_CASE("bench: consume asks for a topic with records, and checks CRCs when it is told to", "[cli][broker]") {
  const FakeBroker empty({});
  const Captured nothing = run_leat({"-b", empty.address(), "bench", "consume", "orders", "-d", "1"});
  CHECK(nothing.exit_code == kExitFailed);
  CHECK(contains(nothing.errors, "topic 'orders' is empty. Fill it with: leat bench produce orders"));
  const Slice damaged = batch_at(0, {"a", "b"});
  damaged.unpublished()[damaged.size() - 2] ^= 1;
  const FakeBroker broker({.stored = {damaged}});
  const std::vector<std::string> words{"-b", broker.address(), "bench", "consume", "orders", "--once"};
  CHECK(contains(run_leat(words).out, "consume: 2 records"));
  std::vector<std::string> strict = words;
  strict.emplace_back("--check-crc");
  const Captured refused = run_leat(strict);
  CHECK(refused.exit_code == kExitFailed);
  CHECK(contains(refused.errors, "CRC is wrong"));
}

TEST_CASE("bench: latency sends at its rate and waits until each record has come back", "[cli][broker]") {
  const FakeBroker broker({.stored = {batch_at(0, {"another's"})}});
  const Captured result =
      run_leat({"-b", broker.address(), "bench", "latency", "orders", "-r", "200", "-d", "1", "--json"});
  INFO(result.errors);
  CHECK(result.exit_code == kExitOk);
  CHECK(contains(result.out, "\"records\":200,"));
  CHECK(contains(result.out, "\"end_to_end_us\":"));
  CHECK(broker.record_count() == 201);
}
