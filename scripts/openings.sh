#!/usr/bin/env bash
# The opening trees in results/openings/: one CSV file a profile, positions on the way included. The Ayoayo profiles take the better part
# of an hour each on two cores, the others up to the limits given here. What is there is gone on with. Tables: as scripts/tables.sh makes them.
set -euo pipefail
cd "$(dirname "$0")/.."
export OJU_TABLES=${OJU_TABLES:-tables}
mkdir -p results/openings
cargo build --release

# Profile, plies, and more options. A tree that is not exact is exit code 1, which is no failure here.
tree() {
    local profile=$1 plies=$2
    shift 2
    local status=0
    target/release/oju openings "$profile" --plies "$plies" --inner --resume \
        -o "results/openings/$profile.csv" "$@" || status=$?
    [ "$status" -le 1 ] || exit "$status"
}

# Many short searches that share what they prove are faster with small tables.
for profile in ayoayo ayoayo-holder ayoayo-pratt; do
    tree "$profile" 6 --tt 64M --time-per-position none
done
tree hoyito 5 --time-per-position none
tree hoyito-opponent 4 --time-per-position 10s
tree hoyito12 2 --time-per-position 60s --tt 2G
