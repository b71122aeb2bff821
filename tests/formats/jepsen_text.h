#pragma once
// Shortcuts for the Jepsen tests, from text to a history, notices or an error.

#include <string>
#include <vector>

#include "serval/base/error.h"
#include "serval/formats/format.h"

namespace serval {

inline History read_jepsen(Format format, std::string text, ReadOptions options = {}) {
  ByteStream stream = ByteStream::from_memory("input", std::move(text));
  options.format = format;
  return read_history(stream, options);
}

inline History read_edn(std::string text, ReadOptions options = {}) {
  return read_jepsen(Format::JepsenEdn, std::move(text), std::move(options));
}

inline std::vector<std::string> notices_of(std::string edn, ReadOptions options = {}) {
  std::vector<std::string> notices;
  options.on_notice = [&](const std::string& notice) { notices.push_back(notice); };
  read_edn(std::move(edn), options);
  return notices;
}

// "line:column: problem", or "no error".
inline std::string error_of(Format format, std::string text, const ReadOptions& options = {}) {
  try {
    read_jepsen(format, std::move(text), options);
  } catch (const InputError& error) {
    return std::to_string(error.position().line) + ":" + std::to_string(error.position().column) + ": " +
           error.problem();
  }
  return "no error";
}

// "committed w(x,1) r(y,_)": outcome and operations of the n-th transaction.
inline std::string format_transaction(const History& history, std::uint32_t number) {
  const TransactionId t{number};
  std::string out(name_of(history.outcome(t)));
  for (const OperationId op : history.operations(t)) {
    out += " " + std::string(name_of(history.kind(op))) + "(" + history.format_key(history.key(op)) + ",";
    if (is_conditional(history.kind(op))) out += history.format(history.expected(op)) + ",";
    out += history.format(history.value(op)) + ")";
  }
  return out;
}

}  // namespace serval
