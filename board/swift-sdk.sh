#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# swift-sdk.sh - the cross compiler:
#
#   .rig/board/compiler    a sid/amd64 chroot with Debian's swiftlang
#   .rig/board/sdk         a Swift SDK for aarch64: the headers and libraries of what runs on the boards, and the arm64
#                          standard library out of sid's packages. It needs glibc 2.38; the boards have 2.41.
set -euo pipefail
# shellcheck source=board/lib.sh
. "$(dirname "$0")/lib.sh"

wanted="$swift_version $compiler_suite $target_suite $mirror $package_mirror"
[ "$(cat "$rig/sdk.made" 2>/dev/null)" != "$wanted" ] || exit 0
need_host

if [ "$(cat "$rig/compiler.made" 2>/dev/null)" != "$wanted" ]; then
    say "compiler: a $compiler_suite chroot with Swift $swift_version, about 4 GB"
    clear_tree "$rig/compiler"
    mmdebstrap --variant=minbase --architectures=amd64 \
        --include="ca-certificates,git,libc6-dev,g++,swiftlang=$swift_version,libswiftlang=$swift_version" \
        "$compiler_suite" "$rig/compiler" "$(source_line "$compiler_suite" main)" >"$rig/compiler.log" 2>&1 ||
        fail "compiler: failed, see $rig/compiler.log. Does $compiler_suite have another Swift by now? See board/versions.sh."
    {
        printf '[safe]\n\tdirectory = *\n'
        [ -z "$package_mirror" ] || printf '[url "%s"]\n\tinsteadOf = https://github.com/\n' "$package_mirror"
    } >"$rig/compiler/root/.gitconfig"
    echo "$wanted" >"$rig/compiler.made"
fi

bundle=$rig/sdk/debian-$target_suite-arm64.artifactbundle
sysroot=$bundle/arm64/sysroot
say "Swift SDK: $target_suite/arm64 and the standard library, about 500 MB to fetch"
rm -rf "$rig/sdk"
mkdir -p "$bundle/arm64"
# Unpacked only: no maintainer script runs, so nothing needs emulation.
mmdebstrap --variant=extract --architectures=arm64 \
    --include=libc6-dev,libgcc-14-dev,libstdc++-14-dev,linux-libc-dev,libsqlite3-dev,libbluetooth-dev,libmicrohttpd-dev,libmosquitto-dev,libqrencode-dev,libssl-dev,libsystemd-dev,libtomlplusplus-dev,libcurl4-openssl-dev \
    "$target_suite" "$sysroot" "$(source_line "$target_suite" main)" >"$rig/sdk.log" 2>&1 ||
    fail "Swift SDK: failed, see $rig/sdk.log"
# base-files, which merges /lib into /usr/lib, is not among them; libc.so is a linker script that names /lib.
ln -sfn usr/lib "$sysroot/lib"
ln -sfn usr/bin "$sysroot/bin"
find "$sysroot" -xtype l -lname '/*' | while read -r link; do
    ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$sysroot$(readlink "$link")")" "$link"
done
fetch_packages "$compiler_suite" arm64 "$rig/downloads" "swiftlang=$swift_version" "libswiftlang=$swift_version"
unpacked=$rig/tmp/swift-arm64
rm -rf "$unpacked"
mkdir -p "$unpacked"
for package in swiftlang libswiftlang; do
    # Which of the folders a package has differs; tar says so of those that are not there.
    dpkg-deb --fsys-tarfile "$rig/downloads/${package}_${swift_version}_arm64.deb" |
        tar -x -C "$unpacked" --wildcards --exclude='*/swift/host/*' --exclude='*/swift/embedded/*' \
            --exclude='*/swift/pm/*' './usr/libexec/swift/lib/swift/*' './usr/libexec/swift/lib/swift_static/*' \
            './usr/libexec/swift/lib/clang/*' 2>>"$rig/sdk.log" || :
done
# The driver looks for swiftrt.o in usr/lib/swift*, whatever -resource-dir says.
cp -a "$unpacked/usr/libexec/swift/lib/." "$sysroot/usr/lib/"
rm -rf "$unpacked"
[ -e "$sysroot/usr/lib/swift_static/linux/libswiftCore.a" ] || fail "Swift SDK: no standard library, see $rig/sdk.log"

cat >"$bundle/info.json" <<END
{ "schemaVersion": "1.0", "artifacts": { "debian-$target_suite-arm64": { "type": "swiftSDK",
  "version": "$swift_release", "variants": [ { "path": "arm64",
  "supportedTriples": ["x86_64-unknown-linux-gnu", "x86_64-pc-linux-gnu"] } ] } } }
END
cat >"$bundle/arm64/swift-sdk.json" <<'END'
{ "schemaVersion": "4.0", "targetTriples": { "aarch64-unknown-linux-gnu": {
  "sdkRootPath": "sysroot", "swiftResourcesPath": "sysroot/usr/lib/swift",
  "swiftStaticResourcesPath": "sysroot/usr/lib/swift_static", "toolsetPaths": ["toolset.json"] } } }
END
cat >"$bundle/arm64/toolset.json" <<'END'
{ "schemaVersion": "1.0", "rootPath": "/usr/libexec/swift/bin",
  "linker": { "path": "ld.lld" }, "librarian": { "path": "llvm-ar" },
  "swiftCompiler": { "extraCLIOptions": ["-use-ld=lld", "-Xlinker", "--build-id=sha1"] },
  "cCompiler": { "extraCLIOptions": ["-fPIC"] } }
END
echo "$wanted" >"$rig/sdk.made"
rm -f "$rig/downloads/"*swiftlang*
say "Swift SDK: ready"
