#pragma once
// The application's labels of the sessions and transactions that a watch numbers. Keeps only the most
// recent ones, since a watch may run forever.
//
//   labels.note(record);                   // For every record, in order.
//   labels.find(7)->label                  // "pay-17"

#include <cstdint>
#include <string>
#include <vector>

#include "serval/stream/record.h"

namespace serval::watch {

// A number, or text.
struct Label {
  std::string text;
  bool is_number = false;
};

class WatchLabels {
 public:
  struct Transaction {
    std::uint64_t number = 0;
    std::uint32_t session = 0;
    Label label;
    Time begin = kUnknownBegin;
    Time first_answer = kUnknownEnd;  // Of its first operation.
  };

  void note(const Record& record);
  const Transaction* find(std::uint64_t number) const;  // Null if unknown or no longer kept.
  const Label* session(std::uint32_t number) const;

 private:
  struct Session {
    std::uint32_t number = 0xFFFFFFFFu;
    Label label;
  };
  void note_begin(const Record& record);

  std::vector<Transaction> transactions_;  // By number, modulo the size.
  std::vector<Session> sessions_;
};

}  // namespace serval::watch
