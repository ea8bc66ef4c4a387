#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# base.sh BOARD - Debian for the board, in .rig/board/base-BOARD: the packages, nothing of ours yet. Six minutes of
# emulated maintainer scripts, so it is kept; REFRESH=1 makes it anew, with Debian's updates since. No initrd: rootfs.sh
# makes it.
set -euo pipefail
# shellcheck source=board/lib.sh
. "$(dirname "$0")/lib.sh"
board=${1:?board}
# shellcheck source=board/rpi/board.sh
. "$board_folder/$board/board.sh"
base=$rig/base-$board
log=$base.log
need_host

packages=$(sed 's/#.*//' "$board_folder/packages.list" | xargs echo "$kernel_package" "${board_packages[@]}")
exclude=()
while read -r line; do
    case $line in *'*'*) pattern=$line ;; *) pattern="$line/*" ;; esac
    exclude+=(--dpkgopt="path-exclude=/usr/lib/modules/*/kernel/$pattern")
done < <(grep -v '^#' "$board_folder/kernel-modules.exclude")

wanted="$target_suite $mirror $security_mirror $architecture $packages ${exclude[*]}"
[ -n "${REFRESH:-}" ] || [ "$(cat "$base.made" 2>/dev/null)" != "$wanted" ] || exit 0

# shellcheck source=board/binfmt.sh
. "$board_folder/binfmt.sh"
say "base: $(wc -w <<<"$packages") Debian packages for $architecture, and what they need (about six minutes)"
clear_tree "$base"
rm -f "$base.made"
mmdebstrap --variant=essential --architectures="$architecture" --skip=check/qemu "${exclude[@]}" \
    --dpkgopt='path-exclude=/usr/share/i18n/*' --dpkgopt='path-exclude=/usr/lib/linux-image-*/[!b]*' \
    --dpkgopt='path-exclude=/etc/kernel/postinst.d/*' --include="${packages// /,}" \
    "$target_suite" "$base" - < <(source_lines "$target_suite" 'main non-free-firmware') >"$log" 2>&1 ||
    { tail -20 "$log" >&2; fail "base: failed, see $log"; }
echo "$wanted" >"$base.made"
say "base: $(du -sm "$base" | cut -f 1) MB"
