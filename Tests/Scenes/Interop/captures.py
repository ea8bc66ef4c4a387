# SPDX-License-Identifier: Apache-2.0
"""The captures of the other tests, read by programs that this project did not write."""
import collections
import struct
import subprocess

from harness import RIG, check, program

# Packets that the host sent.
SENT = "frame.p2p_dir == 0"


def tshark(path, *options):
    result = subprocess.run([program("tshark"), "-n", "-r", str(path), *options], capture_output=True, text=True)
    check(result.returncode == 0, f"tshark cannot read {path.name}: {result.stderr[-300:]}")
    return result.stdout


def opened_by_tshark(bench):
    """No malformed packet at all, no expert error on a packet that we sent."""
    packets = collections.Counter()
    for path in kept_captures():
        packets[path.name] = len(tshark(path, "-T", "fields", "-e", "frame.number").split())
        check(packets[path.name] > 100, f"{path.name} holds {packets[path.name]} packets")
        malformed = tshark(path, "-Y", "_ws.malformed")
        check(not malformed, f"{path.name}: malformed packets:\n{malformed[:800]}")
        errors = tshark(path, "-Y", f"{SENT} && _ws.expert.severity == error")
        check(not errors, f"{path.name}: expert errors on packets sent:\n{errors[:800]}")
        for direction in (0, 1):
            check(tshark(path, "-c", "2000", "-Y", f"frame.p2p_dir == {direction} && btatt"),
                  f"{path.name}: no ATT packet in direction {direction}")
    return ", ".join(f"{name}: {count} packets" for name, count in packets.items())


def opened_by_btmon(bench):
    """btmon decodes every packet and finds none of a wrong size."""
    counts = []
    for path in kept_captures():
        readable = bench.folder / path.name
        readable.write_bytes(without_characteristic_discovery(path.read_bytes()))
        result = subprocess.run([program("btmon"), "-r", str(readable)], capture_output=True, text=True,
                                errors="replace")
        check(result.returncode == 0, f"btmon cannot read {path.name}: {result.stderr[-300:]}")
        for word in ("invalid packet size", "malformed", "Invalid"):
            check(word not in result.stdout, f"btmon on {path.name}: '{word}'")
        packets = [line for line in result.stdout.splitlines() if line[:2] in ("> ", "< ")]
        counts.append(f"{path.name}: {len(packets)} packets")
        check("ATT: " in result.stdout, f"btmon finds no ATT packet in {path.name}")
    return ", ".join(counts)


def without_characteristic_discovery(capture):
    """The btsnoop file without Read By Type Requests for characteristics: Debian 12's btmon (5.66) dies of a null
    pointer at the first of them, whoever sent it; tshark has looked at them."""
    kept, offset = bytearray(capture[:16]), 16
    while offset < len(capture):
        end = offset + 24 + struct.unpack_from(">I", capture, offset + 4)[0]
        packet = capture[offset + 24:end]
        # H4 ACL data, the attribute channel, the opcode; then two handles and the type 0x2803.
        if not (packet[0] == 2 and packet[7:10] == b"\x04\x00\x08" and packet[14:] == b"\x03\x28"):
            kept += capture[offset:end]
        offset = end
    return bytes(kept)


def kept_captures():
    logs = RIG / "logs"
    paths = [logs / "rootcanal.plain" / "plain.btsnoop", logs / "kernel.user_channel" / "kernel.btsnoop"]
    for path in paths:
        check(path.exists(), f"{path} is missing: the test that writes it has to run first")
    return paths
