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

// A request without a good answer.
class EtcdFailure : public std::runtime_error {
 public:
  enum class Kind {
    NotSent,    // Nobody was there to hear it.
    Lost,       // It was sent, and no answer came.
    Uncertain,  // The server says that it does not know, or that it could not wait for the others.
    Refused,    // The server says no.
  };
  EtcdFailure(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  Kind kind() const noexcept { return kind_; }

 private:
  Kind kind_;
};

// What to do about a failure at the start; may be empty.
std::string hint_for(EtcdFailure::Kind kind);

// How members are spoken to.
struct EtcdAccess {
  bool tls = false;
  std::string ca_file, certificate_file, key_file;  // PEM; empty: the system's, none.
  std::string user, password;                       // No user: no authentication.
  std::chrono::milliseconds timeout{8000};          // etcd itself gives up after about 7 s.
};

class EtcdGateway {
 public:
  explicit EtcdGateway(std::string endpoint, EtcdAccess access = {});
  ~EtcdGateway();
  EtcdGateway(const EtcdGateway&) = delete;
  EtcdGateway& operator=(const EtcdGateway&) = delete;

  // Once: on a connection of its own. libcurl sends a request again, whatever it is, when the connection that
  // it reused turns out to be dead; a commit that is sent twice would contradict itself.
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
