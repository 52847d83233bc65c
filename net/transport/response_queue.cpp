// response_queue.cpp: see response_queue.h. Both queues are vectors with a moving front: std::deque holds half a
// kilobyte even when empty, and ten thousand idle connections have two each.
#include "net/transport/response_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/check.h"

namespace leat {

namespace {

constexpr size_t kCompactAt = 64;     // elements in front that are done with
constexpr size_t kKeptCapacity = 64;  // of an empty queue; more is given back

template <class T>
void drop_done(std::vector<T>& items, size_t& first) noexcept {
  if (first == items.size()) {
    items.clear();
    first = 0;
    if (items.capacity() > kKeptCapacity) items = std::vector<T>();
  } else if (first >= kCompactAt && first * 2 >= items.size()) {
    items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(first));
    first = 0;
  }
}

}  // namespace

uint64_t ResponseQueue::open(size_t request_bytes) {
  slots_.push_back({request_bytes, std::nullopt});
  request_bytes_ += request_bytes;
  return first_ticket_ + (slots_.size() - first_slot_) - 1;
}

bool ResponseQueue::answer(uint64_t ticket, Response response) {
  if (ticket < first_ticket_ || ticket - first_ticket_ >= requests_in_flight()) return false;
  Slot& slot = slots_[first_slot_ + static_cast<size_t>(ticket - first_ticket_)];
  if (slot.response) return false;
  slot.response = std::move(response);
  request_bytes_ -= slot.request_bytes;
  release_answered();
  return true;
}

void ResponseQueue::release_answered() {
  while (first_slot_ < slots_.size() && slots_[first_slot_].response) {
    Response& response = *slots_[first_slot_].response;
    const size_t output_before = output_.size();
    for (Slice& piece : response.pieces) {
      if (piece.empty()) continue;
      output_bytes_ += piece.size();
      output_.push_back({std::move(piece), nullptr});
    }
    // One without bytes holds nothing; what it brought is let go with the slot.
    if (output_.size() > output_before) output_.back().held = std::move(response.held);
    slots_[first_slot_].response.reset();
    ++first_slot_;
    ++first_ticket_;
  }
  drop_done(slots_, first_slot_);
}

size_t ResponseQueue::gather(std::span<ByteView> into, size_t bytes_max) const noexcept {
  size_t count = 0;
  size_t skip = first_output_taken_;
  for (size_t i = first_output_; i < output_.size() && count < into.size() && bytes_max > 0; ++i) {
    ByteView piece = output_[i].piece.view().subspan(skip);
    skip = 0;
    piece = piece.first(std::min(piece.size(), bytes_max));
    bytes_max -= piece.size();
    into[count++] = piece;
  }
  return count;
}

void ResponseQueue::taken(size_t size) noexcept {
  CHECK(size <= output_bytes_, "{} of {}", size, output_bytes_);
  output_bytes_ -= size;
  first_output_taken_ += size;
  while (first_output_ < output_.size() && first_output_taken_ >= output_[first_output_].piece.size()) {
    first_output_taken_ -= output_[first_output_].piece.size();
    output_[first_output_] = Output();
    ++first_output_;
  }
  drop_done(output_, first_output_);
}

}  // namespace leat
