#pragma once
// The tokens of a predicate's text, one after another, with their positions.
//
//   SqlTokens tokens("a >= 3", "predicate");
//   tokens.next().kind == SqlToken::Kind::Name      // "a"; then Sign ">=", Number "3", End
//
// Unquoted names are converted to lower case, as in PostgreSQL; "--" starts a comment.

#include <cstdint>
#include <string>
#include <string_view>

namespace serval {

struct SqlToken {
  enum class Kind : std::uint8_t { Name, QuotedName, Number, Text, Sign, End };

  Kind kind = Kind::End;
  std::string text;     // Without quotes.
  std::size_t at = 0;   // Its first byte.
  std::size_t end = 0;  // One past its last.

  bool is_sign(std::string_view sign) const { return kind == Kind::Sign && text == sign; }
  bool is_word(std::string_view word) const { return kind == Kind::Name && text == word; }
};

// Throws InputError at byte `at` of the text, which may have several lines.
[[noreturn]] void fail_in_sql(std::string_view text, std::size_t at, const std::string& name,
                              const std::string& problem);

// Keywords that cannot be column names unless quoted: AND, BETWEEN, ...
bool is_reserved(std::string_view word);
// The same for PostgreSQL, whose list is longer.
bool is_reserved_in_sql(std::string_view word);

class SqlTokens {
 public:
  SqlTokens(std::string_view text, std::string name) : text_(text), name_(std::move(name)) { advance(); }

  const SqlToken& peek() const noexcept { return token_; }
  SqlToken next();
  // Consumes the sign or word if it is the next token.
  bool accept_sign(std::string_view sign) { return advance_if(token_.is_sign(sign)); }
  bool accept_word(std::string_view word) { return advance_if(token_.is_word(word)); }
  void expect_sign(std::string_view sign);
  void expect_word(std::string_view word);

  // Throws InputError: "expected ..., but got ..." at the next token.
  [[noreturn]] void fail(const std::string& expected) const;
  [[noreturn]] void fail_at(std::size_t at, const std::string& problem) const;

 private:
  void advance();
  bool advance_if(bool accepted);
  void skip_blanks();
  void take_number();
  void take_quoted(char quote, SqlToken::Kind kind);
  void take_sign();

  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
  SqlToken token_;
};

}  // namespace serval
