#include "serval/online/profile_file.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "serval/base/nearest_names.h"
#include "serval/online/profile_fields.h"

namespace serval::online {
namespace {

constexpr std::size_t kLargestProfile = std::size_t{1} << 16;
constexpr std::string_view kBlanks = " \t\r";

// Part of a line, and its column.
struct Word {
  std::string_view text;
  std::size_t column = 1;
};

Word trimmed(Word word) {
  const std::size_t first = word.text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {{}, word.column};
  const std::size_t last = word.text.find_last_not_of(kBlanks);
  return {word.text.substr(first, last - first + 1), word.column + first};
}

class ProfileReader {
 public:
  explicit ProfileReader(const std::string& file) : file_(file), lines_(profile_fields().size(), 0) {}

  Profile read(std::string_view text) {
    if (text.size() > kLargestProfile)
      throw ProfileError({file_}, fmt::format("not a profile: more than {} bytes", kLargestProfile));
    while (!text.empty()) {
      line_ = text.substr(0, text.find('\n'));
      ++number_;
      read_line();
      text.remove_prefix(std::min(line_.size() + 1, text.size()));
    }
    require_all();
    return profile_;
  }

 private:
  void read_line() {
    const std::string_view code = line_.substr(0, line_.find('#'));
    const Word whole = trimmed({code});
    if (whole.text.empty()) return;
    const std::size_t sign = code.find('=');
    if (sign == std::string_view::npos) refuse(whole, "expected \"key = value\"", "comments begin with #");
    const Word key = trimmed({code.substr(0, sign)});
    const Word value = trimmed({code.substr(sign + 1), sign + 2});
    const std::size_t field = field_of(key);
    if (lines_[field] != 0)
      refuse(key, fmt::format("\"{}\" is given twice, first in line {}", key.text, lines_[field]),
             "remove one of the two lines");
    lines_[field] = number_;
    set(profile_fields()[field], value);
  }

  std::size_t field_of(const Word& key) const {
    std::vector<std::string_view> keys;
    for (const ProfileField& field : profile_fields()) {
      if (field.key == key.text) return keys.size();
      keys.push_back(field.key);
    }
    refuse(key, fmt::format("there is no key \"{}\"", key.text), did_you_mean(key.text, keys));
  }

  void set(const ProfileField& field, const Word& value) {
    if (value.text.empty()) refuse(value, fmt::format("\"{}\" has no value", field.key), hint_of(field, ""));
    if (!field.set(profile_, value.text))
      refuse(value, fmt::format("\"{}\" is not a value of \"{}\"", value.text, field.key),
             hint_of(field, value.text));
  }

  static std::string hint_of(const ProfileField& field, std::string_view value) {
    if (!field.words.empty()) return did_you_mean(value, field.words);
    return field.key == "level" ? "serval levels lists the levels of transactions"
                                : "letters, digits and . _ + -, at most 64";
  }

  void require_all() const {
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (profile_fields()[i].required && lines_[i] == 0)
        throw ProfileError(
            {file_, number_ + 1, 1}, fmt::format("the profile ends without \"{}\"", profile_fields()[i].key),
            {}, "database, isolation and level are required; serval profiles NAME prints an example");
  }

  [[noreturn]] void refuse(const Word& at, const std::string& problem, const std::string& hint) const {
    throw ProfileError({file_, number_, at.column}, problem, std::string(line_), hint);
  }

  const std::string& file_;
  std::string_view line_;
  std::uint64_t number_ = 0;
  std::vector<std::uint64_t> lines_;  // By field: where it was given; 0: nowhere.
  Profile profile_ = silent_profile_of("", "", Level::ReadUncommitted);
};

std::string comment_of(std::string_view remark) {
  std::string out = "# ";
  for (const char c : remark) out += c == '\n' ? std::string("\n# ") : std::string(1, c);
  return out + "\n";
}

}  // namespace

Profile silent_profile_of(std::string_view database, std::string_view isolation, Level level) {
  return {.database = std::string(database),
          .isolation = std::string(isolation),
          .level = level,
          .protocol = "unknown",
          .plain_read = ReadMode::Uncommitted,
          .locking_read = ReadMode::Uncommitted,
          .writing_read = ReadMode::Uncommitted,
          .write_lock = LockMode::None,
          .snapshot = SnapshotPoint::Anytime,
          .install = InstallPoint::Anytime,
          .one_state_a_statement = false,
          .one_clock = false,
          .freshness = Freshness::Any,
          .equal_writes_vanish = true};
}

Profile read_profile(std::string_view text, const std::string& file) {
  return ProfileReader(file).read(text);
}

std::string write_profile(const Profile& profile, const ProfileRemarks& remarks) {
  std::string out;
  const auto remark = [&](std::string_view key) {
    if (const auto found = remarks.find(key); found != remarks.end()) out += comment_of(found->second);
  };
  remark("");
  for (const ProfileField& field : profile_fields()) {
    out += fmt::format("\n# {}", field.meaning);
    if (!field.words.empty()) out += fmt::format(": {}", fmt::join(field.words, ", "));
    out += "\n";
    remark(field.key);
    out += fmt::format("{} = {}\n", field.key, field.get(profile));
  }
  return out;
}

}  // namespace serval::online
