#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bundle.sh BOARD - the root file system that image.sh made, as a signed update: …/images/martlet-BOARD-VERSION.raucb
set -euo pipefail
# shellcheck source=board/lib.sh
. "$(dirname "$0")/lib.sh"
board=${1:?board}
# shellcheck source=board/rpi/board.sh
. "$board_folder/$board/board.sh"
version=${BUNDLE_VERSION:-$(cat "$built/$board/version")}
rootfs=${ROOTFS:-$built/$board/rootfs.ext4}
schema=$(sed -n 's/.*static let version = //p' "$repository/Sources/Journal/File/JournalSchema.swift")
[[ $schema =~ ^[0-9]+$ ]] || fail "bundle: no number of a schema is in JournalSchema.swift: «$schema»"
bundle=${BUNDLE:-$built/images/martlet-$board-$version.raucb}
keys=$("$board_folder/keys.sh")

work=$(mktemp -d "$built/bundle.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/content" "$work/keys"
cp --sparse=always "$rootfs" "$work/content/rootfs.img"
cp "$keys"/update.{key,crt} "$work/keys/"
cat >"$work/content/manifest.raucm" <<END
[update]
compatible=$compatible
version=$version
description=journal schema $schema

[bundle]
format=verity

[image.rootfs]
filename=rootfs.img
END
in_chroot "$rig/tools" "
    cd /build/${work##*/}
    rauc bundle --cert=keys/update.crt --key=keys/update.key --mksquashfs-args='-comp zstd -Xcompression-level 15' \
        content update.raucb
    rauc info --keyring=keys/update.crt update.raucb" >"$built/bundle.log" 2>&1 ||
    { tail -20 "$built/bundle.log" >&2; fail "bundle: failed, see $built/bundle.log"; }
accepted=$(in_chroot "$rig/tools" \
    "debugfs -R 'cat /etc/rauc/keyring.pem' /build/${work##*/}/content/rootfs.img 2>/dev/null")
[ "$accepted" = "$(cat "$keys/update.crt")" ] ||
    say "bundle: what is in it takes further updates only of another key pair than the one that signs this one"
mv "$work/update.raucb" "$bundle"
say "bundle: $bundle, $(($(stat -c %s "$bundle") / 1000000)) MB"
