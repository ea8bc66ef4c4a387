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
if [ -z "$package" ]; then
    as_user swift --version >/dev/null 2>&1 ||
        fail "make-image: swift does not run here; is it on root's PATH? Try: sudo env PATH=\"\$PATH\" make image"
    as_user "$board_folder/deb/toolchain.sh" >/dev/null
fi

"$board_folder/tools.sh"
if [ -z "$package" ]; then
    "$board_folder/build-arm64.sh"
    rm -f "$repository"/.build/deb/martlet_*_arm64.deb
    # What runs here and the notices of licences are of the versions that the board's program is linked with.
    cp "$board_folder/swift-packages.json" "$repository/Package.resolved"
    own "$repository/Package.resolved"
    make -s -C "$repository" deb-needs
    as_user make -s -C "$repository" deb ARCH=arm64 BINARY="$built/bin/martlet"
    package=$(echo "$repository"/.build/deb/martlet_*_arm64.deb)
fi
"$board_folder/rootfs.sh" "$board" "$package"
"$board_folder/image.sh" "$board"
"$board_folder/release.sh" "$board"
