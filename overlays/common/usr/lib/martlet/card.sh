# SPDX-License-Identifier: Apache-2.0
# card.sh: sourced by what reads and writes the card's FAT partition. It is read-only but for moments.
#
#   open_card       mounts it; `card` is its folder
#   close_card      when all is done
#   writable CMD…   runs a command while it can be written, and waits for the disk

# For tests: a folder instead of the partition.
card=${SEED_CARD:-}
mounted=

open_card() {
    [ -z "$card" ] || return 0
    card=/run/martlet-card
    mkdir -p "$card"
    # Of the disk that this system runs from: another card, in a reader, may have the same numbers.
    slot=$(findmnt -n -o SOURCE /)
    number=$(grep -lx 1 "/sys/class/block/${slot##*/}/../"*/partition)
    number=${number%/partition}
    mount -t vfat -o ro,noatime,umask=077,utf8 "/dev/${number##*/}" "$card"
    mounted=yes
}

close_card() { [ -z "$mounted" ] || umount "$card" || :; }

writable() {
    [ -z "$mounted" ] || mount -o remount,rw "$card"
    "$@"
    sync -f "$card"
    [ -z "$mounted" ] || mount -o remount,ro "$card"
}
