#!/usr/bin/env bash
# Measures the search on the suite of tests/positions and writes results/search.txt. Run it from a clean checkout on an otherwise idle
# machine; takes about seven minutes on two cores. The tables up to 16 seeds are in the directory given, else $OJU_TABLES, else ./tables
# (scripts/tables.sh builds them).
set -euo pipefail
cd "$(dirname "$0")/.."
tables=${1:-${OJU_TABLES:-tables}}
cargo build --release --benches
commit=$(git rev-parse --short HEAD)$(git diff --quiet HEAD -- src benches tests/positions Cargo.lock || echo -dirty)
machine="$(nproc) cores, $(free -g | awk '/^Mem/ {print $2}') GiB"
{
    echo "# commit $commit, $(date -u +%Y-%m-%d), $machine"
    for arguments in \
        "ayoayo hoyito --tables $tables --threads 2 --worst 3" \
        "ayoayo hoyito --tables $tables --threads 2 --hard-quarter 3 --worst 0"; do
        echo "\$ cargo bench --bench search -- ${arguments//$tables/tables}"
        # shellcheck disable=SC2086 # the arguments are words
        cargo bench --quiet --bench search -- $arguments
    done
} | tee results/search.txt
