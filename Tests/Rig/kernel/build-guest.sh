#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build-guest.sh - fetch Debian's stock kernel and make the test guest under .rig/guest/. Debian 12; root (or sudo) for
# the packages. Nothing goes into /boot or /lib/modules: the kernel is only unpacked. 15 s once, then nothing.
set -euo pipefail
export LC_ALL=C.UTF-8
here=$(cd "$(dirname "$0")" && pwd)
guest=$(cd "$here/../../.." && pwd)/.rig/guest
mkdir -p "$guest"
cd "$guest"

# bluez, dbus and Python's ways to them: the guest's root is this machine's own / (read-only), so what is installed here
# runs there.
"$here/../packages.sh" qemu-system-x86 busybox-static cpio kmod xz-utils python3 bluez dbus python3-dbus python3-gi

package=$(apt-cache depends linux-image-amd64 2>/dev/null | awk '/Depends: linux-image-/{print $2; exit}')
if [ -z "$package" ]; then
    as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get update -qq
    package=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image-/{print $2; exit}')
fi
version=${package#linux-image-}

# NetworkManager and what it takes, unpacked only, for the guest to lay over its root: installed here, it would take over this
# machine's network.
if [ ! network -nt "$here/build-guest.sh" ]; then
    rm -rf network network.new
    mkdir network.new
    (cd network.new && apt-get install -s --no-install-recommends network-manager wpasupplicant hostapd dnsmasq-base iw udev \
        iproute2 | awk '$1 == "Inst" && $3 !~ /^\[/ {print $2}' | xargs -r apt-get download -qq)
    for file in network.new/*.deb; do
        [ ! -e "$file" ] || { dpkg -x "$file" network.new && rm "$file"; }
    done
    mv network.new network
    touch network
fi
if [ "$(cat built 2>/dev/null)" = "$version" ] && [ initrd.cpio -nt "$here/guest-init" ]; then
    echo "guest ready in $guest"
    exit 0
fi
rm -f built

# 1. The kernel package: the kernel and its modules.
rm -rf root
mkdir root
apt-get download -qq "$package" 2>/dev/null
dpkg -x "$package"_*.deb root
rm -f "$package"_*.deb
# The kernel is unpacked to its ELF here: QEMU boots that straight (PVH), and the guest is spared 8 s of xz.
python3 - "root/boot/vmlinuz-$version" vmlinux <<'P'
import lzma, struct, sys
image = open(sys.argv[1], "rb").read()
offset, length = struct.unpack("<II", image[0x248:0x250])  # payload_offset, payload_length
payload = image[(image[0x1F1] + 1) * 512 + offset:][:length]
open(sys.argv[2], "wb").write(lzma.LZMADecompressor().decompress(payload))
P
depmod -b root "$version"

# 2. The initramfs: busybox and just the modules that mount the 9p root; the rest comes by modprobe from there.
rm -rf initramfs
mkdir -p initramfs/{bin,dev,proc,sys,m,lower,rw,new}
cp /bin/busybox initramfs/bin/
cp "$here/guest-init" initramfs/init
chmod +x initramfs/init
number=100
for module in $(for name in virtio_pci 9pnet_virtio 9p overlay virtio_console; do
    modprobe -d "$PWD/root" -S "$version" --show-depends --ignore-install $name | awk '$1 == "insmod" {print $2}'
done | awk '!seen[$0]++'); do
    number=$((number + 1))
    cp "$module" "initramfs/m/$number-$(basename "$module")"
done
(cd initramfs && find . | cpio -o -H newc --quiet) >initrd.cpio
echo "$version" >built
echo "guest ready in $guest: kernel $version"
