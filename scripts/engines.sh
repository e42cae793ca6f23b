#!/usr/bin/env bash
# Starts the engines that `cargo measure engines` asks, in a folder of their own, and prints how they are named:
#
#   eval "$(scripts/engines.sh start /tmp/engines)"
#   cargo measure engines
#   scripts/engines.sh stop /tmp/engines
#
# PostgreSQL and MariaDB from Debian (postgresql, mariadb-server), DuckDB from PyPI (duckdb-cli). What is not installed is
# named on standard error and left out.
set -euo pipefail

usage() {
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
[ $# -eq 2 ] || usage
what=$1
folder=$2

# A server does not run as root: it runs as the user that its package has made.
as() {
    local user=$1
    shift
    if [ "$(id -u)" = 0 ]; then runuser -u "$user" -- "$@"; else "$@"; fi
}

missing() {
    echo "skipped: $1 is not installed" >&2
}

start_postgres() {
    local bin data=$folder/postgres
    bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1 || true)
    if [ -z "$bin" ]; then
        missing PostgreSQL
        return
    fi
    if [ ! -d "$data" ]; then
        mkdir -p "$data"
        [ "$(id -u)" != 0 ] || chown postgres "$data"
        # The C locale: texts are ordered by their bytes, as in the databases that are generated.
        as postgres "$bin/initdb" --pgdata="$data" --username=twinql --auth=trust --locale=C --encoding=UTF8 >&2
    fi
    as postgres "$bin/pg_ctl" --pgdata="$data" --wait --log="$data/log" \
        --options="-c listen_addresses='' -c unix_socket_directories='$data' -c fsync=off" start >&2
    echo "export TWINQL_POSTGRES='postgres:///postgres?host=$data&user=twinql'"
}

start_mariadb() {
    local data=$folder/mariadb
    if ! command -v mariadbd >/dev/null; then
        missing MariaDB
        return
    fi
    if [ ! -d "$data" ]; then
        mkdir -p "$data"
        [ "$(id -u)" != 0 ] || chown mysql "$data"
        as mysql mariadb-install-db --datadir="$data" --auth-root-authentication-method=normal --skip-test-db >&2
    fi
    as mysql mariadbd --no-defaults --datadir="$data" --socket="$data/socket" --pid-file="$data/pid" --skip-networking \
        --skip-grant-tables >"$data/log" 2>&1 &
    for _ in $(seq 60); do
        [ -S "$data/socket" ] && break
        sleep 0.5
    done
    echo "export TWINQL_MYSQL='mysql:$data/socket'"
}

case $what in
start)
    mkdir -p "$folder"
    chmod 755 "$folder"
    start_postgres
    start_mariadb
    if command -v duckdb >/dev/null; then echo "export TWINQL_DUCKDB=duckdb"; else missing DuckDB; fi
    ;;
stop)
    for pid in "$folder/postgres/postmaster.pid" "$folder/mariadb/pid"; do
        [ ! -e "$pid" ] || kill "$(head -1 "$pid")"
    done
    ;;
*) usage ;;
esac
