#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compare.sh BOARD CHECKOUT - is the image that was made in another checkout of this commit the same? Lists what differs.
set -euo pipefail
# shellcheck source=board/lib.sh
. "$(dirname "$0")/lib.sh"
board=${1:?board} other=$(realpath "${2:?another checkout}")/.build/board
image=martlet-$board-$(cat "$built/$board/version").img
sha256sum "$built/images/$image" "$other/images/$image"
if cmp -s "$built/images/$image" "$other/images/$image"; then
    echo "the same, octet for octet"
    exit 0
fi
# diff cannot compare device files, and says so of each.
diff -rq --no-dereference "$built/$board/root" "$other/$board/root" 2>/dev/null | grep -v ' is a character special file ' || :
diff -rq "$built/$board/boot" "$other/$board/boot" || :
fail "they differ"
