#!/usr/bin/env bash
# Fuzzes with libFuzzer on stable Rust: scripts/fuzz.sh [SECONDS [TARGET...]]. Without arguments 10 seconds of every target; to look
# for something new take 600 or more. Needs a C++ compiler. What is found is left in fuzz/artifacts/TARGET; minimised and
# named for what it shows it goes to fuzz/seeds/TARGET, where tests/fuzz_seeds.rs replays it. What a run learns stays in fuzz/corpus
# (not committed), so that the next one goes on from there.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-10}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(position_text move_sequence table_file http_query batch_line)

# The instrumentation of cargo-fuzz, which needs no nightly compiler when no sanitizer is asked for: Rust's own checks are on instead.
# With --target so that build scripts and macros go without it.
flags="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
flags+=" -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
flags+=" -Cllvm-args=-sanitizer-coverage-trace-compares"
host=$(rustc -vV | sed -n 's/^host: //p')
build=${CARGO_TARGET_DIR:-target}/fuzz
RUSTFLAGS="$flags" cargo build --release --manifest-path fuzz/Cargo.toml --target "$host" --target-dir "$build"

commit=$(git rev-parse --short=12 HEAD)$(git diff --quiet HEAD -- src fuzz Cargo.toml || echo -dirty)
export RAYON_NUM_THREADS=1
for target in "${targets[@]}"; do
    echo "fuzz: $target, $seconds s"
    mkdir -p "fuzz/corpus/$target" "fuzz/artifacts/$target"
    log=fuzz/artifacts/$target/log
    echo "commit $commit, $(date -u +%Y-%m-%d)" >"$log"
    # Long inputs say nothing new; an input that takes a minute or a gigabyte is a finding.
    "$build/$host/release/$target" -max_total_time="$seconds" -max_len=4096 -timeout=60 -rss_limit_mb=1024 -print_final_stats=1 \
        -artifact_prefix="fuzz/artifacts/$target/" "fuzz/corpus/$target" "fuzz/seeds/$target" >>"$log" 2>&1 ||
        { tail -n 60 "$log"; exit 1; }
    grep -E 'cov: .*DONE|stat::(number_of_executed_units|peak_rss_mb)' "$log"
done
