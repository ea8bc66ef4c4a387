#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# radio.sh PORT - one virtual radio: RootCanal behind h4gate.py. Every TCP connection to 127.0.0.1:PORT speaks H4 and
# becomes a controller of its own; all of them share the same air. Uses PORT..PORT+4.
#
# Prints "radio: ready" once it listens, runs until TERM or INT, and takes its two processes with it.
# RADIO_LOG: where RootCanal's log goes (default: nowhere).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rig=$(cd "$here/../.." && pwd)/.rig
port=${1:?port}

rootcanal=$(echo "$rig"/venv/lib/python3*/site-packages/rootcanal/bin/linux-x86_64/rootcanal)
LD_PRELOAD="$rig/rootcanal-shim.so" "$rootcanal" -test_port $((port + 1)) -hci_port $((port + 2)) \
    -link_port $((port + 3)) -link_ble_port $((port + 4)) >"${RADIO_LOG:-/dev/null}" 2>&1 </dev/null &
controller=$!
trap 'kill $controller ${gate:-} 2>/dev/null; exit 0' TERM INT

waited=0
until ss -Hltn "sport = :$((port + 2))" | grep -q .; do
    sleep 0.1
    waited=$((waited + 1))
    if [ $waited -ge 100 ] || ! kill -0 $controller 2>/dev/null; then
        echo "radio.sh: RootCanal does not listen (its log: ${RADIO_LOG:-set RADIO_LOG})" >&2
        kill $controller 2>/dev/null || :
        exit 1
    fi
done
"$rig/venv/bin/python" "$here/h4gate.py" "$port" $((port + 2)) &
gate=$!

wait -n $controller $gate || :
echo "radio.sh: a process ended (RootCanal aborts on commands it does not know; see its log)" >&2
kill $controller $gate 2>/dev/null || :
exit 1
