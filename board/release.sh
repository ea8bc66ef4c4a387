#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# release.sh BOARD - what people download, from the image that image.sh made: .img.xz, and beside it .bmap, .sha256,
# .rpi-imager-manifest (Raspberry Pi Imager's way to it; IMAGE_URL= says in which folder of the web) and .sbom.spdx.json.
set -euo pipefail
# shellcheck source=board/lib.sh
. "$(dirname "$0")/lib.sh"
board=${1:?board}
# shellcheck source=board/rpi/board.sh
. "$board_folder/$board/board.sh"
version=$(cat "$built/$board/version")
images=$built/images
name=martlet-$board-$version

say "release: compressing"
in_chroot "$rig/tools" "
    cd /build/images
    bmaptool create -o $name.bmap $name.img
    # In blocks of one size, so that the number of processors makes no difference.
    xz -k -f -T0 -6 --block-size=64MiB $name.img"
"$board_folder/manifest.py" "$images/$name.img" "$board_name" "$imager_devices" "$version" "${IMAGE_URL:-}" \
    >"$images/$name.rpi-imager-manifest"
cp "$built/$board/sbom.spdx.json" "$images/$name.sbom.spdx.json"
(cd "$images" && sha256sum "$name.img.xz" >"$name.sha256")
say "release: $images/$name.img.xz, $(($(stat -c %s "$images/$name.img.xz") / 1000000)) MB"
