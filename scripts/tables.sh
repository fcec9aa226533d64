#!/usr/bin/env bash
# The tables that searches like best: Ayoayo and Hoyito II up to 16 seeds, forced intervals included. About
# half a minute on two cores. They go to the directory given, else $OJU_TABLES, else ./tables. What is there is not built again.
set -euo pipefail
cd "$(dirname "$0")/.."
tables=${1:-${OJU_TABLES:-tables}}
cargo build --release
for profile in ayoayo hoyito; do
    target/release/oju build "$profile" --seeds 16 --forced --tables "$tables"
done
