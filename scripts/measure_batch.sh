#!/usr/bin/env bash
# How many positions a second `oju batch` answers, on one thread and on two: the suites of tests/positions, over tables up to 16 seeds in the
# directory given, else $OJU_TABLES, else ./tables. Writes results/batch.txt. Takes some minutes, best while nothing else runs.
set -euo pipefail
cd "$(dirname "$0")/.."
tables=${1:-${OJU_TABLES:-tables}}
cargo build --release
oju=${CARGO_TARGET_DIR:-target}/release/oju
commit=$(git rev-parse --short HEAD)$(git diff --quiet HEAD -- src Cargo.lock || echo -dirty)
{
    echo "# commit $commit, $(date -u +%Y-%m-%d), $(nproc) cores, $(free -g | awk '/^Mem/ {print $2}') GiB"
    for profile in ayoayo hoyito; do
        for threads in 1 2; do
            echo "\$ oju batch $profile tests/positions/$profile.csv --threads $threads --time none"
            "$oju" batch "$profile" "tests/positions/$profile.csv" --threads "$threads" --time none --tables "$tables" 2>&1 >/dev/null |
                grep ' lines: ' | awk '{gsub(",", "", $2); printf "%s, %.1f positions a second\n", substr($0, 6), $2 / $(NF - 1)}'
        done
    done
} | tee results/batch.txt
