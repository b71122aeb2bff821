#pragma once
// The connection that creates tables and queries facts; sessions have their own. Opened on first use,
// and again after it was lost: the server may have been restarted, or may be gone while another node is
// available.

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "serval/database/database.h"

namespace serval::sql {

template <class Connection>
class ControlConnection {
 public:
  // `open` connects to the node with that number, or throws DatabaseError.
  using Open = std::function<std::unique_ptr<Connection>(std::size_t node)>;
  ControlConnection(std::size_t nodes, Open open) : nodes_(nodes), open_(std::move(open)) {}

  // Throws DatabaseError if no node responds.
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
