#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# toolchain.sh - prints the folder of the Swift toolchain, with bin/llvm-objcopy and share/swift/LICENSE.txt. What swift on
# the PATH is does not say it: it may only start the one that was chosen (swiftly).
set -euo pipefail
resources=$(swift -print-target-info 2>/dev/null | sed -n 's/.*"runtimeResourcePath": *"\(.*\)".*/\1/p')
toolchain=$(realpath -m "${resources:-/nonexistent}/../..")
for file in bin/llvm-objcopy share/swift/LICENSE.txt; do
    [ -e "$toolchain/$file" ] || {
        echo "$(command -v swift || echo "no swift on the PATH"): its toolchain has no $file in $toolchain" >&2
        exit 1
    }
done
echo "$toolchain"
