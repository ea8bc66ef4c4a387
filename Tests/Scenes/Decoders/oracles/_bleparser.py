# SPDX-License-Identifier: Apache-2.0
"""Has bleparser read a packet: it takes whole HCI events."""

PACKAGE = "bleparser==3.7.3"


def structure(kind, octets):
    return bytes([len(octets) + 1, kind]) + octets


def parse(packet, key=None):
    """What bleparser makes of a packet, as a dictionary; None when it knows nothing."""
    from bleparser import BleParser

    address = bytes.fromhex(packet["address"].replace(":", ""))
    data = structure(0x01, b"\x06")
    for uuid, value in packet.get("service_data", {}).items():
        data += structure(0x16, bytes.fromhex(uuid)[::-1] + bytes.fromhex(value))
    if packet.get("manufacturer"):
        data += structure(0xFF, bytes.fromhex(packet["manufacturer"]))
    if packet.get("name"):
        data += structure(0x09, packet["name"].encode())
    event = bytes([0x02, 0x01, 0x00, 0x00]) + address[::-1] + bytes([len(data)]) + data + b"\xc4"
    keys = {address: bytes.fromhex(key)} if key else {}
    parser = BleParser(report_unknown=False, discovery=True, filter_duplicates=False, aeskeys=keys)
    read, _ = parser.parse_raw_data(b"\x04\x3e" + bytes([len(event)]) + event)
    return read
