#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lint.sh - is the image's recipe intact? Without making one: shellcheck, the units, the boot state's and the seed's own
# tests, device trees, the layout with empty partitions. Needs .rig/board/tools (made the first time: a minute).
set -euo pipefail
repository=$(cd "$(dirname "$0")/../../.." && pwd)
cd "$repository"
board/tools.sh
in_tools() { board/in-tools.sh "$1"; }

echo "shell scripts"
scripts=$(git ls-files board overlays Tests/System/Image | while read -r file; do
    case $(head -c 40 "$file" 2>/dev/null | head -n 1 | tr -d '\0') in '#!'*sh) echo "$file" ;; esac
done | tr "\n" " ")
# 1091: files of other machines are not looked into. 2016: what a chroot or awk is to expand stands in single quotes.
in_tools "cd /source; shellcheck -x -e SC1091,SC2016 $scripts board/*/board.sh"

echo "a machine whose git is told nothing"
GIT_CONFIG_SYSTEM=/dev/null GIT_CONFIG_GLOBAL=/dev/null board/in-tools.sh true

echo "units"
work=$(mktemp -d "$repository/.build/board/lint.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/usr"
cp -a overlays/common/usr/. "$work/usr/"
# The programs that units start: a program of the overlay is there, one of a package is none of ours.
unit_folder=/build/${work##*/}/usr/lib/systemd/system
# A key that systemd does not know is only a warning to it.
complaints=$(in_tools "
    mkdir -p /usr/lib/martlet
    mount --bind /source/overlays/common/usr/lib/martlet /usr/lib/martlet
    for unit in $unit_folder/*.service; do
        systemd-analyze verify --man=no --generators=no --recursive-errors=no \$unit
    done" 2>&1) || { echo "$complaints"; exit 1; }
[ -z "$complaints" ] || { echo "$complaints"; exit 1; }

echo "device trees"
for tree in Tests/System/Image/*.dtso board/*/*.dts; do
    in_tools "dtc -q -I dts -O dtb -@ -o /dev/null /source/$tree"
done

echo "boot scripts"
for board in board/*/board.sh; do
    board=$(basename "$(dirname "$board")")
    in_tools "mkimage -q -A arm64 -T script -C none -n lint -d /source/board/$board/boot.cmd /tmp/boot.scr >/dev/null"

    echo "layout of $board"
    mkdir -p "$work/$board/boot"
    cp "board/$board/boot.cmd" "$work/$board/boot/"
    sed 's/@SLOT@/8M/' "board/$board/genimage.cfg" >"$work/$board/genimage.cfg"
    for copy in 0 1; do truncate -s 4096 "$work/$board/state-$copy.env"; done
    for part in rootfs data; do truncate -s 8M "$work/$board/$part.ext4"; done
    in_tools "cd /build/${work##*/}/$board
        genimage --config genimage.cfg --rootpath boot --inputpath . --outputpath . --tmppath tmp >genimage.log 2>&1 ||
            { tail genimage.log; exit 1; }"
    # What boot.cmd, fstab and RAUC count on.
    layout=$(in_tools "sfdisk -d /build/${work##*/}/$board/martlet.img")
    grep -q 'label-id: 0x67770001' <<<"$layout"
    [ "$(grep -c 'start=' <<<"$layout")" = 4 ]
    [ "$(sed -n 's/.*img1 : start= *\([0-9]*\),.*/\1/p' <<<"$layout")" = 24576 ]
done

echo "package lists"
names=$(sed 's/#.*//' board/packages.list)
[ "$(tr -s ' \n' '\n' <<<"$names" | sort | uniq -d)" = "" ]

echo "boot state, seed, judgement and manifest"
Tests/Rig/packages.sh libubootenv-tool openssh-client python3
python3 Tests/System/Image/test_boot_state.py
python3 Tests/System/Image/test_seed.py
python3 Tests/System/Image/test_label.py
python3 Tests/System/Image/test_judge.py
python3 Tests/System/Image/test_manifest.py
python3 Tests/System/Image/test_icu_data.py
