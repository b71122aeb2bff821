#include "failure.h"

#include <algorithm>
#include <new>
#include <stdexcept>

#include <fmt/format.h>

#include "exit_code.h"
#include "probe_expectation.h"
#include "serval/base/budget.h"
#include "serval/base/contract.h"
#include "serval/base/error.h"
#include "serval/base/json_writer.h"
#include "serval/base/printable.h"
#include "serval/database/database.h"
#include "serval/database/passwords.h"
#include "serval/online/profile_file.h"
#include "serval/report/quantity.h"

namespace serval::cli {
namespace {

constexpr std::size_t kBefore = 60, kAfter = 50;  // Columns of a long line kept around the caret.

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

struct Excerpt {
  std::string text;
  std::size_t caret;  // Number of blanks before it.
};

Excerpt excerpt(std::string_view line, std::size_t caret) {
  std::size_t begin = caret > kBefore ? caret - kBefore : 0;
  std::size_t end = std::min(line.size(), caret + kAfter);
  begin = std::min(begin, end);
  while (begin < end && continues(line[begin])) ++begin;
  while (end < line.size() && continues(line[end])) ++end;
  const std::string shown_before = printable(line.substr(begin, std::min(caret, end) - begin));
  const std::string front = begin > 0 ? "… " : "";
  return {front + printable(line.substr(begin, end - begin)) + (end < line.size() ? " …" : ""),
          display_width(front) + display_width(shown_before)};
}

std::string draw_input_error(const InputError& error, std::string_view what) {
  const SourcePosition& at = error.position();
  std::string place = at.file;
  if (at.line != 0) place += fmt::format(":{}", at.line);
  if (at.line != 0 && at.column != 0) place += fmt::format(":{}", at.column);
  std::string out = fmt::format("error: bad {} {}\n", what, printable(place));
  if (error.source_line().empty() || at.line == 0) {
    out += fmt::format("  {}", printable(without_passwords(error.problem())));
  } else {
    const std::string number = std::to_string(at.line);
    const std::uint64_t column = error.caret();
    const Excerpt shown = excerpt(error.source_line(), column == 0 ? 0 : column - 1);
    out += fmt::format("  {} | {}\n", number, shown.text);
    out += fmt::format("  {} | {}{}{}", std::string(number.size(), ' '), std::string(shown.caret, ' '),
                       column == 0 ? "" : "^ ", printable(error.problem()));
  }
  if (!error.hint().empty()) out += fmt::format("\nhint: {}", error.hint());
  return out;
}

std::string draw_usage_error(const UsageError& error) {
  std::string out = fmt::format("error: {}", printable(without_passwords(error.what())));
  if (!error.hint().empty()) out += fmt::format("\nhint: {}", without_passwords(error.hint()));
  return out;
}

std::string draw_bug(const char* what) {
  return fmt::format(
      "error: this is a bug in serval\n  {}\nhint: please report it with the command line and the file; "
      "no verdict was given",
      what);
}

}  // namespace

Failure describe_exception(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (...) {
    return describe_current_exception();
  }
}

Failure describe_current_exception() {
  try {
    throw;
  } catch (const ExpectationError& error) {
    return {kBadInput, draw_input_error(error, "expectation")};
  } catch (const online::ProfileError& error) {
    return {kBadInput, draw_input_error(error, "profile")};
  } catch (const UnreadableFile& error) {
    return {kBadInput, fmt::format("error: {}: {}", printable(error.position().file), error.problem())};
  } catch (const InputError& error) {
    return {kBadInput, draw_input_error(error, "history")};
  } catch (const OutputError& error) {
    return {kBadInput, fmt::format("error: {}", printable(error.what()))};
  } catch (const UsageError& error) {
    return {kUsage, draw_usage_error(error)};
  } catch (const TransactionFailure& failure) {
    return {kDatabaseFailure, fmt::format("error: from the database: {}", without_passwords(failure.what()))};
  } catch (const DatabaseError& error) {
    return {kDatabaseFailure, fmt::format("error: {}{}", without_passwords(error.what()),
                                          error.hint().empty() ? "" : "\nhint: " + error.hint())};
  } catch (const BudgetExhausted& error) {
    return {kUndecided, fmt::format("error: {}", error.what())};
  } catch (const std::bad_alloc&) {
    return {kUndecided,
            "error: out of memory\nhint: raise --memory-limit, or use a machine with more memory"};
  } catch (const std::exception& error) {
    return {kBug, draw_bug(error.what())};
  } catch (...) {
    return {kBug, draw_bug("an exception of unknown type")};
  }
}

std::string json_of_current_exception(const std::string& path) {
  const Failure failure = describe_current_exception();
  JsonWriter json;
  json.begin_object().key("schema").text("serval.error/1").key("input").begin_object();
  json.key("path").text(path).end().key("error").begin_object();
  try {
    throw;
  } catch (const InputError& error) {
    const bool unreadable = dynamic_cast<const UnreadableFile*>(&error) != nullptr;
    json.key("kind").text(unreadable ? "unreadable" : "bad-input").key("problem").text(error.problem());
    json.key("line").number(error.position().line).key("column").number(error.position().column);
    json.key("hint").text(error.hint());
  } catch (const DatabaseError& error) {
    json.key("kind").text("failure").key("problem").text(without_passwords(error.what()));
    json.key("hint").text(error.hint());
  } catch (const std::exception& error) {
    json.key("kind").text(failure.exit_code == kBug ? "bug" : "failure");
    json.key("problem").text(without_passwords(error.what())).key("hint").text("");
  }
  return json.end().key("exit_code").number(failure.exit_code).end().take();
}

}  // namespace serval::cli
