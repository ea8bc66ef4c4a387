# SPDX-License-Identifier: Apache-2.0
"""What the tests of single procedures share: the reports of both ends, and the captures of ours."""
import collections
import json

from captures import SENT, tshark
from harness import check

# The steps of `martlet-peer central`, which may leave out only what a test says.
CENTRAL_STEPS = {
    "power", "scan", "connect", "discover services", "discover characteristics", "read rssi",
    "discover included services", "discover descriptors", "mtu", "read short", "read long", "read descriptors",
    "write short", "write long", "write longest", "write empty", "write without response", "descriptor write",
    "read multiple", "read multiple variable", "read by uuid", "write reliably",
    "subscribe notify", "subscribe indicate", "unsubscribe", "read not permitted", "write not permitted",
    "encryption required", "application error of a read", "application error of a write", "too long a write",
    "subscribing where nothing notifies", "services changed", "services removed", "l2cap",
    "paired on demand", "dropped and reconnected", "cancel"}
# What Debian 12's tshark takes for cut off although the specification has it so: an include declaration without its
# UUID, which is how it is for 128 bits (Vol 3, Part G, 3.2), in answers to either read; and a Read Blob Response
# without octets, which is the answer at the end of a value (Vol 3, Part F, 3.4.4.6).
WELL_FORMED = ["btatt.opcode == 0x09 && btatt.length == 6", "btatt.opcode == 0x0b && btatt.uuid16 == 0x2802",
               "btatt.opcode == 0x0d && btl2cap.length == 1"]


def lines(path):
    """The JSON lines of a program."""
    text = path.read_text(errors="replace") if path.exists() else ""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{") and line.endswith("}")]


def check_steps(name, path, wanted, left=()):
    """Each step of a script is there and held, and no other was left out."""
    reported = lines(path)
    failed = [f"{line['step']}: {line['detail']}" for line in reported if line.get("ok") is False]
    check(not failed, f"{name}: " + "; ".join(failed))
    missing = wanted - set(left) - {line["step"] for line in reported if line.get("ok")}
    check(not missing, f"{name} did not come to: {', '.join(sorted(missing))}")
    return len([line for line in reported if line.get("ok")])


def check_subscriptions(path):
    """The peripheral heard of the end of each subscription that it was told of."""
    balance = collections.Counter()
    for line in lines(path):
        balance[line.get("uuid")] += {"subscribed": 1, "unsubscribed": -1}.get(line["event"], 0)
    open_still = {uuid: count for uuid, count in balance.items() if count}
    check(not open_still, f"subscriptions without an end, or ends without a beginning: {open_still}")


def check_capture(path):
    """Nothing that we sent is malformed, and the attribute protocol went both ways; gives the number of packets."""
    check(path.exists(), f"{path.name} is missing")
    well_formed = " || ".join(f"({filter})" for filter in WELL_FORMED)
    malformed = tshark(path, "-Y", f"{SENT} && (_ws.malformed || _ws.expert.severity == error) && !({well_formed})")
    check(not malformed, f"{path.name}: malformed packets, or expert errors, among those sent:\n{malformed[:800]}")
    for direction in (0, 1):
        check(tshark(path, "-Y", f"frame.p2p_dir == {direction} && btatt", "-c", "20000"),
              f"{path.name}: no ATT packet in direction {direction}")
    return len(tshark(path, "-T", "fields", "-e", "frame.number").split())


def check_pairings(name, output, captures, secrets, wanted):
    """Every combination held; the captures have a Pairing Request for each pairing and none besides, nothing malformed,
    and no key of either side."""
    steps = check_steps(name, output, wanted)
    end = next((line for line in lines(output) if line.get("event") == "end"), None)
    check(end, f"{name}: our end did not end well")
    keys, requests = json.loads(secrets.read_text()), 0
    check(keys and captures, f"{name}: there is no key, or no capture")
    for capture in captures:
        malformed = tshark(capture, "-Y", "btsmp && (_ws.malformed || _ws.expert.severity == error)")
        check(not malformed, f"{capture.name}: malformed packets of the Security Manager:\n{malformed[:800]}")
        requests += len(tshark(capture, "-Y", "btsmp.opcode == 0x01", "-T", "fields", "-e", "frame.number").split())
        octets = capture.read_bytes()
        for key in map(bytes.fromhex, keys):
            check(key not in octets and key[::-1] not in octets, f"{capture.name} holds a key")
    check(requests == end["pairings"], f"{name}: {requests} Pairing Requests for {end['pairings']} pairings")
    return f"{steps} steps, {requests} pairings, {len(keys)} keys compared"
