#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# image.sh BOARD - .build/board/BOARD/root and boot to what is flashed: .build/board/images/martlet-BOARD-VERSION.img. No loop
# devices, no mounts.
set -euo pipefail
# shellcheck source=board/lib.sh
. "$(dirname "$0")/lib.sh"
board=${1:?board}
# shellcheck source=board/rpi/board.sh
. "$board_folder/$board/board.sh"
slot_size=${SLOT_SIZE:-448M}
data_size=${DATA_SIZE:-64M}
out=$built/$board
images=$built/images
version=$(cat "$out/version")
name=martlet-$board-$version
mkdir -p "$images"
rm -f "$images/$name".*
sed "s/@SLOT@/$slot_size/" "$board_folder/$board/genimage.cfg" >"$out/genimage.cfg"

# Everything has a time that the commit says, an order, and numbers that do not come of chance: same tree, same bits.
uuid=67770001-0000-4000-8000-00000000000
make_ext4="mke2fs -q -t ext4 -m 0 -E hash_seed=${uuid}0,lazy_itable_init=0,lazy_journal_init=0"
tar -C "$out/root" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --clamp-mtime --numeric-owner --xattrs \
    --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime --exclude=./rig --exclude=./build \
    --exclude=./source -cf "$out/root.tar" .
find "$out/boot" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

say "image: file systems"
in_chroot "$rig/tools" "
    cd /build/$board
    rm -f rootfs.ext4 data.ext4
    # No journal: it is mounted read-only, and verified by the update that wrote it.
    $make_ext4 -O ^has_journal,^metadata_csum_seed,^orphan_file -U ${uuid}a -L slot -d root.tar rootfs.ext4 $slot_size
    # As for a large disk, which it grows to.
    $make_ext4 -b 4096 -i 65536 -U ${uuid}d -L data data.ext4 $data_size
    rm -rf genimage.tmp
    genimage --config genimage.cfg --rootpath boot --inputpath . --outputpath . --tmppath genimage.tmp >genimage.log 2>&1 ||
        { tail -20 genimage.log; exit 1; }
    rm -rf genimage.tmp"
rm -f "$out/root.tar"
mv "$out/martlet.img" "$images/$name.img"
say "image: $images/$name.img"
