#pragma once
// Histories of clients from a few lines of EDN.

#include <string>
#include <utility>

#include "serval/model/model.h"

namespace serval {

inline ClientHistory client_history(std::string edn) {
  ByteStream stream = ByteStream::from_memory("test.edn", std::move(edn));
  return ClientHistory(read_jepsen_log(stream, {.format = Format::JepsenEdn}));
}

}  // namespace serval
