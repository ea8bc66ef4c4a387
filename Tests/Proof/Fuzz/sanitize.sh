#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: sanitize.sh address|thread [ARGUMENT OF swift test …]
# Builds the tests with a sanitizer, in a folder of their own, and runs them: all, or those that the arguments name.
set -euo pipefail
cd "$(dirname "$0")/../../.."
kind=${1:?address or thread}
shift

# lld: gold, the default linker, warns about the sanitizers' runtimes.
options=(--sanitize="$kind" --scratch-path ".build/$kind" -Xswiftc -use-ld=lld)
swift build --build-tests "${options[@]}"

# Swift's own crash reports can take minutes; the sanitizers have theirs.
export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS=detect_leaks=1,suppressions=$PWD/Tests/Proof/Fuzz/overreads.txt
export LSAN_OPTIONS=suppressions=$PWD/Tests/Proof/Fuzz/leaks.txt,print_suppressions=0
export TSAN_OPTIONS=halt_on_error=0,exitcode=66,suppressions=$PWD/Tests/Proof/Fuzz/races.txt
if [ "$kind" = thread ]; then
    clang -std=c11 -O1 -Wall -Wextra -Werror -shared -fPIC -fuse-ld=lld -o .build/thread/mutex.so Tests/Proof/Fuzz/mutex.c
    export LD_PRELOAD=$PWD/.build/thread/mutex.so
fi
# There is no test for XCTest, whose empty run leaks.
run=(swift test --skip-build --disable-xctest "${options[@]}")
if [ $# -gt 0 ]; then exec "${run[@]}" "$@"; fi
# Programs that wait for each other in real time need the machine for themselves, slow as they are here.
alone='^CoreBluetoothTests\.|CacheWiringTests|PairingProcessTests|StrangerTests|IndicationTests'
status=0
"${run[@]}" --skip "$alone" || status=$?
"${run[@]}" --no-parallel --filter "$alone" || status=$?
exit $status
