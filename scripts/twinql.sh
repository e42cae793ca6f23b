# Sourced from the repository root by scripts that run twinql: $twinql is the program that TWINQL_BIN names, or else the one
# built here. Scripts that these call find it in TWINQL_BIN.
if [ -z "${TWINQL_BIN:-}" ]; then
  cargo build --release --locked --workspace --bin twinql
  TWINQL_BIN=${CARGO_TARGET_DIR:-target}/release/twinql
fi
export TWINQL_BIN
twinql=$TWINQL_BIN
