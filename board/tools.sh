#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools.sh - a chroot with every tool that makes and boots images, so that the machine itself needs none of them.
set -euo pipefail
# shellcheck source=board/lib.sh
. "$(dirname "$0")/lib.sh"

tools=(ca-certificates genimage qemu-system-arm qemu-user-static e2fsprogs dosfstools mtools fdisk squashfs-tools
    xz-utils rauc openssl u-boot-tools u-boot-qemu device-tree-compiler bmap-tools systemd shellcheck libarchive13t64)
wanted="$target_suite $mirror ${tools[*]}"
[ "$(cat "$rig/tools.made" 2>/dev/null)" != "$wanted" ] || exit 0

need_host
say "tools: a $target_suite chroot, about 1.4 GB"
clear_tree "$rig/tools"
mmdebstrap --variant=minbase --architectures=amd64 --include="$(IFS=, && echo "${tools[*]}")" \
    "$target_suite" "$rig/tools" "$(source_line "$target_suite" 'main non-free-firmware')" >"$rig/tools.log" 2>&1 ||
    fail "tools: failed, see $rig/tools.log"
echo "$wanted" >"$rig/tools.made"
say "tools: ready"
