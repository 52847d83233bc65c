// decompressor.cpp: the unpacking side of compression.h. What Kafka's Java streams accept is accepted (concatenated
// gzip members and zstd frames, bytes behind the end of gzip, snappy and lz4 that begin nothing), what its consumers
// cannot read is refused (lz4 blocks that depend on one another), so that no batch is stored that a consumer chokes on.
#include <fmt/format.h>
#include <lz4frame.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <climits>
#include <vector>

#include "core/base/check.h"
#include "core/record/compression.h"
#include "core/record/snappy_framing.h"

namespace leat {
namespace {

// A context of one thread, kept for the next user on that thread. Two at once on one thread: the second makes its own.
template <class Context, Context* (*kCreate)(), void (*kDestroy)(Context*), bool (*kKeep)(Context*)>
class Leased {
 public:
  Leased() : context_(std::exchange(spare().context, nullptr)) {
    if (context_ == nullptr) context_ = kCreate();
  }
  ~Leased() {
    if (context_ == nullptr) return;
    if (spare().context == nullptr && kKeep(context_)) {
      spare().context = context_;
    } else {
      kDestroy(context_);
    }
  }
  Leased(const Leased&) = delete;
  Leased& operator=(const Leased&) = delete;
  Context* get() const noexcept { return context_; }

 private:
  struct Spare {
    Context* context = nullptr;
    ~Spare() {
      if (context != nullptr) kDestroy(context);
    }
  };
  static Spare& spare() noexcept {
    thread_local Spare spare;
    return spare;
  }
  Context* context_;
};

// A context that has grown for one large batch is given back to the system.
constexpr size_t kContextBytesKeptMax = size_t{4} << 20;

tl::unexpected<Error> damaged(std::string_view codec, std::string_view why) {
  return fail(Errc::kCorruptBatch, fmt::format("{} data cannot be decompressed: {}", codec, why));
}
tl::unexpected<Error> beyond_limit() { return fail(Errc::kLimit, "the records decompress to more than the limit"); }

class PlainReader final : public Decompressor {
 public:
  PlainReader(ByteView payload, int64_t output_bytes_max) noexcept : Decompressor(output_bytes_max), left_(payload) {}

 private:
  Result<size_t> read_some(MutableByteView out, int64_t /*allowed*/) override {
    const size_t size = std::min(out.size(), left_.size());
    std::copy_n(left_.begin(), size, out.begin());
    left_ = left_.subspan(size);
    return size;
  }
  ByteView left_;
};

z_stream* create_inflate() {
  constexpr int kGzipOnly = 15 + 16;
  auto* stream = new z_stream{};
  if (inflateInit2(stream, kGzipOnly) == Z_OK) return stream;
  delete stream;
  return nullptr;
}
void destroy_inflate(z_stream* stream) {
  inflateEnd(stream);
  delete stream;
}
bool keep_inflate(z_stream*) { return true; }

class GzipReader final : public Decompressor {
 public:
  GzipReader(ByteView payload, int64_t output_bytes_max) noexcept : Decompressor(output_bytes_max) {
    z_stream* const stream = lease_.get();
    if (stream == nullptr) return;
    inflateReset(stream);
    stream->next_in = const_cast<uint8_t*>(payload.data());  // declared without const
    stream->avail_in = static_cast<uInt>(payload.size());
  }

 private:
  Result<size_t> read_some(MutableByteView out, int64_t /*allowed*/) override {
    z_stream* const stream = lease_.get();
    if (stream == nullptr) return fail(Errc::kIo, "gzip: no memory for a context");
    stream->next_out = out.data();
    stream->avail_out = static_cast<uInt>(std::min<size_t>(out.size(), UINT_MAX));
    while (!ended_) {
      const int status = inflate(stream, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        ended_ = !next_member_begins(*stream);
        if (!ended_) inflateReset(stream);
      } else if (status == Z_BUF_ERROR || (status == Z_OK && stream->avail_in == 0 && stream->avail_out != 0)) {
        return damaged("gzip", "it is cut off");
      } else if (status != Z_OK) {
        return damaged("gzip", stream->msg != nullptr ? stream->msg : "it is malformed");
      }
      if (stream->avail_out == 0) break;
    }
    return static_cast<size_t>(stream->next_out - out.data());
  }
  static bool next_member_begins(const z_stream& stream) noexcept {
    return stream.avail_in >= 2 && stream.next_in[0] == 0x1f && stream.next_in[1] == 0x8b;
  }

