#!/usr/bin/env bash
# The suite of positions, tests/positions/*.csv: random games played again, every value computed twice. A file is replaced only where
# the two agree. Table files go to the directory given, else $OJU_TABLES, else ./tables; what is there is not built
# again. Third number: seconds one position may take in one engine; stand-offs, which no time is enough for, are left to the tables.
set -euo pipefail
cd "$(dirname "$0")/.."
tables=${1:-${OJU_TABLES:-tables}}
cargo build --release --bin oju --example make_suite
while read -r profile seeds seconds; do
    target/release/oju build "$profile" --seeds "$seeds" --tables "$tables"
    target/release/examples/make_suite "$profile" "$tables" "$seconds" >"tests/positions/$profile.csv.new"
    mv "tests/positions/$profile.csv.new" "tests/positions/$profile.csv"
done <<END
ayoayo 16 600
ayoayo-holder 16 600
ayoayo-pratt 16 600
hoyito 16 600
hoyito-opponent 20 1
hoyito12 8 1
END
