#include "serval/database/etcd/etcd_client.h"

#include <utility>

#include <absl/strings/escaping.h>
#include <fmt/format.h>

#include "serval/database/database.h"

namespace serval {
namespace {

using Sending = EtcdGateway::Sending;

FailureCause cause_of(EtcdFailure::Kind kind) {
  if (kind == EtcdFailure::Kind::Uncertain) return FailureCause::Unavailable;
  return kind == EtcdFailure::Kind::Refused ? FailureCause::Other : FailureCause::ConnectionLost;
}

// Whether such a failed commit had no effect.
bool surely_aborted(EtcdFailure::Kind kind) {
  return kind == EtcdFailure::Kind::NotSent || kind == EtcdFailure::Kind::Refused;
}

std::int64_t whole_of(const JsonValue& value, const char* name) {
  const std::optional<std::int64_t> number = value[name].whole();
  if (!number) throw DatabaseError(fmt::format("the response of etcd has no \"{}\"", name));
  return *number;
}

// The gateway leaves out what is empty or false, but never spells it with another type.
const JsonValue& member_of(const JsonValue& value, const char* name, JsonValue::Kind kind) {
  const JsonValue& member = value[name];
  if (!member.is(kind) && !member.is(JsonValue::Kind::Null))
    throw DatabaseError(fmt::format("the response of etcd has a \"{}\" of the wrong type", name));
  return member;
}

std::string bytes_of(const JsonValue& pair, const char* name) {
  std::string bytes;
  if (!absl::Base64Unescape(member_of(pair, name, JsonValue::Kind::Text).text, &bytes))
    throw DatabaseError(fmt::format("the response of etcd has a \"{}\" that is not base64", name));
  return bytes;
}

// The pair of the key that was asked for, or null.
const JsonValue* pair_of(const JsonValue& answer, const std::string& key) {
  const std::vector<JsonValue>& found = member_of(answer, "kvs", JsonValue::Kind::Array).items;
  if (found.empty()) return nullptr;
  if (found.size() > 1 || bytes_of(found.front(), "key") != key)
    throw DatabaseError("the response of etcd has a key that was not asked for");
  return &found.front();
}

}  // namespace

EtcdClient::EtcdClient(const std::string& endpoint, Reads reads, KeyValueTables tables, EtcdAccess access)
    : gateway_(endpoint, std::move(access)), reads_(reads), tables_(std::move(tables)) {}

void EtcdClient::greet() {
  try {
    gateway_.post("/v3/maintenance/status", "{}", Sending::PerhapsTwice);
  } catch (const EtcdFailure& failure) {
    throw DatabaseError(fmt::format("etcd: {}", failure.what()), hint_for(failure.kind()));
  }
}

void EtcdClient::begin() {
  read_at_.clear();
  writes_.clear();
  snapshot_ = 0;
  hints_ = {};
  hints_.node = gateway_.endpoint();
}

Answer EtcdClient::perform(const Request& request) { return tables_.perform(request, *this); }

std::optional<StoredValue> EtcdClient::get(const std::string& key, Reading) {
  if (const auto own = writes_.find(key); own != writes_.end()) {
    if (!own->second) return std::nullopt;
    return StoredValue{*own->second, std::nullopt};
  }
  std::string body = fmt::format(R"({{"key":"{}")", absl::Base64Escape(key));
  if (reads_ == Reads::Stale) body += R"(,"serializable":true)";
  if (snapshot_ != 0) body += fmt::format(R"(,"revision":"{}")", snapshot_);
  JsonValue answer;
  try {
    answer = gateway_.post("/v3/kv/range", body + "}", Sending::PerhapsTwice);
  } catch (const EtcdFailure& failure) {
    throw TransactionFailure(cause_of(failure.kind()), Outcome::Aborted, failure.what());
  }
  const std::int64_t seen_at = whole_of(answer["header"], "revision");
  if (!hints_.start_timestamp) hints_.start_timestamp = seen_at;
  if (reads_ == Reads::Stale && snapshot_ == 0) snapshot_ = seen_at;
  const JsonValue* const found = pair_of(answer, key);
  const std::int64_t revision = found == nullptr ? 0 : whole_of(*found, "mod_revision");
  if (read_at_.emplace(key, revision).first->second != revision)
    throw TransactionFailure(FailureCause::Serialization, Outcome::Aborted,
                             "a key has changed since this transaction first read it");
  if (found == nullptr) return std::nullopt;
  return StoredValue{bytes_of(*found, "value"), revision};
}

// A single read is consistent, and so are stale reads, which share a revision.
bool EtcdClient::needs_commit() const {
  return !writes_.empty() || (reads_ == Reads::Fresh && read_at_.size() > 1);
}

std::string EtcdClient::format_commit() const {
  std::string compares, changes;
  for (const auto& [key, revision] : read_at_)
    compares += fmt::format(R"({}{{"key":"{}","target":"MOD","result":"EQUAL","mod_revision":"{}"}})",
                            compares.empty() ? "" : ",", absl::Base64Escape(key), revision);
  for (const auto& [key, bytes] : writes_) {
    const std::string name = absl::Base64Escape(key);
    changes += changes.empty() ? "" : ",";
    changes += bytes ? fmt::format(R"({{"request_put":{{"key":"{}","value":"{}"}}}})", name,
                                   absl::Base64Escape(*bytes))
                     : fmt::format(R"({{"request_delete_range":{{"key":"{}"}}}})", name);
  }
  // Without a linearizable request, etcd would compare with the possibly stale state of the member.
  if (writes_.empty())
    changes = fmt::format(R"({{"request_range":{{"key":"{}","keys_only":true}}}})",
                          absl::Base64Escape(read_at_.begin()->first));
  return fmt::format(R"({{"compare":[{}],"success":[{}]}})", compares, changes);
}

Outcome EtcdClient::commit() {
  if (!needs_commit()) return Outcome::Committed;
  JsonValue answer;
  try {
    answer = gateway_.post("/v3/kv/txn", format_commit(), Sending::Once);
  } catch (const EtcdFailure& failure) {
    const bool gone = surely_aborted(failure.kind()) || writes_.empty();
    throw TransactionFailure(cause_of(failure.kind()), gone ? Outcome::Aborted : Outcome::Indeterminate,
                             failure.what());
  }
  const std::int64_t revision = whole_of(answer["header"], "revision");
  if (!member_of(answer, "succeeded", JsonValue::Kind::Boolean).boolean)
    throw TransactionFailure(FailureCause::Serialization, Outcome::Aborted,
                             "a key has changed since this transaction read it");
  if (!writes_.empty()) hints_.commit_timestamp = revision;
  return Outcome::Committed;
}

void EtcdClient::roll_back() {
  read_at_.clear();
  writes_.clear();
}

}  // namespace serval
