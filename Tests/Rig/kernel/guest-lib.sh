# SPDX-License-Identifier: Apache-2.0
# Helpers for commands in the guest (every bash there reads this through BASH_ENV).

# bt_quiet N: resets the controller at the N-th -u UART and throws away what it had to say: while nobody has its line, it goes on
# talking, and the kernel would begin in the middle of a packet.
bt_quiet() {
    stty -F "/dev/ttyBT$1" raw -echo 115200
    local line octet
    exec {line}<>"/dev/ttyBT$1"
    printf '\1\3\14\0' >&$line
    while IFS= read -r -N 1 -t 0.7 -u $line octet; do :; done
    exec {line}>&-
}

# bt_line N: btattach the N-th -u UART as a plain H4 controller; waits until hci<N> exists.
bt_line() {
    local number=$1 waited=0
    btattach -B "/dev/ttyBT$number" -P h4 -S 115200 >"/run/btattach$number.log" 2>&1 &
    until [ -e "/sys/class/bluetooth/hci$number" ]; do
        sleep 0.1; waited=$((waited + 1)); [ $waited -lt 600 ] || return 1
    done
}

# bt_attach N: bt_line, and waits until the kernel has finished with hci<N> (its set-up runs, then it stays up for 2 s of
# "auto-off"), that is, until HCI_CHANNEL_USER can be bound. Only while nobody waits to open hci<N>: its user makes it UP.
bt_attach() {
    local number=$1 waited=0
    bt_quiet "$number"
    bt_line "$number" || return 1
    until hciconfig "hci$number" | grep -q DOWN && ! hciconfig "hci$number" | grep -q INIT; do
        sleep 0.1; waited=$((waited + 1)); [ $waited -lt 1200 ] || return 1
    done
}

# bluez_start: dbus-daemon and bluetoothd, which powers on every hciN it finds.
bluez_start() {
    local waited=0
    mkdir -p /run/dbus
    dbus-daemon --system --fork --nopidfile
    /usr/libexec/bluetooth/bluetoothd -n >/run/bluetoothd.log 2>&1 &
    until dbus-send --system --print-reply --dest=org.bluez / \
        org.freedesktop.DBus.ObjectManager.GetManagedObjects >/dev/null 2>&1; do
        sleep 0.2; waited=$((waited + 1)); [ $waited -lt 600 ] || return 1
    done
}

# bluez_power_on: waits until bluetoothd itself says that it has powered an adapter on. That hci0 is UP says less: whoever has its
# user channel makes it UP, too.
bluez_power_on() {
    local waited=0
    until bluetoothctl show 2>/dev/null | grep -q 'Powered: yes'; do
        bluetoothctl power on >/dev/null 2>&1
        sleep 0.5; waited=$((waited + 1)); [ $waited -lt 240 ] || { bluetoothctl show >&2; return 1; }
    done
}
