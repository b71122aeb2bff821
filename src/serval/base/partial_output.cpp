#include "serval/base/partial_output.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace serval {
namespace {

constinit std::array<std::atomic<const char*>, 16> partial_output{};

// As the kernel lays it out; readdir() may allocate memory, which a signal handler must not.
struct Entry {
  std::uint64_t inode;
  std::int64_t next;
  std::uint16_t length;
  std::uint8_t kind;
};
constexpr std::size_t kNameOffset = offsetof(Entry, kind) + 1;

void remove_files_in(int folder) noexcept {
  alignas(Entry) std::array<char, 4096> entries;
  for (;;) {
    const long size = ::syscall(SYS_getdents64, folder, entries.data(), entries.size());
    if (size <= 0) return;
    for (long at = 0; at < size;) {
      Entry entry;
      std::memcpy(&entry, entries.data() + at, sizeof entry);
      ::unlinkat(folder, entries.data() + at + kNameOffset, 0);  // Refused for "." and "..".
      at += entry.length;
    }
  }
}

void remove(const char* name) noexcept {
  if (::unlink(name) == 0) return;
  const int folder = ::open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  remove_files_in(folder);
  ::close(folder);
  ::rmdir(name);
}

}  // namespace

void remember_partial(const char* name) noexcept {
  for (std::atomic<const char*>& place : partial_output) {
    const char* none = nullptr;
    if (place.compare_exchange_strong(none, name)) return;
  }
}

void forget_partial(const char* name) noexcept {
  for (std::atomic<const char*>& place : partial_output) {
    const char* expected = name;
    if (place.compare_exchange_strong(expected, nullptr)) return;
  }
}

void remove_partial_output() noexcept {
  for (const std::atomic<const char*>& place : partial_output)
    if (const char* name = place.load()) remove(name);
}

}  // namespace serval
