# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced after lib.sh: until the script ends, programs of the boards' architecture run in their chroots, under QEMU.
# One script registers it, others that run at the same time use it.

binfmt=/proc/sys/fs/binfmt_misc
[ -e $binfmt/register ] || mount -t binfmt_misc binfmt_misc $binfmt
# One of the machine's own is as good, if it opens its interpreter at once (F, below) and is not switched off.
if ! { grep -qx enabled $binfmt/qemu-aarch64 && grep -q '^flags:.*F' $binfmt/qemu-aarch64; } 2>/dev/null &&
    [ ! -e $binfmt/martlet-aarch64 ]; then
    interpreter=$rig/qemu-aarch64-static
    cp -L "$rig/tools/usr/bin/qemu-aarch64" "$interpreter"
    magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
    mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
    # F: the kernel opens the interpreter now, so that it is there in a chroot as well. O, P: argv as it was.
    printf ':martlet-aarch64:M::%s:%s:%s:OPF' "$magic" "$mask" "$interpreter" >$binfmt/register
    trap 'echo -1 >$binfmt/martlet-aarch64' EXIT
fi
