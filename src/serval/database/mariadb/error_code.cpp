#include "serval/database/mariadb/error_code.h"

#include <algorithm>
#include <initializer_list>

namespace serval::mariadb {

FailureCause cause_of(unsigned code) {
  const auto is = [code](std::initializer_list<unsigned> codes) {
    return std::ranges::find(codes, code) != codes.end();
  };
  // 1020: the row has changed since it was read (innodb_snapshot_isolation). TiDB: write conflicts.
  if (is({1020, 8002, 8005, 8022, 8028, 9007})) return FailureCause::Serialization;
  if (code == 1213) return FailureCause::Deadlock;
  if (is({1205, 1969, 3024})) return FailureCause::LockTimeout;  // 1969: max_statement_time.
  if (is({1022, 1048, 1062, 1451, 1452})) return FailureCause::Constraint;
  // 1040: too many connections. 1047: Galera, this node has no quorum.
  if (is({1040, 1047, 1290, 1836})) return FailureCause::Unavailable;
  // 1053: the server shuts down. 1927: killed.
  if (is({1053, 1152, 1158, 1159, 1160, 1161, 1927, 2002, 2003, 2006, 2013, 2055}))
    return FailureCause::ConnectionLost;
  return FailureCause::Other;
}

bool says_aborted(unsigned code) {
  const FailureCause cause = cause_of(code);
  return cause == FailureCause::Serialization || cause == FailureCause::Deadlock ||
         cause == FailureCause::Constraint || code == 1205;
}

}  // namespace serval::mariadb
