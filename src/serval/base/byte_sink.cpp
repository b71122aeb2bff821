#include "serval/base/byte_sink.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "serval/base/contract.h"
#include "serval/base/error.h"
#include "serval/base/link_target.h"
#include "serval/base/partial_output.h"

namespace serval {
namespace {

constexpr std::size_t kBuffer = 1 << 16;

// The open descriptor and the final name. Devices, pipes and standard output are written in place.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path) : name_(path == "-" ? "<stdout>" : path) {
    if (path == "-") {
      descriptor_ = STDOUT_FILENO;
      return;
    }
    target_ = path;
    struct stat facts {};
    const bool exists = ::stat(path.c_str(), &facts) == 0;
    if (!exists && errno != ENOENT) fail(std::strerror(errno));  // For example a cycle of links.
    if (exists && S_ISDIR(facts.st_mode)) fail("is a directory");
    if (exists && !S_ISREG(facts.st_mode)) {
      descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
      open_beside(exists ? &facts : nullptr);
    }
    if (descriptor_ < 0) fail(std::strerror(errno));
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile() {
    if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
    if (temporary_.empty()) return;
    ::unlink(temporary_.c_str());
    forget_partial(temporary_.c_str());
  }

  void write(const char* bytes, std::size_t size) {
    while (size > 0) {
      const ssize_t written = ::write(descriptor_, bytes, size);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(std::strerror(errno));
      bytes += written;
      size -= static_cast<std::size_t>(written);
    }
  }

  void finish() {
    if (descriptor_ > STDERR_FILENO && ::close(std::exchange(descriptor_, -1)) != 0)
      fail(std::strerror(errno));
    if (temporary_.empty()) return;
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(std::strerror(errno));
    forget_partial(temporary_.c_str());
    temporary_.clear();
  }

 private:
  [[noreturn]] void fail(const char* reason) const {
    throw OutputError("cannot write " + name_ + ": " + reason);
  }

  // A link keeps pointing to its file, and a replaced file keeps its permissions.
  void open_beside(const struct stat* replaced) {
    target_ = link_target(target_);
    if (replaced != nullptr && ::access(target_.c_str(), W_OK) != 0) fail(std::strerror(errno));
    create_temporary();
    if (descriptor_ < 0) return;
    if (replaced != nullptr) ::fchmod(descriptor_, replaced->st_mode & 07777);  // A refusal does no harm.
  }

  // Never reuses an existing file: in a folder that others can write to, it might be a link to another
  // user's file.
  void create_temporary() {
    constexpr int kTries = 100;
    const std::string name = target_ + ".partial-" + std::to_string(::getpid());
    for (int i = 0; i < kTries; ++i) {
      temporary_ = i == 0 ? name : name + "-" + std::to_string(i);
      descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (descriptor_ >= 0) return remember_partial(temporary_.c_str());
      if (errno != EEXIST) break;
    }
    temporary_.clear();
  }

  std::string name_;
  std::string target_;
  std::string temporary_;
  int descriptor_ = -1;
};

enum class Compression { None, Gzip, Zstd };

Compression compression_for(std::string_view path) {
  if (path.ends_with(".gz")) return Compression::Gzip;
  if (path.ends_with(".zst")) return Compression::Zstd;
  return Compression::None;
}

}  // namespace

struct ByteSink::State {
  OutputFile file;
  Compression compression;
  bool finished = false;
  std::vector<char> buffer;  // Bytes not yet compressed or written.
  std::vector<char> packed = std::vector<char>(kBuffer);
  z_stream deflater{};
  ZSTD_CStream* zstd = nullptr;

  explicit State(const std::string& path) : file(path), compression(compression_for(path)) {
    buffer.reserve(kBuffer);
    if (compression == Compression::Gzip &&
        deflateInit2(&deflater, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
    if (compression == Compression::Zstd && (zstd = ZSTD_createCStream()) == nullptr) throw std::bad_alloc();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (compression == Compression::Gzip) deflateEnd(&deflater);
    if (zstd != nullptr) ZSTD_freeCStream(zstd);
  }

  void write(std::string_view bytes) {
    if (buffer.size() + bytes.size() > kBuffer) flush_buffer();
    if (bytes.size() >= kBuffer) return pass_on(bytes);
    buffer.insert(buffer.end(), bytes.begin(), bytes.end());
  }
  void flush_buffer() {
    pass_on({buffer.data(), buffer.size()});
    buffer.clear();
  }
  void pass_on(std::string_view bytes) {
    if (bytes.empty()) return;
    switch (compression) {
      case Compression::None:
        return file.write(bytes.data(), bytes.size());
      case Compression::Gzip:
        return deflate_all(bytes, Z_NO_FLUSH);
      case Compression::Zstd:
        return zstd_all(bytes, ZSTD_e_continue);
    }
  }
  void finish() {
    flush_buffer();
    if (compression == Compression::Gzip) deflate_all({}, Z_FINISH);
    if (compression == Compression::Zstd) zstd_all({}, ZSTD_e_end);
    file.finish();
    finished = true;
  }

  // A piece may exceed 4 GiB, so the input is passed in slices whose size zlib can represent.
  void deflate_all(std::string_view bytes, int flush) {
    constexpr std::size_t kSlice = 1 << 30;
    do {
      const std::string_view slice = bytes.substr(0, kSlice);
      bytes.remove_prefix(slice.size());
      deflater.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(slice.data()));
      deflater.avail_in = static_cast<uInt>(slice.size());
      do {
        deflater.next_out = reinterpret_cast<Bytef*>(packed.data());
        deflater.avail_out = static_cast<uInt>(packed.size());
        expects(deflate(&deflater, flush) != Z_STREAM_ERROR, "a consistent zlib stream");
        file.write(packed.data(), packed.size() - deflater.avail_out);
      } while (deflater.avail_out == 0);
    } while (!bytes.empty());
  }

  void zstd_all(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    std::size_t left = 0;
    do {
      ZSTD_outBuffer out{packed.data(), packed.size(), 0};
      left = ZSTD_compressStream2(zstd, &out, &in, directive);
      expects(ZSTD_isError(left) == 0, "a consistent zstd stream");
      file.write(packed.data(), out.pos);
    } while (in.pos < in.size || (directive == ZSTD_e_end && left != 0));
  }
};

ByteSink::ByteSink(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteSink::ByteSink(ByteSink&&) noexcept = default;
ByteSink& ByteSink::operator=(ByteSink&&) noexcept = default;
ByteSink::~ByteSink() = default;

ByteSink ByteSink::create(const std::string& path) { return ByteSink(std::make_unique<State>(path)); }

void ByteSink::write(std::string_view bytes) {
  expects(!state_->finished, "nothing is written after finish()");
  state_->write(bytes);
}

void ByteSink::finish() { state_->finish(); }

}  // namespace serval
