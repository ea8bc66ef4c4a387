# SPDX-License-Identifier: Apache-2.0
"""Each GATT procedure, and pairing, against BlueZ, in the kernel guest: hci0 is ours by HCI_CHANNEL_USER, hci1 is
bluetoothd's."""
from captures import SENT, tshark
from harness import PATIENCE, RIG_SOURCES, check, wait_for
from peers import CENTRAL_STEPS, check_capture, check_pairings, check_steps, check_subscriptions, lines

NAME = "reference"
# What both scripts begin with. We take hci0 first: bluetoothd would power it on.
SET_UP = r"""
wait_for() {  # FILE WORDS PROCESS
    until grep -q "$2" "$1"; do sleep 0.2; kill -0 "$3" 2>/dev/null || { cat "$1" >&2; exit 71; }; done
}
for number in 0 1; do bt_attach $number || { cat /run/btattach$number.log >&2; exit 70; }; done
mkdir -p /etc/bluetooth
printf '[GATT]\nExchangeMTU = 100\n' >/etc/bluetooth/main.conf
trap 'cp /run/bluetoothd.log /host/ 2>/dev/null' EXIT
"""
CENTRAL = SET_UP + r"""
"$PEER" central --controller hci0 --name reference --capture /host/central.btsnoop --patience 120 \
    --without write-longest,read-multiple-variable >/host/central.out 2>/host/central.err &
peer=$!
wait_for /host/central.out '"step":"power"' $peer
bluez_start
/usr/bin/python3 "$RIG/bluez_server.py" --adapter hci1 --name reference >/host/server.out 2>/host/server.err &
wait $peer
"""
PERIPHERAL = SET_UP + r"""
mkfifo /run/stdin; sleep infinity >/run/stdin & held=$!
"$PEER" peripheral --controller hci0 --name reference --capture /host/peripheral.btsnoop </run/stdin \
    >/host/peripheral.out 2>/host/peripheral.err &
peer=$!
wait_for /host/peripheral.out '"event":"advertising"' $peer
bluez_start
/usr/bin/python3 "$RIG/bluez_client.py" --adapter hci1 --name reference >/host/client.out 2>/host/client.err
status=$?
kill $held
wait $peer; echo $? >/host/peripheral.status
exit $status
"""
# Our end gives hci0 back between the two runs: bluetoothd must not power it on then.
PAIRING = SET_UP + r"""
printf '[Policy]\nAutoEnable=false\n' >>/etc/bluetooth/main.conf
for role in central peripheral; do
    mkfifo /run/$role
    /usr/bin/python3 "$RIG/bluez_pairing.py" --peer "$PEER" --controller hci0 --adapter hci1 --role $role \
        --folder /host --go /run/$role >/host/$role.out 2>/host/$role.err &
    rig=$!
    wait_for /host/$role.out 'ours is ready' $rig
    pidof bluetoothd >/dev/null || bluez_start
    echo >/run/$role
    wait $rig || status=$?
done
exit ${status:-0}
"""
# The gateway on hci0 that nobody has set up, and a desktop on hci1 that does it.
PHONE = SET_UP + r"""
mkdir -m 777 -p /tmp/state
"$MARTLET" run --config /host/guest.toml --controller hci0 --capture /host/phone.btsnoop >/host/martlet.out 2>&1 &
gateway=$!
waited=0
until "$MARTLET" status --config /host/guest.toml >/dev/null 2>&1; do
    sleep 0.3; waited=$((waited + 1)); [ $waited -lt 200 ] || { cat /host/martlet.out >&2; exit 71; }
done
wait_for /host/martlet.out 'gateway started' $gateway
"$MARTLET" provision open --json --config /host/guest.toml >/host/open.out 2>&1 &
bluez_start
/usr/bin/python3 "$RIG/bluez_phone.py" --adapter hci1 -- \
    "$MARTLET" provision status --json --config /host/guest.toml >/host/phone.out 2>/host/phone.err
status=$?
kill -TERM $gateway; wait $gateway; echo $? >/host/martlet.status
exit $status
"""
PHONE_STEPS = {"connect", "read what is open", "pair", "write", "notified", "reconnect"}
# BlueZ 5.66 counts four octets of the PDU's header as octets of the value, and refuses 512; and it leaves a Read
# Multiple Variable Request unanswered whose values do not fit one answer.
LEFT = {"write longest", "read multiple variable"}
CLIENT_STEPS = {
    "connect", "discover services", "discover characteristics", "read descriptors", "read", "write", "write reliably",
    "write without response", "subscribe notify", "subscribe indicate", "flood", "unsubscribe", "refusals",
    "services changed", "l2cap", "encryption required", "paired", "reconnect"}
