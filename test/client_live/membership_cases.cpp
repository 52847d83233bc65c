// membership_cases.cpp: what becomes of a member: one that is static comes back to its partitions, one that does not
// poll leaves, two of one name do not go together; and a pattern stands for topics that come to be as well.
#include <array>

#include "test/client_live/group_watch.h"

namespace leat::client_live {
namespace {

using client::GroupProtocol;

const char* name_of(GroupProtocol protocol) { return protocol == GroupProtocol::kClassic ? "classic" : "consumer"; }

void come_back(const Place& place, GroupProtocol protocol) {
  const auto client = connect(place);
  const std::string topic = make_topic(place, *client, std::string("static-") + name_of(protocol), 6);
  client::ConsumerSettings settings = member_settings(topic + "-readers", protocol);
  Ownership ownership;
  settings.group_instance_id = "two";
  Member stays(place, settings, topic, ownership, 2);
  settings.group_instance_id = "one";
  std::vector<client::TopicPartition> had;
  const auto both_have_three = [&] { return ownership.count_of(1) == 3 && ownership.count_of(2) == 3; };
  {
    Member goes(place, settings, topic, ownership, 1);
    eventually(seconds(40), "two share", both_have_three);
    had = ownership.of(1);
    goes.end();
  }
  const int taken_away = ownership.taken_away(2);
  Member comes_back(place, settings, topic, ownership, 1);
  eventually(seconds(40), "it has its partitions again", both_have_three);
  require(ownership.of(1) == had, "a static member came back and got other partitions");
  require(ownership.taken_away(2) == taken_away, "the other member was disturbed");
  comes_back.end();
  stays.end();
  ownership.check();
}

void static_consumer(const Place& place) { come_back(place, GroupProtocol::kConsumer); }
void static_classic(const Place& place) { come_back(place, GroupProtocol::kClassic); }

void wait_for_assignment(client::Consumer& consumer, size_t count) {
  eventually(seconds(60), std::to_string(count) + " partitions are assigned", [&] {
    (void)need(consumer.poll(100), "poll()");
    return consumer.assignment().size() == count;
  });
}

void match_pattern(const Place& place, GroupProtocol protocol) {
  const auto client = connect(place);
  const std::string stem = std::string("pattern-") + name_of(protocol) + "-";
  const std::string first = make_topic(place, *client, stem + "1", 2);
  (void)make_topic(place, *client, stem + "2", 1);
  (void)make_topic(place, *client, std::string("no-pattern-") + name_of(protocol), 1);
  client::ConsumerSettings settings = member_settings(place.prefix + "-" + stem + "readers", protocol);
  const auto consumer = need(client->consumer(settings), "a consumer");
  const auto refused = consumer->subscribe_pattern("(");
  require(!refused && refused.error().cause() == client::Cause::kInvalidArgument, "a pattern that is none");
  need(consumer->subscribe_pattern(place.prefix + "-" + stem + "[0-9]+"), "subscribe_pattern()");
  wait_for_assignment(*consumer, 3);
  const std::string later = make_topic(place, *client, stem + "3", 1);
  wait_for_assignment(*consumer, 4);
  fill(*client, later, 1, 5);
  require(read(*consumer, 5).size() == 5, "records of a topic that came later");
  need(consumer->close(10'000), "close()");
}

void pattern_consumer(const Place& place) { match_pattern(place, GroupProtocol::kConsumer); }
void pattern_classic(const Place& place) { match_pattern(place, GroupProtocol::kClassic); }

void fall_silent(const Place& place, GroupProtocol protocol) {
  const auto client = connect(place);
  const std::string topic = make_topic(place, *client, std::string("silent-") + name_of(protocol), 2);
  client::ConsumerSettings settings = member_settings(topic + "-readers", protocol);
  settings.max_poll_interval_ms = 1'500;
  const auto consumer = join(*client, settings, topic);
  wait_for_assignment(*consumer, 2);
  eventually(seconds(30), "who does not poll is taken out of its group", [&] {
    const auto group = client->admin().describe_group(settings.group_id).wait();
    return group ? group->members.empty() : group.error().name() == "GROUP_ID_NOT_FOUND";
  });
  const client::Result<client::Records> told = consumer->poll(1'000).wait();
  need_error(told, "REQUEST_TIMED_OUT", "the poll() that comes too late");
  require(!told.error().is_fatal(), "it may go on");
  wait_for_assignment(*consumer, 2);
  fill(*client, topic, 2, 10);
  require(read(*consumer, 10).size() == 10, "records after it came back");
  need(consumer->close(10'000), "close()");
}

void silent_consumer(const Place& place) { fall_silent(place, GroupProtocol::kConsumer); }
void silent_classic(const Place& place) { fall_silent(place, GroupProtocol::kClassic); }

// The second of one instance id: in the classic protocol the first one is told and ends, in the other one the second is
// refused until the first has left.
void twin_classic(const Place& place) {
  const auto client = connect(place);
  const std::string topic = make_topic(place, *client, "twin-classic", 2);
  client::ConsumerSettings settings = member_settings(topic + "-readers", GroupProtocol::kClassic);
  settings.group_instance_id = "one";
  const auto first = join(*client, settings, topic);
  wait_for_assignment(*first, 2);
  const auto second = join(*client, settings, topic);
  wait_for_assignment(*second, 2);
  std::string told;
  eventually(seconds(30), "the first one is told", [&] {
    const client::Result<client::Records> polled = first->poll(100).wait();
    if (polled) return false;
    told = polled.error().name();
    return polled.error().is_fatal();
  });
  require(told == "FENCED_INSTANCE_ID", "it was told " + told);
  (void)first->close(5'000).wait();
  fill(*client, topic, 2, 10);
  require(read(*second, 10).size() == 10, "the second one reads");
  need(second->close(10'000), "close()");
}

void twin_consumer(const Place& place) {
  const auto client = connect(place);
  const std::string topic = make_topic(place, *client, "twin-consumer", 2);
  client::ConsumerSettings settings = member_settings(topic + "-readers", GroupProtocol::kConsumer);
  settings.group_instance_id = "one";
  const auto first = join(*client, settings, topic);
  wait_for_assignment(*first, 2);
  const auto second = join(*client, settings, topic);
  eventually(seconds(30), "the second one is refused", [&] {
    const client::Result<client::Records> polled = second->poll(100).wait();
    (void)need(first->poll(10), "poll()");
    return !polled && polled.error().name() == "UNRELEASED_INSTANCE_ID";
  });
  need(first->close(10'000), "close()");
  eventually(seconds(40), "the second one takes over", [&] {
    const client::Result<client::Records> polled = second->poll(100).wait();
    require(polled || polled.error().name() == "UNRELEASED_INSTANCE_ID", "poll() of the second one");
    return second->assignment().size() == 2;
  });
  need(second->close(10'000), "close()");
}

constexpr std::array kCases{
    Case{"member_static_consumer", static_consumer},   Case{"member_static_classic", static_classic},
    Case{"member_pattern_consumer", pattern_consumer}, Case{"member_pattern_classic", pattern_classic},
    Case{"member_silent_consumer", silent_consumer},   Case{"member_silent_classic", silent_classic},
    Case{"member_twin_consumer", twin_consumer},       Case{"member_twin_classic", twin_classic},
};

}  // namespace

std::span<const Case> membership_cases() { return kCases; }

}  // namespace leat::client_live
