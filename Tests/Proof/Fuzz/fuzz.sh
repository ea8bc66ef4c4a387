#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: fuzz.sh TARGET SECONDS    one target
#        fuzz.sh --smoke SECONDS   each target for so long; fails on any finding
# Builds what is fuzzed into .build/fuzz, where corpora and findings are kept as well. Starts from the inputs that the
# targets know themselves, and from those that tests have written into .build/seeds.
set -euo pipefail
cd "$(dirname "$0")/../../.."

targets=$(sed -n 's/.*static let name = "\(.*\)"/\1/p' Tests/Proof/Fuzz/martlet-fuzz/*Target.swift | sort)
if [ "${1:-}" != --smoke ] && ! grep -qx -e "${1:-}" <<< "$targets"; then
    echo "usage: make fuzz TARGET=… [SECONDS=60]"
    echo "targets:" $targets
    exit 64
fi >&2
duration=${2:-60}

# lld: gold, the default linker, warns. The program has no main function but the fuzzer's.
build=(swift build -c release --sanitize=fuzzer --scratch-path .build/fuzz -Xswiftc -use-ld=lld --product martlet-fuzz)
export MARTLET_FUZZ=1
"${build[@]}"
program=$("${build[@]}" --show-bin-path)/martlet-fuzz
program=${program#"$PWD"/}

# Swift's own crash reports can take minutes; the fuzzer has one.
export SWIFT_BACKTRACE=enable=no

# One target, TARGET SECONDS; its output goes to the log as well.
run() {
    local folder=.build/fuzz
    # What `make fuzz-seeds` has left.
    local recorded=.build/seeds/$1
    mkdir -p $folder/{corpus,seeds,findings}/"$1" $folder/log "$recorded"
    "$program" --write-seeds "$1" $folder/seeds/"$1"
    local before after
    before=$(ls $folder/findings/"$1" | wc -l)
    timeout $(($2 + 120)) "$program" "$1" -max_total_time="$2" -timeout=20 -rss_limit_mb=1024 -print_final_stats=1 \
        -artifact_prefix=$folder/findings/"$1"/ $folder/corpus/"$1" $folder/seeds/"$1" "$recorded" \
        < /dev/null > $folder/log/"$1" 2>&1 || true
    after=$(ls $folder/findings/"$1" | wc -l)
    local executions
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' $folder/log/"$1")
    if [ "$after" = "$before" ] && grep -q '^Done ' $folder/log/"$1"; then
        echo "$1: no finding in ${executions:-0} executions"
        return 0
    fi
    grep -a -m 1 -e 'broken promise' -e 'Fatal error' -e 'Assertion' -e 'ERROR' $folder/log/"$1" || tail -3 $folder/log/"$1"
    echo "$1: a FINDING, the newest in $folder/findings/$1; the whole report is in $folder/log/$1"
    echo "  again: SWIFT_BACKTRACE=enable=no $program $1 $folder/findings/$1/$(ls -t $folder/findings/"$1" | head -1)"
    return 1
}

if [ "$1" != --smoke ]; then
    run "$1" "$duration"
    exit
fi
# A target a core at a time.
status=0
for target in $targets; do
    while [ "$(jobs -pr | wc -l)" -ge "$(nproc)" ]; do wait -n || status=1; done
    run "$target" "$duration" &
done
while [ -n "$(jobs -p)" ]; do wait -n || status=1; done
exit $status