PAIRINGS = {f"{ours} and BlueZ's {theirs}" for ours, theirs in (
    ("none", "none"), ("display", "keyboard"), ("keyboard", "display"), ("keyboard", "keyboard"),
    ("display-and-confirmation", "display-and-confirmation"), ("keyboard-and-display", "keyboard-and-display"))}


def run_guest(bench, script, timeout):
    """Runs the script in the guest, with two controllers of one radio; gives its exit status."""
    radio = bench.radio()
    guest = bench.start("guest", [
        RIG_SOURCES / "kernel" / "run-guest.sh", "-u", radio, "-u", radio, "-d", bench.folder, "-k", bench.folder,
        "-t", timeout * PATIENCE, f"PEER={bench.peer}\nMARTLET={bench.martlet}\nRIG={RIG_SOURCES}\n{script}"])
    wait_for("the guest ends", lambda: not guest.alive(), timeout + 20)
    return guest.process.returncode


def central(bench):
    """Our central on hci0 goes through the reference database on BlueZ's GATT server."""
    status = run_guest(bench, CENTRAL, 180)
    steps = check_steps("the central", bench.folder / "central.out", CENTRAL_STEPS, left=LEFT)
    check(status == 0, f"the guest ended with status {status}")
    confirmed = [line for line in lines(bench.folder / "server.out") if line["event"] == "confirmed"]
    check(len(confirmed) == 10, f"BlueZ counts {len(confirmed)} confirmations")
    return f"{steps} steps; {check_capture(bench.folder / 'central.btsnoop')} packets captured"


def peripheral(bench):
    """BlueZ on hci1 goes through the reference database on our peripheral on hci0."""
    status = run_guest(bench, PERIPHERAL, 240)
    steps = check_steps("BlueZ", bench.folder / "client.out", CLIENT_STEPS)
    check(status == 0, f"the guest ended with status {status}")
    check((bench.folder / "peripheral.status").read_text().strip() == "0", "the peripheral did not end well")
    check_subscriptions(bench.folder / "peripheral.out")
    return f"{steps} steps; {check_capture(bench.folder / 'peripheral.btsnoop')} packets captured"


def pairing(bench):
    """Just Works, passkey entry either way and numeric comparison, with BlueZ as the Peripheral and as the Central."""
    status = run_guest(bench, PAIRING, 240)
    texts = []
    for role in ("central", "peripheral"):
        held = check_pairings(f"BlueZ and our {role}", bench.folder / f"{role}.out", [bench.folder / f"{role}.btsnoop"],
                              bench.folder / f"secrets-{role}.json", PAIRINGS)
        texts.append(f"{role}: {held}")
    check(status == 0, f"the guest ended with status {status}")
    return "; ".join(texts)


def phone(bench):
    """BlueZ on hci1 sets up the gateway on hci0: it pairs with the passkey, reads, writes, is notified, comes back."""
    (bench.folder / "guest.toml").write_text(
        '[gateway]\nid = "gw-interop"\n\n[bluetooth]\nstate_directory = "/tmp/state"\n\n'
        '[journal]\npath = "/tmp/state/journal.db"\n\n[control]\nsocket = "/tmp/state/control.sock"\n\n'
        '[provisioning]\nnetwork_socket = "/tmp/state/network.sock"\n')
    status = run_guest(bench, PHONE, 240)
    steps = check_steps("BlueZ", bench.folder / "phone.out", PHONE_STEPS)
    check(status == 0, f"the guest ended with status {status}")
    check((bench.folder / "martlet.status").read_text().strip() == "0", "the gateway did not end well")
    asked = tshark(bench.folder / "phone.btsnoop", "-Y", f"{SENT} && btsmp.opcode == 0x0b")
    check(not asked, f"the gateway has asked for security:\n{asked[:500]}")
    return f"{steps} steps; {check_capture(bench.folder / 'phone.btsnoop')} packets captured"
