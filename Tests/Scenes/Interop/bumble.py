# SPDX-License-Identifier: Apache-2.0
"""Each GATT procedure, and each way to pair, against Bumble over RootCanal, in both roles."""
import subprocess

from harness import PYTHON, RIG_SOURCES, check, wait_for
from pairing import matrix
from peers import CENTRAL_STEPS, check_capture, check_pairings, check_steps, check_subscriptions, lines

NAME = "reference"
CLIENT_STEPS = {
    "connect", "mtu", "discover services", "discover services by uuid", "discover included",
    "discover characteristics", "discover and read descriptors", "read short", "read long", "read by uuid",
    "read multiple", "read multiple variable", "write", "write without response", "write long", "write reliably",
    "prepared writes refused", "subscribe notify", "subscribe indicate", "flood", "unsubscribe", "refusals",
    "database hash", "services changed", "database out of sync", "l2cap", "reconnect", "pairing refused", "paired",
    "bonded"}
# What pairings come to besides the matrix: Tests/Rig/bumble_incidents.py.
INCIDENTS = {"wrong passkey", "digits denied here", "digits denied there", "public identity", "private address"}
INCIDENTS_OF = {
    "central": INCIDENTS | {"pairing on demand", "security request", "unwanted security request",
                            "passkey known beforehand", "bond lost by the peer"},
    "peripheral": INCIDENTS | {"window closed, then open", "our security request", "bond lost by us"}}


def central(bench):
    """Our central goes through the reference database on Bumble."""
    radio, capture = bench.radio(), bench.folder / "central.btsnoop"
    server = bench.start("server", [PYTHON, RIG_SOURCES / "gatt_server.py", "--transport",
                                    f"tcp-client:127.0.0.1:{radio}", "--name", NAME])
    server.expect('"advertising"', 30)
    peer = bench.start("martlet-peer", [bench.peer, "central", "--controller", f"tcp:127.0.0.1:{radio}", "--name", NAME,
                                        "--capture", capture])
    wait_for("the central ends", lambda: not peer.alive(), 120)
    steps = check_steps("the central", peer.output, CENTRAL_STEPS)
    check(peer.process.returncode == 0, f"the central ended with status {peer.process.returncode}")
    confirmed = [line["index"] for line in lines(server.output) if line["event"] == "confirmed"]
    check(confirmed == list(range(10)), f"the server counts the confirmations {confirmed}")
    return f"{steps} steps; {check_capture(capture)} packets captured"


def peripheral(bench):
    """Bumble goes through the reference database on our peripheral."""
    radio, capture = bench.radio(), bench.folder / "peripheral.btsnoop"
    peer = bench.start("martlet-peer", [bench.peer, "peripheral", "--controller", f"tcp:127.0.0.1:{radio}", "--name",
                                        NAME, "--capture", capture], stdin=subprocess.PIPE)
    peer.expect('"event":"advertising"', 30)
    client = bench.start("client", [PYTHON, RIG_SOURCES / "gatt_client.py", "--transport",
                                    f"tcp-client:127.0.0.1:{radio}", "--name", NAME])
    wait_for("the client ends", lambda: not client.alive(), 240)
    peer.process.stdin.close()
    wait_for("the peripheral ends with its standard input", lambda: not peer.alive(), 15)
    steps = check_steps("Bumble", client.output, CLIENT_STEPS)
    check(client.process.returncode == 0, f"the client ended with status {client.process.returncode}")
    check(peer.process.returncode == 0, f"the peripheral ended with status {peer.process.returncode}")
    check_subscriptions(peer.output)
    events = [line["event"] for line in lines(peer.output)]
    check("queue full" in events and "ready" in events, "the flood never filled the queue of updates")
    return f"{steps} steps; {check_capture(capture)} packets captured"


def pairing(bench):
    """Both roles at once, each on a radio of its own: every combination that Bumble can play."""
    rigs = {}
    for role in INCIDENTS_OF:
        radio, folder = bench.radio(), bench.folder / role
        folder.mkdir()
        rigs[role] = bench.start(f"bumble-{role}", [
            PYTHON, RIG_SOURCES / "bumble_pairing.py", "--peer", bench.peer, "--role", role, "--folder", folder,
            "--controller", f"tcp:127.0.0.1:{radio}", "--transport", f"tcp-client:127.0.0.1:{radio}"])
    texts = []
    for role, rig in rigs.items():
        wait_for(f"the pairings as the {role} end", lambda: not rig.alive(), 400)
    for role, rig in rigs.items():
        folder = bench.folder / role
        wanted = {str(combination) for combination in matrix(role == "central")} | INCIDENTS_OF[role]
        held = check_pairings(f"Bumble and our {role}", rig.output, sorted(folder.glob("*.btsnoop")),
                              folder / "secrets.json", wanted)
        check(rig.process.returncode == 0, f"the pairings as the {role} ended with status {rig.process.returncode}")
        texts.append(f"{role}: {held}")
    return "; ".join(texts)
