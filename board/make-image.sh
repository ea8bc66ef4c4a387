#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make-image.sh BOARD [PACKAGE.deb] - all of it: the tools, martlet for the board, its package, the root tree, the image.
set -euo pipefail
# shellcheck source=board/lib.sh
. "$(dirname "$0")/lib.sh"
board=${1:?board}
[ -e "$board_folder/$board/board.sh" ] || fail "make-image: no board \"$board\" (see board/README.md)"
package=${2:-}
# For the manual page and the licences of the package, which are made by a martlet that runs here.
[ -n "$package" ] || command -v swift >/dev/null || fail "make-image: swift is not on root's PATH; try: sudo env PATH=\"\$PATH\" make image"

"$board_folder/tools.sh"
if [ -z "$package" ]; then
    "$board_folder/build-arm64.sh"
    rm -f "$repository"/.build/deb/martlet_*_arm64.deb
    # What runs here and the notices of licences are of the versions that the board's program is linked with.
    cp "$board_folder/swift-packages.json" "$repository/Package.resolved"
    make -s -C "$repository" deb ARCH=arm64 BINARY="$built/bin/martlet"
    package=$(echo "$repository"/.build/deb/martlet_*_arm64.deb)
fi
"$board_folder/rootfs.sh" "$board" "$package"
"$board_folder/image.sh" "$board"
"$board_folder/release.sh" "$board"
# What sudo has built beside .build/board is for the user who builds there, too.
[ -z "${SUDO_UID:-}" ] ||
    find "$repository/.build" "$repository/Package.resolved" -path "$built" -prune -o -exec chown -h "$SUDO_UID:${SUDO_GID:-}" {} +
