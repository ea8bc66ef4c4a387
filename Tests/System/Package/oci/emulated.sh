# SPDX-License-Identifier: Apache-2.0
# The gateway of the image for arm64, under QEMU's emulation of its processor: from a simulated sensor to a broker. Read by oci.sh.
root=$work/arm64/rootfs
emulated() { qemu-aarch64-static -L "$root" "$root/usr/bin/martlet" "$@"; }
mkdir -p "$work/emulated/state"
file=$work/emulated/martlet.toml
cat >"$file" <<END
[bluetooth]
controller = "virtual"
state_directory = "$work/emulated/state"
[journal]
path = "$work/emulated/state/journal.db"
[control]
socket = "$work/emulated/control.sock"
[mqtt]
host = "127.0.0.1"
[clock]
require_sync = false
[[sensor]]
service = "heart_rate"
subscribe = ["heart_rate/heart_rate_measurement"]
END
status() { emulated status --socket "$work/emulated/control.sock"; }
check "its configuration has no mistake" emulated check-config --config "$file"
start_broker
consume -c -i emulated
background gateway qemu-aarch64-static -L "$root" "$root/usr/bin/martlet" run --config "$file"
check "the gateway answers" eventually 120 status
check "readings arrive" eventually 120 arrived 20
check "none of them is missing" eventually 30 complete
check "it stops within five seconds" stops "$gateway"
check "the books balance" emulated audit --config "$file"
end "$consumer"
end "$broker"
