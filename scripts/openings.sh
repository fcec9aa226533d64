#!/usr/bin/env bash
# The opening trees in results/openings/: one CSV file a profile, positions on the way included, and runs.txt, which says how each was made.
# Takes about an hour on two cores. Tables are looked for in $OJU_TABLES, else ./tables: up to 16 seeds as `oju build` makes them, those of
# hoyito-opponent up to 20, none of hoyito12. What has been found exactly is not searched again.
# Profiles named as arguments are done alone.
set -euo pipefail
cd "$(dirname "$0")/.."
export OJU_TABLES=${OJU_TABLES:-tables}
mkdir -p results/openings
cargo build --release
oju=${CARGO_TARGET_DIR:-target}/release/oju
runs=results/openings/runs.txt
commit=$(git rev-parse --short HEAD)$(git diff --quiet HEAD -- src Cargo.lock || echo -dirty)
machine="$(nproc) cores, $(free -g | awk '/^Mem/ {print $2}') GiB"

# Profile, plies, and more options. A tree that is not exact is exit code 1, which is no failure here.
tree() {
    local profile=$1 plies=$2 status=0 begun=$SECONDS
    [[ -z "$wanted" || " $wanted " == *" $profile "* ]] || return 0
    local arguments=(openings "$profile" --plies "$plies" --inner --resume -o "results/openings/$profile.csv" "${@:3}")
    "$oju" "${arguments[@]}" || status=$?
    [ "$status" -le 1 ] || exit "$status"
    touch "$runs"
    sed -i "/ openings $profile /d" "$runs"
    echo "commit $commit, $(date -u +%Y-%m-%d), $machine, $((SECONDS - begun)) s, exit code $status: oju ${arguments[*]}" >>"$runs"
}

wanted=$*
# Many searches that share what they prove are faster with small tables.
tree ayoayo 6 --tt 32M --time none
for profile in ayoayo-holder ayoayo-pratt hoyito; do
    tree "$profile" 5 --tt 32M --time none
done
tree hoyito-opponent 3 --time 5s
tree hoyito12 2 --time 4s
