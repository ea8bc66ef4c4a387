#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# rootfs.sh BOARD PACKAGE.deb - the root tree (.build/board/BOARD/root) and the FAT partition's files (…/boot).
set -euo pipefail
# shellcheck source=board/lib.sh
. "$(dirname "$0")/lib.sh"
board=${1:?board}
martlet=$(realpath "${2:?package}")
# shellcheck source=board/rpi/board.sh
. "$board_folder/$board/board.sh"
out=$built/$board
root=$out/root
boot=$out/boot
mkdir -p "$out"
need_host

"$board_folder/base.sh" "$board"
# shellcheck source=board/binfmt.sh
. "$board_folder/binfmt.sh"

say "root tree: martlet and overlays"
clear_tree "$root"
cp -a --reflink=auto "$rig/base-$board" "$root"
# The user has one number in every version: data outlives the slot that wrote it.
cp "$martlet" "$root/martlet.deb"
chroot "$root" sh -euc '
    groupadd --gid 880 martlet
    useradd --uid 880 --gid 880 --no-create-home --home-dir /var/lib/martlet --shell /usr/sbin/nologin martlet
    DEBIAN_FRONTEND=noninteractive dpkg --install --path-include="/usr/share/doc/martlet/*" /martlet.deb
    rm /martlet.deb' >>"$out/root.log" 2>&1 ||
    { tail -20 "$out/root.log" >&2; fail "root tree: the package cannot be installed, see $out/root.log"; }
for layer in common "$board"; do
    [ ! -d "$repository/overlays/$layer" ] || tar -C "$repository/overlays/$layer" --owner=0 --group=0 --mode=u=rwX,go=rX \
        -cf - . | tar -C "$root" --no-overwrite-dir -xpf -
done
version=$(dpkg-deb -f "$martlet" Version)
sed -i "s/@COMPATIBLE@/$compatible/; s/@VERSION@/$version/" "$root/etc/rauc/system.conf"
printf 'IMAGE_ID=%s\nIMAGE_VERSION=%s\n' "$compatible" "$version" >>"$root/usr/lib/os-release"
echo "$version" >"$out/version"
install -D -m 644 "$("$board_folder/keys.sh")/update.crt" "$root/etc/rauc/keyring.pem"

