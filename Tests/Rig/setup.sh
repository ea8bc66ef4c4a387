#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# setup.sh - install the independent peers of the interoperability tests under .rig/ in the repository root:
#
#   venv/               Bumble (a whole host stack in Python: plays sensors and phones), RootCanal, paho-mqtt, websockets
#   rootcanal-shim.so   preloaded into RootCanal: loopback only, no Nagle delay
#
# The first run takes a minute, later ones nothing. Debian's own python3 is used: others often lack AF_BLUETOOTH.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
rig=$root/.rig
mkdir -p "$rig"

"$here/packages.sh" python3-venv gcc libc6-dev iproute2 mosquitto mosquitto-clients \
    python3-dbusmock python3-dbus python3-gi dbus chromium-headless-shell zbar-tools

if ! cmp -s "$here/requirements.txt" "$rig/venv/installed.txt"; then
    [ -x "$rig/venv/bin/python" ] || /usr/bin/python3 -m venv "$rig/venv"
    "$rig/venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
    chmod +x "$rig"/venv/lib/python3*/site-packages/rootcanal/bin/linux-x86_64/rootcanal
    cp "$here/requirements.txt" "$rig/venv/installed.txt"
fi
if [ ! "$rig/rootcanal-shim.so" -nt "$here/rootcanal-shim.c" ]; then
    gcc -O2 -Wall -shared -fPIC -o "$rig/rootcanal-shim.so" "$here/rootcanal-shim.c"
fi
echo "rig ready in $rig"
