#include "serval/base/byte_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "serval/base/error.h"

namespace serval {
namespace {

constexpr std::size_t kChunk = 1 << 18;  // Fits in the L2 cache, so the parser reads cached bytes.
constexpr std::size_t kSmallestChunk = 1 << 12;

// Where raw bytes come from: a descriptor or a string.
class RawBytes {
 public:
  RawBytes(int descriptor, std::string name, Budget* budget)
      : descriptor_(descriptor), name_(std::move(name)), budget_(budget) {}
  explicit RawBytes(std::string bytes) : memory_(std::move(bytes)) {}
  RawBytes(const RawBytes&) = delete;
  RawBytes& operator=(const RawBytes&) = delete;
  ~RawBytes() {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
  }

  std::size_t read_into(char* target, std::size_t capacity) {
    if (descriptor_ < 0) return read_memory(target, capacity);
    while (true) {
      const ssize_t got = ::read(descriptor_, target, capacity);
      if (got >= 0) {
        total_ += static_cast<std::uint64_t>(got);
        return static_cast<std::size_t>(got);
      }
      if (errno != EINTR) throw UnreadableFile({name_}, std::string("cannot read: ") + std::strerror(errno));
      // A signal interrupted the read, perhaps in order to stop.
      if (budget_ != nullptr) budget_->look("read");
    }
  }
  std::uint64_t total() const noexcept { return total_; }

 private:
  std::size_t read_memory(char* target, std::size_t capacity) {
    const std::size_t size = std::min(capacity, memory_.size() - total_);
    if (size > 0) std::memcpy(target, memory_.data() + total_, size);
    total_ += size;
    return size;
  }

  int descriptor_ = -1;
  std::string name_;
  Budget* budget_ = nullptr;
  std::string memory_;
  std::uint64_t total_ = 0;
};

enum class Compression { None, Gzip, Zstd };

Compression compression_of(std::string_view start) {
  if (start.starts_with("\x1f\x8b")) return Compression::Gzip;
  if (start.starts_with("\x28\xb5\x2f\xfd")) return Compression::Zstd;
  return Compression::None;
}

}  // namespace

struct ByteStream::State {
  std::string name;
  std::unique_ptr<RawBytes> raw;
  std::uint64_t size_on_disk = 0;
  std::size_t chunk_size;

  Compression compression = Compression::None;
  std::vector<char> packed = std::vector<char>(chunk_size);  // Compressed bytes not yet unpacked.
  std::size_t packed_begin = 0, packed_end = 0;
  bool raw_ended = false;
  bool mid_frame = false;  // Inside a gzip member or zstd frame: the end of the file here means truncation.
  z_stream inflater{};
  bool inflater_open = false;
  ZSTD_DStream* unzstd = nullptr;

  std::string ahead;  // Bytes peeked at; next() returns them first.
  std::vector<char> chunk = std::vector<char>(chunk_size);

  State(std::string stream_name, std::unique_ptr<RawBytes> source, std::size_t largest_chunk = kChunk)
      : name(std::move(stream_name)), raw(std::move(source)), chunk_size(largest_chunk) {
    refill_packed();
    compression = compression_of({packed.data(), packed_end});
    if (compression == Compression::Gzip) open_inflater();
    if (compression == Compression::Zstd) unzstd = ZSTD_createDStream();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (inflater_open) inflateEnd(&inflater);
    if (unzstd != nullptr) ZSTD_freeDStream(unzstd);
  }

  // Reads until at least the magic number is there or the file ends.
  void refill_packed() {
    packed_begin = 0;
    packed_end = 0;
    while (packed_end < 4 && !raw_ended) {
      const std::size_t got = raw->read_into(packed.data() + packed_end, packed.size() - packed_end);
      if (got == 0) raw_ended = true;
      packed_end += got;
    }
  }

  void open_inflater() {
    if (inflateInit2(&inflater, 15 + 16) != Z_OK) throw std::bad_alloc();
    inflater_open = true;
    mid_frame = true;
  }

  [[noreturn]] void damaged(const char* what) const {
    throw InputError({name}, what, {},
                     "decompress it by hand to see how much can be recovered, then check that file");
  }

  // Fills `target`; returns 0 only at the end of the decompressed stream.
  std::size_t produce(char* target, std::size_t capacity) {
    if (compression == Compression::None) return produce_plain(target, capacity);
    while (true) {
      if (packed_begin == packed_end && !raw_ended) refill_packed();
      if (packed_begin == packed_end && !mid_frame) return 0;
      const std::size_t made =
          compression == Compression::Gzip ? inflate_some(target, capacity) : unzstd_some(target, capacity);
      if (made > 0) return made;
      if (packed_begin == packed_end && raw_ended && mid_frame)
        damaged("the compressed data ends too early (truncated file)");
    }
  }