chroot "$root" sh -euc '
    rm -rf /etc/systemd/system/*.wants /etc/systemd/system/dbus-*
    systemctl preset-all --preset-mode=enable-only
    systemctl mask getty@.service serial-getty@.service apt-daily.timer systemd-firstboot.service
    # What a gateway has no use for, and would start with all the same: file systems that nobody looks into, and what is
    # loaded for them; sessions, of which there are none but those of SSH; a name of the machine that is set over D-Bus; a log on the disk.
    systemctl mask dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount \
        sys-kernel-config.mount sys-fs-fuse-connections.mount proc-sys-fs-binfmt_misc.automount modprobe@.service \
        systemd-logind.service systemd-hostnamed.service systemd-hostnamed.socket systemd-udev-load-credentials.service \
        systemd-journal-flush.service
    # Each is a program that looks for something that this image never has. Those of fstab and of the gateway stay.
    mkdir -p /etc/systemd/system-generators
    for generator in debug getty gpt-auto hibernate-resume rc-local run ssh system-update sysv tpm2; do
        [ -e /usr/lib/systemd/system-generators/systemd-$generator-generator ]
        ln -s /dev/null /etc/systemd/system-generators/systemd-$generator-generator
    done
    # No password: nothing to guess. An SSH key is let in, so the account is not locked.
    usermod --password "*" root
    rm -f /etc/ssh/ssh_host_* /etc/resolv.conf /etc/.resolv.conf.* /etc/.pwd.lock
    rm -f /etc/passwd- /etc/group- /etc/shadow- /etc/gshadow-
    ln -s ../run/systemd/resolve/stub-resolv.conf /etc/resolv.conf
    : >/etc/machine-id
    echo martlet >/etc/hostname
    mkdir -p /data /boot/firmware /etc/martlet' >>"$out/root.log" 2>&1 ||
    { tail -20 "$out/root.log" >&2; fail "root tree: failed, see $out/root.log"; }

# Of this machine, nothing goes into an image: a package keeps the resolv.conf of the chroot that it was installed in.
[ -z "$(find "$root/etc" -name '*resolv.conf*' -type f)" ] || fail "root tree: there is a resolv.conf in /etc"
# What works in QEMU without them, and on no board.
for program in wpa_supplicant iw fw_setenv rauc nft sshd; do
    [ -x "$root/usr/sbin/$program" ] || [ -x "$root/usr/bin/$program" ] || fail "root tree: $program is missing"
done

kernel=$(basename "$root"/boot/vmlinuz-*)
initrd=initrd.img-${kernel#vmlinuz-}
install -D -m 644 "$board_folder/initramfs/martlet.conf" "$root/etc/initramfs-tools/conf.d/martlet.conf"
install -D -m 755 "$board_folder/initramfs/hook" "$root/etc/initramfs-tools/hooks/martlet"
install -D -m 755 "$board_folder/initramfs/udev" "$root/etc/initramfs-tools/scripts/init-top/udev"
install -D -m 755 "$board_folder/initramfs/local-bottom" "$root/etc/initramfs-tools/scripts/local-bottom/martlet"
# Nothing of martlet's is in it: it is made anew only when Debian's part or the files above have changed.
wanted=$(cat "$rig/base-$board.made" "$rig/base-$board.log" "$board_folder"/initramfs/* | sha256sum)
if [ "$(cat "$out/initrd.made" 2>/dev/null)" != "$wanted" ]; then
    say "root tree: initrd (two minutes)"
    chroot "$root" mkinitramfs -o "/boot/$initrd" "${kernel#vmlinuz-}" >>"$out/root.log" 2>&1 ||
        { tail -20 "$out/root.log" >&2; fail "root tree: no initrd, see $out/root.log"; }
    cp "$root/boot/$initrd" "$out/initrd"
    echo "$wanted" >"$out/initrd.made"
fi
cp "$out/initrd" "$root/boot/$initrd"
# The boot script knows no versions.
ln -sfn "$kernel" "$root/boot/vmlinuz"
ln -sfn "$initrd" "$root/boot/initrd.img"

say "FAT partition"
rm -rf "$boot" "$out/boot-packages"
mkdir -p "$boot"
fetch_packages "$target_suite" "$architecture" "$out/boot-packages" "${boot_packages[@]}" >"$out/boot.log" 2>&1 ||
    fail "FAT partition: failed, see $out/boot.log"
for package in "$out"/boot-packages/*.deb; do dpkg-deb -x "$package" "$out/boot-packages/unpacked"; done
fill_boot "$root" "$out/boot-packages/unpacked" "$boot"
cp "$board_folder/common/"* "$boot/"
cp "$board_folder/$board/boot.cmd" "$out/"
in_chroot "$rig/tools" "
    mkimage -q -A $architecture -T script -C none -n martlet -d /build/$board/boot.cmd /build/$board/boot/boot.scr >/dev/null
    printf 'AB_PHASE=0\nBOOT_ORDER=A\nBOOT_A_LEFT=3\nBOOT_B_LEFT=0\n' | mkenvimage -s 0x1000 -o /build/$board/state-0.env -
    printf 'AB_PHASE=2\nBOOT_ORDER=A\nBOOT_A_LEFT=3\nBOOT_B_LEFT=0\n' | mkenvimage -s 0x1000 -o /build/$board/state-1.env -"
"$board_folder/sbom.py" "$root" "$out/boot-packages" "$board_folder/swift-packages.json" "$version" \
    "$swift_release" >"$out/sbom.spdx.json"
rm -rf "$out/boot-packages"

# What a system that is never changed in place has no use for. Licences stay.
thin_root "$root"
rm -rf "${root:?}"/usr/lib/linux-image-* "${root:?}"/var/* "${root:?}"/boot/config-* "${root:?}"/boot/System.map-* "$root"/boot/*.dpkg-bak \
    "$root"/usr/share/{bash-completion,bug,lintian,doc-base,initramfs-tools,zsh,fish} "$root"/etc/apt "$root"/usr/share/perl5
install -D -m 644 "$out/sbom.spdx.json" "$root/usr/share/martlet/sbom.spdx.json"
say "root tree: $(du -sm "$root" | cut -f 1) MB"
