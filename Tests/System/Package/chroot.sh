# SPDX-License-Identifier: Apache-2.0
# In a chroot: files, owners, upgrade, removal. Read by test.sh.
echo "in a chroot:"
inside() { chroot "$work/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
# Everything but what dpkg and systemd write about themselves.
everything() {
    (cd "$work/root" && find . -xdev \( -path ./proc -o -path ./tmp -o -path ./run -o -path ./root -o -path ./var/lib/dpkg \
        -o -path ./var/log -o -path ./var/lib/systemd/deb-systemd-helper-enabled \) -prune -o -print | sort)
}
facts() { inside stat -c '%A %U:%G' "$1"; }
as_service() { inside setpriv --reuid martlet --regid martlet --clear-groups "$@"; }
counted() { as_service martlet audit --json | json received; }
# Seconds of a gateway in the chroot, as the service's user.
collect() {
    as_service timeout --preserve-status -s TERM "$1" martlet run --log-level warning >"$work/run.log" 2>&1 || { cat "$work/run.log"; return 1; }
}
everything >"$work/before"

check "an earlier version is installed" inside dpkg -i /root/earlier.deb
check "the program runs, with all that it depends on" inside martlet version
check "the configuration is for root to write and the gateway to read" equal "$(facts /etc/martlet/martlet.toml)" "-rw-r----- root:martlet"
check "its folder, too" equal "$(facts /etc/martlet)" "drwxr-x--- root:martlet"
check "the user can do nothing else" equal "$(inside getent passwd martlet | cut -d: -f6-7)" "/var/lib/martlet:/usr/sbin/nologin"
check "nothing is enabled" test ! -e "$work/root/etc/systemd/system/multi-user.target.wants/martlet.service"
check "the default configuration has no mistake" inside martlet check-config
check "the manual has every command" missing_commands
check "the manual has every key" missing_keys

# masked: the units that the generator masks.
masked() {
    inside sh -c 'rm -rf /tmp/g && mkdir /tmp/g && /usr/lib/systemd/system-generators/martlet-generator /tmp/g /tmp/g /tmp/g'
    find "$work/root/tmp/g" -lname /dev/null -printf '%f\n' | sort | xargs
}
check "bluetoothd keeps its controller" equal "$(masked)" ""
inside systemctl --quiet enable martlet.service
check "until the gateway is enabled" equal "$(masked)" "bluetooth.service bthelper@.service"
inside systemctl --quiet disable martlet.service
check "and again when it is disabled" equal "$(masked)" ""

# Nobody like systemd is there to make the socket in a folder of root's.
printf '\n[control]\nsocket = "/var/lib/martlet/control.sock"\n' >>"$work/root/root/martlet.toml"
cp "$work/root/root/martlet.toml" "$work/root/etc/martlet/martlet.toml"
inside chown root:martlet /etc/martlet/martlet.toml
inside install -d -m 700 -o martlet -g martlet /var/lib/martlet
check "it collects" collect 10
before=$(counted)
check "readings are in the journal" test "${before:-0}" -gt 3
check "the new version is installed over it" inside dpkg --force-confdef -i /root/martlet.deb
check "the units are without a mistake" inside systemd-analyze verify --man=no \
    martlet.service martlet.socket martlet-controller.socket martlet-controller@1.service martlet-audit.timer martlet-vacuum.timer martlet-audit.service martlet-vacuum.service
# 1.5 of 10, where 0 is a service that can do nothing: see docs/security.md for what is left, and why.
check "the service can do little" inside systemd-analyze security --offline=true --threshold=15 martlet.service
check "what root has written in the configuration stays" cmp "$work/root/root/martlet.toml" "$work/root/etc/martlet/martlet.toml"
check "and stays for root and the gateway" equal "$(facts /etc/martlet/martlet.toml)" "-rw-r----- root:martlet"
check "no reading is lost" equal "$(counted)" "$before"
check "it goes on collecting" collect 8
check "after what it had" test "$(counted)" -gt "$before"
check "it is removed" inside dpkg -r martlet
check "the configuration stays, and the readings" test -s "$work/root/etc/martlet/martlet.toml" -a -s "$work/root/var/lib/martlet/journal.db"
check "it is installed once more" inside dpkg -i /root/martlet.deb
check "with its readings" test "$(counted)" -gt "$before"
check "it is purged" inside dpkg -P martlet
everything >"$work/after"
check "nothing is left" diff "$work/before" "$work/after"
check "no user is left" test -z "$(inside getent passwd martlet; inside getent group martlet)"
