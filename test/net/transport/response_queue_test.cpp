// response_queue_test.cpp: order of tickets, partial writes, accounting.
#include "net/transport/response_queue.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "test/support/catch.h"

namespace leat {
namespace {

Response response_of(std::initializer_list<std::string_view> pieces) {
  Response response;
  for (const std::string_view piece : pieces) response.pieces.push_back(Slice::copy_of(as_bytes(piece)));
  return response;
}

std::string take(ResponseQueue& queue, size_t bytes_max) {
  std::array<ByteView, 3> pieces;
  std::string text;
  const size_t count = queue.gather(pieces, bytes_max).count;
  for (size_t i = 0; i < count; ++i) text += as_text(pieces[i]);
  queue.taken(text.size());
  return text;
}

TEST_CASE("response queue: responses leave in the order of their requests", "[transport]") {
  ResponseQueue queue;
  for (uint64_t ticket = 0; ticket < 4; ++ticket) REQUIRE(queue.open(10) == ticket);
  REQUIRE(queue.request_bytes_in_flight() == 40);
  REQUIRE(queue.answer(2, response_of({"c"})));
  REQUIRE(queue.answer(1, response_of({"b1", "b2"})));
  REQUIRE(queue.output_bytes() == 0);
  REQUIRE(queue.request_bytes_in_flight() == 20);
  REQUIRE(queue.answer(0, Response{}));  // acks=0
  REQUIRE(queue.output_bytes() == 5);
  REQUIRE(queue.requests_in_flight() == 1);
  REQUIRE(take(queue, 100) == "b1b2c");
  REQUIRE(queue.answer(3, response_of({"", "d"})));
  REQUIRE(take(queue, 100) == "d");
  REQUIRE(queue.requests_in_flight() == 0);
}

TEST_CASE("response queue: parts of files keep their place between bytes in memory", "[transport]") {
  ResponseQueue queue;
  queue.open(0);
  queue.open(0);
  auto file = std::make_shared<int>(7);
  const std::weak_ptr<int> watch = file;
  Response response = response_of({"head"});
  response.pieces.emplace_back(
      StoredRange{.owner = std::move(file), .descriptor = 7, .position = 100, .size_bytes = 50});
  response.pieces.emplace_back(Slice::copy_of(as_bytes("tail")));
  REQUIRE(queue.answer(0, std::move(response)));
  REQUIRE(queue.answer(1, response_of({"next"})));
  REQUIRE(queue.output_bytes() == 62);
  REQUIRE_FALSE(queue.front_file_part(100));
  std::array<ByteView, 3> pieces;
  REQUIRE(queue.gather(pieces, 100).file_follows);
  REQUIRE(take(queue, 100) == "head");
  std::optional<FilePart> part = queue.front_file_part(20);
  REQUIRE(part);
  CHECK((part->descriptor == 7 && part->position == 100 && part->size_bytes == 20));
  queue.taken(30);
  part = queue.front_file_part(100);
  REQUIRE(part);
  CHECK((part->position == 130 && part->size_bytes == 20));
  CHECK_FALSE(watch.expired());
  queue.taken(20);
  CHECK(watch.expired());
  REQUIRE_FALSE(queue.front_file_part(100));
  REQUIRE_FALSE(queue.gather(pieces, 100).file_follows);
  REQUIRE(take(queue, 100) == "tailnext");
  REQUIRE(queue.output_bytes() == 0);
}

TEST_CASE("response queue: a ticket is answered once, and only when open", "[transport]") {
  ResponseQueue queue;
  queue.open(1);
  queue.open(1);
  REQUIRE_FALSE(queue.answer(2, response_of({"x"})));
  REQUIRE(queue.answer(1, response_of({"b"})));
  REQUIRE_FALSE(queue.answer(1, response_of({"x"})));
  REQUIRE(queue.answer(0, response_of({"a"})));
  REQUIRE_FALSE(queue.answer(0, response_of({"x"})));
  REQUIRE(take(queue, 100) == "ab");
}

TEST_CASE("response queue: what a response holds is let go when its last byte has left", "[transport]") {
  ResponseQueue queue;
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  queue.open(0);
  queue.open(0);
  Response response = response_of({"abc", "de"});
  response.held = std::move(held);
  REQUIRE(queue.answer(0, std::move(response)));
  REQUIRE(queue.answer(1, response_of({"f"})));
  REQUIRE(take(queue, 4) == "abcd");
  REQUIRE_FALSE(watch.expired());
  REQUIRE(take(queue, 1) == "e");
  REQUIRE(watch.expired());
  REQUIRE(take(queue, 9) == "f");
}

TEST_CASE("response queue: any cut of the writes gives the same bytes", "[transport]") {
  SeededRandom random(7);
  ResponseQueue queue;
  std::string expected;
  std::string got;
  std::vector<uint64_t> open;
  for (int round = 0; round < 3000; ++round) {
    if (random.one_in(2)) open.push_back(queue.open(random.below(100)));
    if (!open.empty() && random.one_in(2)) {  // answers come in any order, so the text says which it is
      const size_t picked = random.below(open.size());
      const std::string text = std::to_string(open[picked]) + ";";
      REQUIRE(queue.answer(open[picked], response_of({text.substr(0, 1), text.substr(1)})));
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(picked));
    }
    got += take(queue, random.below(9));
  }
  std::sort(open.begin(), open.end());
  for (const uint64_t ticket : open) REQUIRE(queue.answer(ticket, response_of({std::to_string(ticket) + ";"})));
  while (queue.output_bytes() > 0) got += take(queue, 100);
  const uint64_t count = queue.open(0);
  for (uint64_t ticket = 0; ticket < count; ++ticket) expected += std::to_string(ticket) + ";";
  REQUIRE(got == expected);
  REQUIRE(queue.request_bytes_in_flight() == 0);
}

}  // namespace
}  // namespace leat
