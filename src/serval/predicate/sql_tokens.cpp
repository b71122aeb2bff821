#include "serval/predicate/sql_tokens.h"

#include <algorithm>
#include <array>

#include "serval/base/error.h"

namespace serval {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool continues_name(char c) { return starts_name(c) || is_digit(c) || c == '$'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Serval's keywords, and the others that PostgreSQL reserves; each between two blanks.
constexpr std::string_view kOwnWords =
    " and or not between in like is null true false escape where set select ";
constexpr std::string_view kOtherWords =
    " all analyse analyze any array as asc asymmetric authorization binary both case cast check collate "
    "collation column concurrently constraint create cross current_catalog current_date current_role "
    "current_schema current_time current_timestamp current_user default deferrable desc distinct do else "
    "end except fetch for foreign freeze from full grant group having ilike initially inner intersect "
    "into isnull join lateral leading left limit localtime localtimestamp natural notnull offset on only "
    "order outer overlaps placing primary references returning right session_user similar some symmetric "
    "table tablesample then to trailing union unique user using variadic verbose when window with ";

bool lists(std::string_view words, std::string_view word) {
  return words.find(" " + std::string(word) + " ") != std::string_view::npos;
}

}  // namespace

void fail_in_sql(std::string_view text, std::size_t at, const std::string& name, const std::string& problem) {
  const std::string_view before = text.substr(0, at);
  const std::size_t last_break = before.rfind('\n');
  const std::size_t line_start = last_break == std::string_view::npos ? 0 : last_break + 1;
  const auto line = static_cast<std::uint64_t>(std::ranges::count(before, '\n')) + 1;
  const std::string_view shown = text.substr(line_start, text.find('\n', line_start) - line_start);
  throw InputError({name, line, at - line_start + 1}, problem, std::string(shown));
}

bool is_reserved(std::string_view word) { return lists(kOwnWords, word); }

bool is_reserved_in_sql(std::string_view word) { return lists(kOwnWords, word) || lists(kOtherWords, word); }

SqlToken SqlTokens::next() {
  SqlToken taken = std::move(token_);
  advance();
  return taken;
}

bool SqlTokens::advance_if(bool accepted) {
  if (accepted) advance();
  return accepted;
}

void SqlTokens::expect_sign(std::string_view sign) {
  if (!accept_sign(sign)) fail("'" + std::string(sign) + "'");
}

void SqlTokens::expect_word(std::string_view word) {
  std::string upper(word);
  std::ranges::transform(upper, upper.begin(), [](char c) { return static_cast<char>(c - 'a' + 'A'); });
  if (!accept_word(word)) fail(upper);
}

void SqlTokens::fail(const std::string& expected) const {
  const std::string got = token_.kind == SqlToken::Kind::End
                              ? "the end"
                              : "'" + std::string(text_.substr(token_.at, token_.end - token_.at)) + "'";
  fail_at(token_.at, "expected " + expected + ", but got " + got);
}

void SqlTokens::fail_at(std::size_t at, const std::string& problem) const {
  fail_in_sql(text_, at, name_, problem);
}

void SqlTokens::skip_blanks() {
  while (at_ < text_.size()) {
    if (text_.substr(at_).starts_with("--")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (std::string_view(" \t\r\n\f\v").find(text_[at_]) != std::string_view::npos) {
      ++at_;
    } else {
      return;
    }
  }
}

void SqlTokens::advance() {
  skip_blanks();
  token_ = {.at = at_, .end = at_};
  if (at_ == text_.size()) return;
  const char c = text_[at_];
  const bool fraction = c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
  if (starts_name(c)) {
    token_.kind = SqlToken::Kind::Name;
    for (; at_ < text_.size() && continues_name(text_[at_]); ++at_) token_.text += lower(text_[at_]);
  } else if (is_digit(c) || fraction) {
    take_number();
  } else if (c == '\'') {
    take_quoted(c, SqlToken::Kind::Text);
  } else if (c == '"') {
    take_quoted(c, SqlToken::Kind::QuotedName);
  } else {
    take_sign();
  }
  token_.end = at_;
}

void SqlTokens::take_number() {
  const std::size_t start = at_;
  const auto digits = [&] {
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  };
  digits();
  if (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    digits();
  }
  if (at_ < text_.size() && lower(text_[at_]) == 'e') {
    const std::size_t sign =
        at_ + 1 < text_.size() && (text_[at_ + 1] == '+' || text_[at_ + 1] == '-') ? 1 : 0;
    at_ += 1 + sign;
    if (at_ >= text_.size() || !is_digit(text_[at_])) fail_at(at_, "expected a digit of the exponent");
    digits();
  }
  if (at_ < text_.size() && continues_name(text_[at_])) fail_at(at_, "expected the end of the number");
  token_.kind = SqlToken::Kind::Number;
  token_.text = text_.substr(start, at_ - start);
}

void SqlTokens::take_quoted(char quote, SqlToken::Kind kind) {
  const std::size_t start = at_++;
  for (;; ++at_) {
    if (at_ >= text_.size()) fail_at(start, "the quote is never closed");
    if (text_[at_] == quote && (at_ + 1 >= text_.size() || text_[at_ + 1] != quote)) break;
    if (text_[at_] == quote) ++at_;
    token_.text += text_[at_];
  }
  ++at_;
  token_.kind = kind;
}

void SqlTokens::take_sign() {
  static constexpr std::array<std::string_view, 17> kSigns{"<>", "!=", "<=", ">=", "||", "=", "<", ">", "+",
                                                           "-",  "*",  "/",  "%",  "(",  ")", ",", "."};
  const auto* found = std::ranges::find_if(
      kSigns, [&](std::string_view sign) { return text_.substr(at_).starts_with(sign); });
  if (found == kSigns.end()) fail_at(at_, "unexpected character '" + std::string(1, text_[at_]) + "'");
  token_.kind = SqlToken::Kind::Sign;
  token_.text = *found;
  at_ += found->size();
}

}  // namespace serval
