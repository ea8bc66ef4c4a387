# SPDX-License-Identifier: Apache-2.0
"""Govee's thermometers, compared with govee-ble."""

import binascii
import struct

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from oracles._sensor_state import asked, number, packet, random_address

PACKAGE = "govee-ble==1.5.2"
STATED = {
    "rounding": "the library divides in binary and rounds; ours are the digits of the packet",
    "error": "where a sensor says that it failed, its battery is all that is given",
    "battery": "more than 100 % is shown as 100",
    "absent": "the library gives 0 °C for a probe that is not there, and says how alarms are set, which is no measurement",
    "event": "of a sensor that tells of events, the library's events are named otherwise",
}
# By service: what stands between two probes, and what comes after them.
PROBES = {"8151": 0, "8351": 0, "8251": 1, "8451": 1, "8551": 2, "9851": 2}
BUTTONS = {8: 1, 10: 6, 11: 2}


def word(random):
    tenths = number(random, 0, 1000)
    value = tenths * 1000 + number(random, 0, 999)
    return (value | (0x800000 if tenths <= 400 and random.random() < 0.3 else 0)).to_bytes(3)


def probes(random):
    service = random.choice([*PROBES])
    between = PROBES[service]
    # An octet of the address, a number, the head that all have, and the battery.
    data = bytearray(random.randbytes(2) + bytes([0, 1, 1, number(random, 0, 100) | random.choice([0, 0x80]), 0, 0x86]))
    data[6] = random.choice([1, 2]) | random.choice([0, 64, 128, 192])
    # The first is there; 0 °C is what the library says of one that is not.
    first, second = number(random, 1, 30000), number(random, 1, 30000, 0xFFFF, 0x8000)
    temperature = [first.to_bytes(2), second.to_bytes(2)]
    data += temperature[0] + bytes(2)
    if between:
        data += bytes(between) + temperature[1] + bytes(2)
    data += bytes({"8151": 14, "8351": 14, "8251": 17, "8451": 17}.get(service, 20) - len(data))
    return packet(random_address(random), services=[service], manufacturer=b"\x34\x12" + data)


def sealed(random):
    """Who tells of events: the block is encrypted from its last octet on, with the time as the key."""
    model = random.choice([2, 3, 8, 9, 10, 11, 13])
    states = {2: [1, 2], 3: [0, 1], 9: [0, 1], 13: [0, 1, 0x10, 0x11]}.get(model) or range(BUTTONS[model])
    block = bytes([1, random.randrange(256), model, 2, number(random, 0, 100), random.choice([*states])]) + bytes(10)
    time = random.randbytes(4)
    encryptor = Cipher(algorithms.AES(bytes(12) + time[::-1]), modes.ECB()).encryptor()
    block = (encryptor.update(block[::-1]) + encryptor.finalize())[::-1]
    data = random.randbytes(2) + time + block + binascii.crc_hqx(block, 0x1D0F).to_bytes(2)
    return packet(random_address(random), name="GV5000", manufacturer=b"\x88\xef" + data)


def presence(random):
    company = random.choice([b"\x03\x88", b"\x43\x88"])
    data = bytes([0xEC, 0, random.choice([1, 2]), 1, random.choice([0, 1]), random.choice([0, 0x11, 0x10])])
    return packet(random_address(random), name="GVH5127A1B2", manufacturer=company + data)


def packets(random):
    while True:
        yield random.choice([thermometer] * 4 + [probes, probes, sealed, presence])(random)


def thermometer(random):
    battery = bytes([number(random, 0, 100)])
    hundredths = struct.pack("<hH", number(random, -4000, 10000), number(random, 0, 10000))
    company, name, data = random.choice([
        (0xEC88, "GVH5075_1234", b"\0" + word(random) + battery + b"\0"),
        (0xEC88, "Govee_H5072_0A0B", b"\0" + word(random) + battery + b"\0"),
        (0xEC88, "Govee_H5074_1234", b"\0" + hundredths + battery + b"\x02"),
        (0xEC88, "Govee_H5052_1234", b"\0" + hundredths + battery + b"\x02\0\0"),
        (0x0001, "GVH5105_1234", b"\x01\x01" + word(random) + battery),
        (0x0001, "GVH5177_1234", b"\x01\x01" + word(random) + battery),
        (0x8801, "Govee_H5179_1234", b"\xec\0\x01\x01" + hundredths + battery),
    ])
    return packet(
        random_address(random), name=name, services=["ec88"], manufacturer=company.to_bytes(2, "little") + data)



def expected(packet):
    from govee_ble import GoveeBluetoothDeviceData

    found = asked(GoveeBluetoothDeviceData(), packet)
    out = {key: found[key] for key in ("temperature", "humidity", "battery", "window", "occupancy", "motion", "presence")
           if key in found}
    for key in ("temperature", "humidity"):
        if key in out:
            out[key] = (out[key], 0.00501)
    if packet["services"] and packet["services"][0] in PROBES:
        for key, value in found.items():
            if key.startswith("temperature_probe_") and value != 0:
                out[key.replace("_probe", "")] = (value, 0.00501)
        return out | {"stated": "absent"}
    if packet["manufacturer"].startswith("88ef"):
        return of_event(packet, found, out)
    return {key: int(value) if isinstance(value, bool) else value for key, value in out.items()}


def of_event(packet, found, out):
    presses = {key: value for key, value in found.items() if key.startswith("button_")}
    values = {key: int(value) if isinstance(value, bool) else value for key, value in out.items()
              if key in ("battery", "window")}
    if "presence" in out:
        values["occupancy"] = int(out["presence"])
    for key in ("motion", "vibration"):
        if key in found:
            values[key] = 1
    for key, event in presses.items():
        # One with a single button that is no button calls it the first, too.
        values[f"button_{int(key[-1]) + 1}"] = event.event_type
    return values | {"stated": "event"}
