#!/usr/bin/env bash
# The large tables: Ayoayo up to 24 seeds, Hoyito II up to 28, and up to 12 on 2x12; verified, their statistics in
# results/. Takes an hour or two on two cores, 8 GiB of memory and about 2 GiB of disk. May be killed at any time: run it again.
# They go to the directory given, else $OJU_TABLES, else ./tables; profiles named after it are built alone.
set -euo pipefail
cd "$(dirname "$0")/.."
tables=${1:-${OJU_TABLES:-tables}}
cargo build --release
oju=target/release/oju
commit=$(git rev-parse --short HEAD)$(git diff --quiet HEAD -- src Cargo.lock || echo -dirty)
for tier in ayoayo:24:23 hoyito:28:24 hoyito12:12:8; do
    IFS=: read -r profile seeds below <<<"$tier"
    [[ $# -lt 2 || " ${*:2} " == *" $profile "* ]] || continue
    log=results/tables/$profile.log
    mkdir -p results/tables
    {
        echo "# commit $commit, $(date -u +%Y-%m-%d), $(nproc) cores, $(free -g | awk '/^Mem/ {print $2}') GiB"
        echo "\$ oju build $profile --seeds $seeds"
        "$oju" build "$profile" --seeds "$seeds" --tables "$tables" 2>&1 | grep -v ' % done; '
        echo "\$ oju verify $profile --deep --seeds $below"
        "$oju" verify "$profile" --deep --seeds "$below" --tables "$tables"
        echo "\$ oju verify $profile"
        "$oju" verify "$profile" --tables "$tables"
        echo "\$ oju verify $profile --sample 40"
        "$oju" verify "$profile" --sample 40 --tables "$tables"
        echo "\$ oju info $profile"
        "$oju" info "$profile" --tables "$tables"
    } | tee "$log"
    "$oju" info "$profile" --json --tables "$tables" >"results/tables/$profile.json"
done
