#pragma once
// The connection that makes tables and asks for facts, while sessions have their own. Opened when it is first
// used, and again after it was lost: the server may have been restarted, or be gone for good while another
// node is there.

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "serval/database/database.h"

namespace serval::sql {

template <class Connection>
class ControlConnection {
 public:
  // `open` connects to the node of that number, or throws DatabaseError.
  using Open = std::function<std::unique_ptr<Connection>(std::size_t node)>;
  ControlConnection(std::size_t nodes, Open open) : nodes_(nodes), open_(std::move(open)) {}

  // Throws DatabaseError where no node answers.
  Connection& operator()() {
    for (std::size_t attempt = 1; !connection_ || connection_->lost(); ++attempt) try {
        connection_ = open_(node_);
      } catch (const DatabaseError&) {
        if (attempt >= nodes_) throw;
        node_ = (node_ + 1) % nodes_;
      }
    return *connection_;
  }
  bool lost() const { return connection_->lost(); }

 private:
  std::size_t nodes_;
  Open open_;
  std::size_t node_ = 0;
  std::unique_ptr<Connection> connection_;
};

}  // namespace serval::sql
