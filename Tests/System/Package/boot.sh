# SPDX-License-Identifier: Apache-2.0
# Booted with systemd in the QEMU guest of Tests/Rig/kernel, whose root is the chroot here, read-only under a tmpfs.
# Read by test.sh; what happens in the guest is guest.sh.
echo "booted:"
"$repository/Tests/Rig/kernel/build-guest.sh" >/dev/null
guest=$repository/.rig/guest
chroot "$work/root" dpkg -i /root/earlier.deb >"$work/dpkg" 2>&1 || cat "$work/dpkg"
install -m 640 "$here/martlet.toml" "$work/root/etc/martlet/martlet.toml"
chroot "$work/root" sh -c '
    chown root:martlet /etc/martlet/martlet.toml
    systemctl --quiet enable martlet.service
    install -d -m 700 /etc/credstore
    echo secret >/etc/credstore/martlet.mqtt.password
    systemctl --quiet disable getty@tty1.service'
umount "$work/root/proc"

control=$work/control
mkdir "$control"
cp "$here/guest-main" "$here/guest.sh" "$control/"
echo /none >"$control/guest"  # the modules that are needed are in the initramfs
touch "$control/out"
qemu=(qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot -M q35 -accel tcg,thread=multi -smp 2
    -m 512 -kernel "$guest/vmlinux" -initrd "$guest/initrd.cpio"
    -append "console=ttyS0 quiet loglevel=4 panic=-1 systemd.show_status=0 systemd.default_timeout_start_sec=180"
    -serial "file:$control/console"
    -virtfs "local,path=$work/root,mount_tag=root,security_model=none,readonly=on,multidevs=remap"
    -virtfs "local,path=$control,mount_tag=rig,security_model=none"
    -virtfs "local,path=$control,mount_tag=host,security_model=none,readonly=on")
began=$SECONDS
timeout 900 "${qemu[@]}" </dev/null >"$control/qemu" 2>&1 || echo "QEMU: status $?"
cat "$control/out"
if [ ! -e "$control/done" ]; then
    check "the guest comes to the end of its checks" false
    tail -40 "$control/console" "$control/qemu"
else
    failures=$((failures + $(grep -c '^FAIL' "$control/out" || :)))
    echo "      in $((SECONDS - began)) s of a machine without KVM"
fi