  Leased<z_stream, create_inflate, destroy_inflate, keep_inflate> lease_;
  bool ended_ = false;
};

class SnappyReader final : public Decompressor {
 public:
  SnappyReader(ByteView payload, int64_t output_bytes_max) noexcept : Decompressor(output_bytes_max), left_(payload) {
    const auto& magic = snappy_framing::kMagic;
    framed_ = payload.size() >= snappy_framing::kHeaderBytes && std::equal(magic.begin(), magic.end(), payload.begin());
    if (framed_) left_ = left_.subspan(snappy_framing::kHeaderBytes);
  }

 private:
  Result<size_t> read_some(MutableByteView out, int64_t allowed) override {
    while (block_at_ == block_size_) {
      const Result<bool> more = unpack_block(allowed);
      if (!more) return fail(more.error());
      if (!*more) return size_t{0};
    }
    const size_t size = std::min(out.size(), block_size_ - block_at_);
    std::copy_n(block_.data() + block_at_, size, out.data());
    block_at_ += size;
    return size;
  }

  // False at the end.
  Result<bool> unpack_block(int64_t allowed) {
    ByteView packed = std::exchange(left_, {});
    if (framed_) {
      // Fewer bytes than a chunk's size begin nothing: Java's stream takes them as its end.
      for (; packed.size() >= 4 && from_big_endian<uint32_t>(packed.data()) == snappy_framing::kMagicHead;) {
        if (packed.size() < snappy_framing::kHeaderBytes) return damaged("snappy", "a frame header is cut off");
        packed = packed.subspan(snappy_framing::kHeaderBytes);
      }
      if (packed.size() < 4) return false;
      const auto size = from_big_endian<int32_t>(packed.data());
      packed = packed.subspan(4);
      if (size < 0 || static_cast<size_t>(size) > packed.size()) return damaged("snappy", "a block is cut off");
      left_ = packed.subspan(static_cast<size_t>(size));
      packed = packed.first(static_cast<size_t>(size));
    } else if (packed.empty()) {
      return false;
    }
    return unpack(packed, allowed);
  }

  Result<bool> unpack(ByteView packed, int64_t allowed) {
    // Three bytes of a block give 64 bytes at most: a larger claim is a lie, and no memory is taken for it.
    constexpr size_t kExpansionMax = 64;
    const auto* const bytes = reinterpret_cast<const char*>(packed.data());
    size_t size = 0;
    if (!snappy::GetUncompressedLength(bytes, packed.size(), &size)) return damaged("snappy", "a block has no size");
    if (size > packed.size() * kExpansionMax) return damaged("snappy", "a block claims more than it can hold");
    if (size > static_cast<size_t>(allowed)) return beyond_limit();
    if (!block_ref_ || block_ref_.capacity() < size) block_ref_ = BlockRef::allocate(size);
    block_ = {block_ref_.data(), size};
    if (!snappy::RawUncompress(bytes, packed.size(), reinterpret_cast<char*>(block_.data()))) {
      return damaged("snappy", "a block is malformed");
    }
    block_size_ = size;
    block_at_ = 0;
    return true;
  }

  ByteView left_;
  BlockRef block_ref_;
  MutableByteView block_;  // the block unpacked last
  size_t block_size_ = 0;
  size_t block_at_ = 0;  // given out so far
  bool framed_ = false;
};

LZ4F_dctx* create_lz4() {
  LZ4F_dctx* context = nullptr;
  return LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) != 0 ? nullptr : context;
}
void destroy_lz4(LZ4F_dctx* context) { LZ4F_freeDecompressionContext(context); }
bool keep_lz4(LZ4F_dctx*) { return true; }  // grows to two blocks, 8 MiB at most; touched only as far as data came

class Lz4Reader final : public Decompressor {
 public:
  Lz4Reader(ByteView payload, int64_t output_bytes_max) noexcept : Decompressor(output_bytes_max), left_(payload) {
    if (lease_.get() != nullptr) LZ4F_resetDecompressionContext(lease_.get());
  }

 private:
  Result<size_t> read_some(MutableByteView out, int64_t /*allowed*/) override {
    if (lease_.get() == nullptr) return fail(Errc::kIo, "lz4: no memory for a context");
    if (!begun_) {
      if (auto begun = check_header(); !begun) return fail(std::move(begun).error());
      begun_ = true;
    }
    size_t given = 0;
    while (!ended_ && given == 0) {
      size_t taken = left_.size();
      given = out.size();
      const size_t hint = LZ4F_decompress(lease_.get(), out.data(), &given, left_.data(), &taken, nullptr);
      if (LZ4F_isError(hint) != 0) return damaged("lz4", LZ4F_getErrorName(hint));
      left_ = left_.subspan(taken);
      ended_ = hint == 0;
      if (!ended_ && given == 0 && taken == 0) return damaged("lz4", "it is cut off");
    }
    return given;
  }

