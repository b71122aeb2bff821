#!/usr/bin/env bash
# A race in PostgreSQL's SERIALIZABLE with psql alone: three transactions without a serial order, all of which commit.
#
#   server=$(scripts/servers start postgres --set max_locks_per_transaction=500)
#   examples/postgres_commit_race.sh "$server" [ROUNDS [LOCKS]]
#
# Defaults: 30 rounds, 20000 locks. Exit code: 1 if all three committed in some round, 0 if one was refused in every round.
#
#   out    writes y, takes LOCKS shared advisory locks, commits
#   in     waits until it sees what out wrote, takes its snapshot, reads y
#   pivot  has written x and has read y before out wrote it; commits as soon as in has its snapshot
#   in     reads x once out's commit has returned, does not see pivot, writes z, commits
#
# in before pivot (x), pivot before out (y), out before in (y): a cycle. A commit is visible to others before it counts as
# committed for serializability, and PostgreSQL releases the transaction's ordinary locks in between. Many advisory
# locks widen that window from microseconds to milliseconds; they are not part of the anomaly itself
# (docs/bugs/postgresql-commit-race.md). Advisory locks 1 to 4 only make the sessions wait for each other.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,/^set -/{/^set -/!s/^# \{0,1\}//p}' "$0" >&2; exit 64; }
address=$1 rounds=${2:-30} locks=${3:-20000}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PGOPTIONS='-c enable_seqscan=off -c enable_bitmapscan=off -c client_min_messages=error'

ask() { psql -X -q -A -t -v ON_ERROR_STOP=1 "$address" "$@"; }
run_in_background() { psql -X -q -A -t "$address" <&0 >"$scratch/$1" 2>&1 & }

# Waits until some session holds the advisory lock.
until_held() {
  local tries
  for tries in $(seq 500); do
    [ "$(ask -c "select count(*) from pg_locks where locktype = 'advisory' and granted and objid = $1")" = 0 ] || return 0
    sleep 0.01
  done
  echo "no session took advisory lock $1 in $tries tries" >&2
  exit 69
}

start_in() {
  run_in_background in <<'SQL'
select pg_advisory_lock(2);
do $$ begin for i in 1 .. 20000 loop exit when (select v = 1 from race_y where k = 500); perform pg_sleep(0.001); end loop; end $$;
begin isolation level serializable;
select v from race_y where k = 500;
select pg_advisory_unlock(2);
select pg_advisory_lock(3), pg_advisory_lock(4);
select v from race_x where k = 500;
update race_z set v = 1 where k = 500;
commit;
SQL
}

start_pivot() {
  run_in_background pivot <<'SQL'
select pg_advisory_lock(1), pg_advisory_lock(3);
begin isolation level serializable;
update race_x set v = 1 where k = 500;
select v from race_y where k = 500;
select pg_advisory_unlock(1);
select pg_advisory_lock(2);
commit;
select pg_advisory_unlock(3);
SQL
}

start_out() {
  run_in_background out <<SQL
select pg_advisory_lock(4);
begin isolation level serializable;
update race_y set v = 1 where k = 500;
select count(pg_advisory_xact_lock_shared(1000 + g)) from generate_series(1, $locks) g;
select pg_advisory_xact_lock_shared(1);
commit;
select pg_advisory_unlock(4);
SQL
}

# Prints how many of the three transactions committed.
play() {
  ask -c "update race_x set v = 0 where k = 500; update race_y set v = 0 where k = 500; update race_z set v = 0 where k = 500"
  start_in
  until_held 2
  start_pivot
  until_held 3
  start_out
  wait
  ask -c "select x.v + y.v + z.v from race_x x, race_y y, race_z z where x.k = 500 and y.k = 500 and z.k = 500"
}

if ! ask -c "select count(pg_advisory_xact_lock_shared(1000 + g)) from generate_series(1, $locks) g" >/dev/null; then
  echo "the server cannot take $locks locks: raise max_locks_per_transaction" >&2
  exit 69
fi
for table in x y z; do
  ask -c "drop table if exists race_$table" -c "create table race_$table as select k, 0 as v from generate_series(1, 1000) k" \
      -c "alter table race_$table add primary key (k)"
done
all=0
for _ in $(seq "$rounds"); do
  committed=$(play)
  [ "$committed" != 3 ] || all=$((all + 1))
done
ask -c "drop table race_x, race_y, race_z"
lock_word=locks
[ "$locks" != 1 ] || lock_word=lock
echo "$(ask -c 'show server_version'): all three committed in $all of $rounds rounds ($locks $lock_word)"
[ "$all" -eq 0 ]
