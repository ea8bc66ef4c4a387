#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make-image.sh BOARD [PACKAGE.deb] - all of it: the tools, martlet for the board, its package, the root tree, the image.
set -euo pipefail
# shellcheck source=board/lib.sh
. "$(dirname "$0")/lib.sh"
board=${1:?board}
[ -e "$board_folder/$board/board.sh" ] || fail "make-image: no board \"$board\" (see board/README.md)"
package=${2:-}

"$board_folder/tools.sh"
if [ -z "$package" ]; then
    "$board_folder/build-arm64.sh"
    rm -f "$repository"/.build/deb/martlet_*_arm64.deb
    make -s -C "$repository" deb ARCH=arm64 BINARY="$built/bin/martlet"
    package=$(echo "$repository"/.build/deb/martlet_*_arm64.deb)
fi
"$board_folder/rootfs.sh" "$board" "$package"
"$board_folder/image.sh" "$board"
"$board_folder/release.sh" "$board"