  std::size_t produce_plain(char* target, std::size_t capacity) {
    if (packed_begin < packed_end) {
      const std::size_t size = std::min(capacity, packed_end - packed_begin);
      std::memcpy(target, packed.data() + packed_begin, size);
      packed_begin += size;
      return size;
    }
    return raw_ended ? 0 : raw->read_into(target, capacity);
  }

  std::size_t inflate_some(char* target, std::size_t capacity) {
    if (!mid_frame) {  // Another gzip member follows the one that ended.
      inflateReset(&inflater);
      mid_frame = true;
    }
    inflater.next_in = reinterpret_cast<Bytef*>(packed.data() + packed_begin);
    inflater.avail_in = static_cast<uInt>(packed_end - packed_begin);
    inflater.next_out = reinterpret_cast<Bytef*>(target);
    inflater.avail_out = static_cast<uInt>(capacity);
    const int status = inflate(&inflater, Z_NO_FLUSH);
    packed_begin = packed_end - inflater.avail_in;
    if (status == Z_STREAM_END) mid_frame = false;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      damaged("the gzip data is damaged");
    return capacity - inflater.avail_out;
  }

  std::size_t unzstd_some(char* target, std::size_t capacity) {
    ZSTD_inBuffer in{packed.data() + packed_begin, packed_end - packed_begin, 0};
    ZSTD_outBuffer out{target, capacity, 0};
    const std::size_t left = ZSTD_decompressStream(unzstd, &out, &in);
    if (ZSTD_isError(left) != 0) damaged("the zstd data is damaged");
    packed_begin += in.pos;
    mid_frame = left != 0;
    return out.pos;
  }
};

ByteStream::ByteStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteStream::ByteStream(ByteStream&&) noexcept = default;
ByteStream& ByteStream::operator=(ByteStream&&) noexcept = default;
ByteStream::~ByteStream() = default;

ByteStream ByteStream::open(const std::string& path, Budget* budget) {
  if (path == "-") {
    return ByteStream(
        std::make_unique<State>("<stdin>", std::make_unique<RawBytes>(STDIN_FILENO, "<stdin>", budget)));
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw UnreadableFile({path}, std::string("cannot open: ") + std::strerror(errno));
  auto raw = std::make_unique<RawBytes>(descriptor, path, budget);
  struct stat facts {};
  if (::fstat(descriptor, &facts) == 0 && S_ISDIR(facts.st_mode))
    throw InputError({path}, "is a directory, not a file");
  auto state = std::make_unique<State>(path, std::move(raw));
  state->size_on_disk = S_ISREG(facts.st_mode) ? static_cast<std::uint64_t>(facts.st_size) : 0;
  return ByteStream(std::move(state));
}

ByteStream ByteStream::from_memory(std::string name, std::string bytes) {
  const std::size_t chunk =
      std::clamp(bytes.size(), kSmallestChunk, kChunk);  // Short texts need no large buffer.
  return ByteStream(
      std::make_unique<State>(std::move(name), std::make_unique<RawBytes>(std::move(bytes)), chunk));
}

const std::string& ByteStream::name() const noexcept { return state_->name; }
std::uint64_t ByteStream::size_on_disk() const noexcept { return state_->size_on_disk; }
std::uint64_t ByteStream::read_from_disk() const noexcept { return state_->raw->total(); }

std::string_view ByteStream::peek(std::size_t size) {
  while (state_->ahead.size() < size) {
    const std::size_t made = state_->produce(state_->chunk.data(), state_->chunk.size());
    if (made == 0) break;
    state_->ahead.append(state_->chunk.data(), made);
  }
  return std::string_view(state_->ahead).substr(0, size);
}

std::string_view ByteStream::next() {
  if (!state_->ahead.empty()) {
    state_->chunk.assign(state_->ahead.begin(), state_->ahead.end());
    state_->ahead.clear();
    return {state_->chunk.data(), state_->chunk.size()};
  }
  if (state_->chunk.size() < state_->chunk_size) state_->chunk.resize(state_->chunk_size);
  const std::size_t made = state_->produce(state_->chunk.data(), state_->chunk.size());
  return {state_->chunk.data(), made};
}

}  // namespace serval
