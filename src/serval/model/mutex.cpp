// A lock must be linearizable: acquired only when free, released only when held, by any client. After
// Knossos' mutex.

#include "serval/model/checkers.h"
#include "serval/model/linearizable_parts.h"

namespace serval {
namespace {

enum class Step : std::uint8_t { Acquire, Release };

struct MutexObject {
  std::vector<Step> steps;

  static std::uint64_t initial() { return 0; }
  std::optional<std::uint64_t> apply(std::uint64_t held, std::uint32_t operation) const {
    const std::uint64_t needs = steps[operation] == Step::Acquire ? 0 : 1;
    return held == needs ? std::optional(1 - held) : std::nullopt;
  }
  static bool observes_only(std::uint32_t) { return false; }
  static bool hides(std::uint32_t, std::uint32_t) { return false; }
  std::uint32_t kind_of(std::uint32_t operation) const {
    return static_cast<std::uint32_t>(steps[operation]);
  }
};

}  // namespace

ModelResult check_mutex(const ClientHistory& history, const ModelOptions& options) {
  ObjectPart part;
  MutexObject object;
  for (std::uint32_t i = 0; i < history.operations().size(); ++i) {
    const ClientOperation& operation = history.operations()[i];
    if (operation.failed()) continue;
    part.operations.push_back(i);
    object.steps.push_back(history.function(operation) == "acquire" ? Step::Acquire : Step::Release);
  }
  LinearizableParts parts(history, options);
  const Linearization found = parts.search(parts.spans(part), object);
  parts.add(part, found,
            [&] { return std::string(found.state != 0 ? "the lock is held" : "the lock is free"); });
  return std::move(parts).finish();
}

}  // namespace serval
