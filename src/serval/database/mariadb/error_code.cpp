#include "serval/database/mariadb/error_code.h"

namespace serval::mariadb {

FailureCause cause_of(unsigned code) {
  switch (code) {
    case 1020:  // The row has changed since it was read (innodb_snapshot_isolation).
    case 8002:  // TiDB: write conflicts.
    case 8005:
    case 8022:
    case 8028:
    case 9007:
      return FailureCause::Serialization;
    case 1213:
      return FailureCause::Deadlock;
    case 1205:
    case 1969:  // max_statement_time
    case 3024:
      return FailureCause::LockTimeout;
    case 1022:
    case 1048:
    case 1062:
    case 1451:
    case 1452:
      return FailureCause::Constraint;
    case 1040:  // Too many connections.
    case 1047:  // Galera: this node has no quorum.
    case 1290:
    case 1836:
      return FailureCause::Unavailable;
    case 1053:  // The server shuts down.
    case 1152:
    case 1158:
    case 1159:
    case 1160:
    case 1161:
    case 1927:  // Killed.
    case 2002:
    case 2003:
    case 2006:
    case 2013:
    case 2055:
      return FailureCause::ConnectionLost;
    default:
      return FailureCause::Other;
  }
}

bool says_aborted(unsigned code) {
  switch (cause_of(code)) {
    case FailureCause::Serialization:
    case FailureCause::Deadlock:
    case FailureCause::Constraint:
      return true;
    default:
      return code == 1205;
  }
}

}  // namespace serval::mariadb
