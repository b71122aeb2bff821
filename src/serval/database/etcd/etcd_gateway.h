#pragma once
// One connection to the JSON gateway of an etcd member.
//
//   EtcdGateway gateway("127.0.0.1:2379", {.tls = true, .ca_file = "ca.pem"});
//   const JsonValue answer = gateway.post("/v3/kv/range", R"({"key":"Zm9v"})");

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>

#include "serval/database/json/json_value.h"

namespace serval {

// A failed request.
class EtcdFailure : public std::runtime_error {
 public:
  enum class Kind {
    NotSent,    // It cannot have reached the server.
    Lost,       // It was sent, but no response came.
    Uncertain,  // The server does not know the outcome, or could not wait for the other members.
    Refused,    // The server rejected it.
  };
  EtcdFailure(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  Kind kind() const noexcept { return kind_; }

 private:
  Kind kind_;
};

// A hint for a failure at the start; may be empty.
std::string hint_for(EtcdFailure::Kind kind);

// How to connect to members.
struct EtcdAccess {
  bool tls = false;
  std::string ca_file, certificate_file, key_file;  // PEM; empty: the system's, none.
  std::string user, password;                       // No user: no authentication.
  std::chrono::milliseconds timeout{8000};          // etcd's own timeout is about 7 s.
};

class EtcdGateway {
 public:
  explicit EtcdGateway(std::string endpoint, EtcdAccess access = {});
  ~EtcdGateway();
  EtcdGateway(const EtcdGateway&) = delete;
  EtcdGateway& operator=(const EtcdGateway&) = delete;

  // Once: on a new connection. libcurl resends any request if a reused connection turns out to be dead,
  // but a commit that is sent twice would fail its own validation.
  enum class Sending { Once, PerhapsTwice };
  // Throws EtcdFailure.
  JsonValue post(const std::string& path, const std::string& body, Sending sending);

  const std::string& endpoint() const noexcept { return endpoint_; }

 private:
  struct Handle;
  void authenticate();  // Before the first request.
  JsonValue send(const std::string& path, const std::string& body, Sending sending);

  std::string endpoint_;
  EtcdAccess access_;
  bool authenticated_ = false;
  std::unique_ptr<Handle> handle_;
};

}  // namespace serval