  Result<void> check_header() const {
    constexpr uint32_t kMagic = 0x184d2204;
    constexpr uint8_t kIndependentBlocks = 0x20;
    if (left_.size() < 7) return damaged("lz4", "it is cut off");
    const uint32_t magic =
        uint32_t{left_[0]} | uint32_t{left_[1]} << 8 | uint32_t{left_[2]} << 16 | uint32_t{left_[3]} << 24;
    if (magic != kMagic) return damaged("lz4", "it does not begin with a frame");
    if ((left_[4] & kIndependentBlocks) == 0) {
      return damaged("lz4",
                     "its blocks depend on one another, which Kafka's consumers cannot read; use independent blocks");
    }
    return {};
  }

  Leased<LZ4F_dctx, create_lz4, destroy_lz4, keep_lz4> lease_;
  ByteView left_;
  bool begun_ = false;
  bool ended_ = false;
};

ZSTD_DCtx* create_zstd() { return ZSTD_createDCtx(); }
void destroy_zstd(ZSTD_DCtx* context) { ZSTD_freeDCtx(context); }
bool keep_zstd(ZSTD_DCtx* context) { return ZSTD_sizeof_DCtx(context) <= kContextBytesKeptMax; }

class ZstdReader final : public Decompressor {
 public:
  ZstdReader(ByteView payload, int64_t output_bytes_max) noexcept
      : Decompressor(output_bytes_max), input_{payload.data(), payload.size(), 0} {
    if (lease_.get() != nullptr) ZSTD_DCtx_reset(lease_.get(), ZSTD_reset_session_only);
  }

 private:
  Result<size_t> read_some(MutableByteView out, int64_t /*allowed*/) override {
    if (lease_.get() == nullptr) return fail(Errc::kIo, "zstd: no memory for a context");
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    while (output.pos == 0) {
      if (frame_ended_ && input_.pos == input_.size) return size_t{0};
      const size_t taken_before = input_.pos;
      const size_t hint = ZSTD_decompressStream(lease_.get(), &output, &input_);
      if (ZSTD_isError(hint) != 0) return damaged("zstd", ZSTD_getErrorName(hint));
      frame_ended_ = hint == 0;
      if (!frame_ended_ && output.pos == 0 && input_.pos == taken_before) return damaged("zstd", "it is cut off");
    }
    return output.pos;
  }

  Leased<ZSTD_DCtx, create_zstd, destroy_zstd, keep_zstd> lease_;
  ZSTD_inBuffer input_;
  bool frame_ended_ = false;
};

}  // namespace

std::unique_ptr<Decompressor> Decompressor::open(Codec codec, ByteView payload, int64_t output_bytes_max) {
  switch (codec) {
    case Codec::kNone:
      return std::make_unique<PlainReader>(payload, output_bytes_max);
    case Codec::kGzip:
      return std::make_unique<GzipReader>(payload, output_bytes_max);
    case Codec::kSnappy:
      return std::make_unique<SnappyReader>(payload, output_bytes_max);
    case Codec::kLz4:
      return std::make_unique<Lz4Reader>(payload, output_bytes_max);
    case Codec::kZstd:
      return std::make_unique<ZstdReader>(payload, output_bytes_max);
  }
  ENSURE(false, "codec {}", static_cast<int>(codec));
  return nullptr;
}

Result<size_t> Decompressor::read(MutableByteView out) {
  size_t given = 0;
  while (given < out.size()) {
    // One byte more than allowed is asked for, to tell data that end at the limit from data that go beyond it.
    const size_t asked = std::min<size_t>(out.size() - given, static_cast<size_t>(output_bytes_left_) + 1);
    TRY(size, read_some(out.subspan(given, asked), output_bytes_left_));
    if (size == 0) break;
    if (static_cast<int64_t>(size) > output_bytes_left_) return beyond_limit();
    output_bytes_left_ -= static_cast<int64_t>(size);
    given += size;
  }
  return given;
}

Result<Slice> decompress(Codec codec, ByteView payload, int64_t output_bytes_max) {
  constexpr size_t kFirstBytes = 16 * 1024;
  const std::unique_ptr<Decompressor> reader = Decompressor::open(codec, payload, output_bytes_max);
  BlockRef block = BlockRef::allocate(std::max(kFirstBytes, 2 * payload.size()));
  size_t size = 0;
  for (;;) {
    TRY(more, reader->read({block.data() + size, block.capacity() - size}));
    size += more;
    if (size < block.capacity()) return Slice(std::move(block), 0, size);
    BlockRef larger = BlockRef::allocate(2 * block.capacity());
    std::memcpy(larger.data(), block.data(), size);
    block = std::move(larger);
  }
}

}  // namespace leat
