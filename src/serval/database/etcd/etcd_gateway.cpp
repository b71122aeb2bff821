#include "serval/database/etcd/etcd_gateway.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include <curl/curl.h>
#include <fmt/format.h>

#include "serval/base/contract.h"
#include "serval/base/json_string.h"

namespace serval {
namespace {

constexpr long kConnectTimeout_ms = 2000;
constexpr std::int64_t kUnauthenticated = 16;

void start_curl_once() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) throw EtcdFailure(EtcdFailure::Kind::NotSent, curl_easy_strerror(started));
}

std::size_t receive(char* bytes, std::size_t size, std::size_t count, void* out) noexcept {
  try {
    static_cast<std::string*>(out)->append(bytes, size * count);
    return size * count;
  } catch (const std::bad_alloc&) {
    return 0;  // Aborts the transfer.
  }
}

// By gRPC code. Only a response from before the proposal guarantees that the request has no effect.
EtcdFailure::Kind kind_of(std::int64_t code) {
  constexpr std::int64_t kInvalidArgument = 3, kNotFound = 5, kPermissionDenied = 7, kResourceExhausted = 8,
                         kOutOfRange = 11, kUnimplemented = 12;
  static constexpr std::array kRefused{kInvalidArgument,   kNotFound,   kPermissionDenied,
                                       kResourceExhausted, kOutOfRange, kUnimplemented};
  // Tokens expire; a new connection gets a new one.
  if (code == kUnauthenticated) return EtcdFailure::Kind::NotSent;
  return std::ranges::find(kRefused, code) == kRefused.end() ? EtcdFailure::Kind::Uncertain
                                                             : EtcdFailure::Kind::Refused;
}

// Whether the request cannot have reached the server.
bool never_sent(CURLcode result) {
  return result == CURLE_COULDNT_CONNECT || result == CURLE_COULDNT_RESOLVE_HOST ||
         result == CURLE_SSL_CONNECT_ERROR || result == CURLE_PEER_FAILED_VERIFICATION ||
         result == CURLE_SSL_CERTPROBLEM || result == CURLE_SSL_CACERT_BADFILE;
}

}  // namespace

struct EtcdGateway::Handle {
  CURL* curl = nullptr;
  curl_slist* headers = nullptr;

  ~Handle() {
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
  }
};

std::string hint_for(EtcdFailure::Kind kind) {
  if (kind != EtcdFailure::Kind::NotSent) return {};
  return "check host and port; scripts/servers start etcd starts a server to try";
}

EtcdGateway::EtcdGateway(std::string endpoint, EtcdAccess access)
    : endpoint_(std::move(endpoint)), access_(std::move(access)), handle_(std::make_unique<Handle>()) {
  start_curl_once();
  handle_->curl = curl_easy_init();
  expects(handle_->curl != nullptr, "libcurl has a handle");
  handle_->headers = curl_slist_append(nullptr, "Content-Type: application/json");
  handle_->headers = curl_slist_append(handle_->headers, "Expect:");
  CURL* const curl = handle_->curl;
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, handle_->headers);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl, CURLOPT_MAXCONNECTS, 1L);
  const auto timeout_ms = static_cast<long>(access_.timeout.count());
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, std::min(kConnectTimeout_ms, timeout_ms));
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout_ms);
  if (!access_.ca_file.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, access_.ca_file.c_str());
  if (!access_.certificate_file.empty())
    curl_easy_setopt(curl, CURLOPT_SSLCERT, access_.certificate_file.c_str());
  if (!access_.key_file.empty()) curl_easy_setopt(curl, CURLOPT_SSLKEY, access_.key_file.c_str());
}

EtcdGateway::~EtcdGateway() = default;

void EtcdGateway::authenticate() {
  const JsonValue answer = send(
      "/v3/auth/authenticate",
      fmt::format(R"({{"name":{},"password":{}}})", json_string(access_.user), json_string(access_.password)),
      Sending::PerhapsTwice);
  if (!answer["token"].is(JsonValue::Kind::Text))
    throw EtcdFailure(EtcdFailure::Kind::Refused, fmt::format("{}: no token for the user", endpoint_));
  const std::string header = "Authorization: " + answer["token"].text;
  handle_->headers = curl_slist_append(handle_->headers, header.c_str());
  curl_easy_setopt(handle_->curl, CURLOPT_HTTPHEADER, handle_->headers);
  authenticated_ = true;
}

JsonValue EtcdGateway::post(const std::string& path, const std::string& body, Sending sending) {
  if (!access_.user.empty() && !authenticated_) authenticate();
  return send(path, body, sending);
}

JsonValue EtcdGateway::send(const std::string& path, const std::string& body, Sending sending) {
  CURL* const curl = handle_->curl;
  const std::string url = (access_.tls ? "https://" : "http://") + endpoint_ + path;
  std::string answer;
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.c_str());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
  curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, sending == Sending::Once ? 1L : 0L);
  const CURLcode result = curl_easy_perform(curl);
  if (never_sent(result))
    throw EtcdFailure(EtcdFailure::Kind::NotSent,
                      fmt::format("{}: {}", endpoint_, curl_easy_strerror(result)));
  if (result != CURLE_OK)
    throw EtcdFailure(EtcdFailure::Kind::Lost, fmt::format("{}: {}", endpoint_, curl_easy_strerror(result)));
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  JsonValue parsed;
  try {
    parsed = parse_json(answer);
  } catch (const JsonError& error) {
    throw EtcdFailure(EtcdFailure::Kind::Uncertain,
                      fmt::format("{}: HTTP {}, {}", endpoint_, status, error.what()));
  }
  if (status != 200)
    throw EtcdFailure(kind_of(parsed["code"].whole().value_or(-1)),
                      fmt::format("{}: {}", endpoint_, parsed["error"].text));
  return parsed;
}

}  // namespace serval
