// piece_writer.cpp: growth, references and the cut into pieces.
#include "core/codec/piece_writer.h"

#include <algorithm>
#include <bit>

#include "core/base/check.h"

namespace leat {

PieceWriter::PieceWriter(size_t capacity_bytes)
    : block_(BlockRef::allocate(capacity_bytes)), data_(block_.data()), capacity_(block_.capacity()) {}

void PieceWriter::f64(double value) { i64(std::bit_cast<int64_t>(value)); }

void PieceWriter::grow(size_t size) {
  BlockRef larger = BlockRef::allocate(std::max(capacity_ * 2, size_ + size));
  std::memcpy(larger.data(), data_, size_);
  block_ = std::move(larger);
  data_ = block_.data();
  capacity_ = block_.capacity();
}

void PieceWriter::slice(const Slice& bytes) {
  if (bytes.size() < kReferencedSliceBytesMin) {
    raw(bytes.view());
    return;
  }
  references_.push_back({size_, bytes});
  referenced_bytes_ += bytes.size();
}

void PieceWriter::piece(const Piece& piece) {
  if (!piece.is_stored()) {
    slice(piece.bytes());
    return;
  }
  references_.push_back({size_, piece});
  referenced_bytes_ += piece.size();
}

void PieceWriter::insert_uvarint(size_t position, uint32_t value) {
  ENSURE(position <= size_ && (references_.empty() || references_.back().position <= position),
         "position {} of {}, {} references", position, size_, references_.size());
  const size_t width = uvarint_size(value);
  const size_t after = size_ - position;
  space(width);
  std::memmove(data_ + position + width, data_ + position, after);
  size_ = position;
  uvarint(value);
  size_ += after;
}

std::vector<Piece> PieceWriter::take_pieces() && {
  std::vector<Piece> pieces;
  pieces.reserve(references_.size() * 2 + 1);
  size_t begin = 0;
  for (Reference& reference : references_) {
    if (reference.position > begin) pieces.emplace_back(Slice(block_, begin, reference.position - begin));
    begin = reference.position;
    pieces.push_back(std::move(reference.piece));
  }
  if (size_ > begin) pieces.emplace_back(Slice(block_, begin, size_ - begin));
  return pieces;
}

std::vector<Slice> PieceWriter::take() && {
  std::vector<Slice> slices;
  slices.reserve(references_.size() * 2 + 1);
  for (const Piece& piece : std::move(*this).take_pieces()) slices.push_back(piece.bytes());
  return slices;
}

std::vector<uint8_t> PieceWriter::take_bytes() && {
  std::vector<uint8_t> bytes;
  bytes.reserve(size());
  for (const Piece& piece : std::move(*this).take_pieces())
    bytes.insert(bytes.end(), piece.view().begin(), piece.view().end());
  return bytes;
}

}  // namespace leat
