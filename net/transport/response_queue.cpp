// response_queue.cpp: see response_queue.h.
#include "net/transport/response_queue.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace leat {

uint64_t ResponseQueue::open(size_t request_bytes) {
  slots_.push_back({request_bytes, std::nullopt});
  request_bytes_ += request_bytes;
  return first_ticket_ + slots_.size() - 1;
}

bool ResponseQueue::answer(uint64_t ticket, Response response) {
  if (ticket < first_ticket_ || ticket - first_ticket_ >= requests_in_flight()) return false;
  Slot& slot = slots_[static_cast<size_t>(ticket - first_ticket_)];
  if (slot.response) return false;
  slot.response = std::move(response);
  request_bytes_ -= slot.request_bytes;
  release_answered();
  return true;
}

void ResponseQueue::release_answered() {
  while (!slots_.empty() && slots_.front().response) {
    Response& response = *slots_.front().response;
    const size_t output_before = output_.size();
    for (Piece& piece : response.pieces) {
      if (piece.empty()) continue;
      output_bytes_ += piece.size();
      output_.push_back({std::move(piece), nullptr});
    }
    // One without bytes holds nothing; what it brought is let go with the slot.
    if (output_.size() > output_before) output_.back().held = std::move(response.held);
    slots_.pop_front();
    ++first_ticket_;
  }
}

std::optional<FilePart> ResponseQueue::front_file_part(size_t bytes_max) const noexcept {
  if (output_.empty() || !output_[0].piece.is_stored()) return std::nullopt;
  const StoredRange& range = output_[0].piece.stored();
  return FilePart{.descriptor = range.descriptor,
                  .position = range.position + static_cast<int64_t>(front_taken_),
                  .size_bytes = std::min(range.size_bytes - front_taken_, bytes_max)};
}

ResponseQueue::Gathered ResponseQueue::gather(std::span<ByteView> into, size_t bytes_max) const noexcept {
  Gathered gathered;
  size_t skip = front_taken_;
  for (size_t i = 0; i < output_.size() && gathered.count < into.size() && bytes_max > 0; ++i) {
    if (output_[i].piece.is_stored()) {
      gathered.file_follows = true;
      break;
    }
    ByteView piece = output_[i].piece.view().subspan(skip);
    skip = 0;
    piece = piece.first(std::min(piece.size(), bytes_max));
    bytes_max -= piece.size();
    into[gathered.count++] = piece;
  }
  return gathered;
}

void ResponseQueue::taken(size_t size) noexcept {
  ENSURE(size <= output_bytes_, "{} of {}", size, output_bytes_);
  output_bytes_ -= size;
  front_taken_ += size;
  while (!output_.empty() && front_taken_ >= output_.front().piece.size()) {
    front_taken_ -= output_.front().piece.size();
    output_.pop_front();
  }
}

}  // namespace leat
