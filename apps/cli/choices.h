#pragma once
// Looks up names in tables. An unknown name throws UsageError with the nearest names.

#include <optional>
#include <span>
#include <string_view>

#include "output.h"
#include "progress.h"
#include "serval/formats/format.h"
#include "serval/levels/anomaly.h"
#include "serval/levels/level.h"

namespace serval::cli {

// The position of `word` in `words`.
std::size_t choose(std::string_view flag, std::string_view word, std::span<const std::string_view> words);

Level choose_level(std::string_view name);
AnomalyKind choose_anomaly(std::string_view name);
std::optional<Format> choose_format(std::string_view flag, std::string_view name);  // "auto": none.
Colour choose_colour(std::string_view word);
ProgressMode choose_progress(std::string_view word);

}  // namespace serval::cli
