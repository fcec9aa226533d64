#!/usr/bin/env bash
# Tables with forced intervals up to 16 seeds, and their statistics in results/tables/*-forced.json: the share of stand-offs by tier. Takes
# some minutes on two cores. They go to the directory given, else $OJU_TABLES, else ./tables.
set -euo pipefail
cd "$(dirname "$0")/.."
tables=${1:-${OJU_TABLES:-tables}}
cargo build --release
oju=${CARGO_TARGET_DIR:-target}/release/oju
for profile in ayoayo hoyito hoyito-opponent; do
    "$oju" build "$profile" --seeds 16 --forced --tables "$tables"
    "$oju" info "$profile" --json --tables "$tables" >"results/tables/$profile-forced.json"
done
commit=$(git rev-parse --short HEAD)$(git diff --quiet HEAD -- src Cargo.lock || echo -dirty)
echo "commit $commit, $(date -u +%Y-%m-%d), $(nproc) cores, $(free -g | awk '/^Mem/ {print $2}') GiB: scripts/forced_tables.sh" \
    >results/tables/forced.txt
