#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build-arm64.sh - cross-compiles martlet for aarch64: .build/board/bin/martlet, stripped, and martlet.debug beside it.
set -euo pipefail
# shellcheck source=board/lib.sh
. "$(dirname "$0")/lib.sh"
"$board_folder/swift-sdk.sh"

say "martlet for arm64: building (about six minutes the first time)"
# The compiler sees a copy, whose path is the same wherever the repository lies, and cannot write into the repository.
copy=$built/source
mkdir -p "$copy" "$built/bin"
tar -C "$repository" -cf - Package.swift Sources Tests |
    (rm -rf "${copy:?}"/* && tar -C "$copy" -xf -)
cp "$board_folder/swift-packages.json" "$copy/Package.resolved"
cp "$board_folder/exports.map" "$built/exports.map"
"$board_folder/icu_data.py" "$rig"/sdk/*/arm64/sysroot/usr/lib/swift_static/linux/lib_FoundationICU.a "$built/icu"
# The name servers of now, not of the day on which the chroot was made.
[ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$rig/compiler/etc/resolv.conf"
in_chroot "$rig/compiler" "
    (cd /build/icu && clang --target=aarch64-linux-gnu -c -o icudata.o icudata.s)
    cd /build/source
    swift build -c release --product martlet --force-resolved-versions \
        --swift-sdks-path /rig/sdk --swift-sdk debian-$target_suite-arm64 --scratch-path /build/arm64 \
        --static-swift-stdlib -Xlinker --gc-sections -Xlinker -z -Xlinker pack-relative-relocs \
        -Xlinker --version-script=/build/exports.map \
        -Xlinker /build/icu/icudata.o -Xlinker /build/icu/icudata.ld
    cp /build/arm64/aarch64-unknown-linux-gnu/release/martlet /build/bin/martlet.debug
    llvm-objcopy --strip-all /build/bin/martlet.debug /build/bin/martlet
" >"$built/arm64.log" 2>&1 || { tail -30 "$built/arm64.log" >&2; fail "martlet for arm64: failed, see $built/arm64.log"; }
say "martlet for arm64: $(stat -c %s "$built/bin/martlet") octets"
