# SPDX-License-Identifier: Apache-2.0
"""Families that no other library reads, compared with Theengs Decoder."""

import json
import struct

from oracles._sensor_state import address_octets, number, packet, random_address

PACKAGE = "TheengsDecoder==2.5.0"
STATED = {
    "long": "a number of four octets has no sign in the library (no tyre below 0 °C is made here)",
    "hot": "the library takes the upper half of Sensirion's range for numbers below zero (none above 42.5 °C is made here)",
}
# Their name: our key, and how many of our units one of theirs is.
NAMES = {
    "tempc": ("temperature", 1), "hum": ("humidity", 1), "batt": ("battery", 1), "volt": ("voltage", 1),
    "bpm": ("heart_rate", 1), "act_bpm": ("heart_rate", 1), "steps": ("steps", 1), "weight": ("weight", 0.001),
    "level": ("level", 1), "lvl_cm": ("liquid_level", 0.01), "count": ("channel", 1), "pres": ("pressure", 1000),
    "alarm": ("problem", 1), "open": ("opening", 1), "plugged-in": ("plug", 1), "lowbatt": ("battery_low", 1),
    "avg": ("power", 1000), "sum": ("energy", 1), "accx": ("acceleration_x", 1), "accy": ("acceleration_y", 1),
    "accz": ("acceleration_z", 1), "co2": ("co2", 1),
}
PRESSES = {1: "press", 2: "double_press", 3: "triple_press", 4: "quadruple_press", 5: "quintuple_press", 9: "long_press",
           10: "hold_release"}
# Where ours are rounded: half of the last digit. A float has six decimals before it is rounded.
ROUNDED = {
    ("hobo", "liquid_level"): 5.51e-6, ("smartdry", "temperature"): 0.00501, ("smartdry", "humidity"): 0.00501,
    ("sensirion", "temperature"): 0.00501, ("sensirion", "humidity"): 0.00501, ("inode", "power"): 0.0501,
    ("inode", "energy"): 0.0000501,
}


def packets(random):
    while True:
        made = random.choice(MAKERS)
        facts = made(random, random_address(random))
        yield packet(family=made.__name__.replace("_", "-"), **facts)


def beewi(random, address):
    data = bytes([0x0D, 0, 8, 0x0C, random.randrange(2), 6, number(random, 0, 100)])
    return {"address": address, "name": "BSDOO", "manufacturer": data}


def skale(random, address):
    tenths = number(random, -32768, 32767)
    return {"address": address, "name": "Skale I/II", "manufacturer": b"\xef\x81" + tenths.to_bytes(3, "little", signed=True) + b"\xff"}


def otodata(random, address):
    data = b"\xb1\x03OTOTELE\x02\0" + struct.pack("<H", number(random, 0, 10000)) + bytes.fromhex("0000366e0f000000")
    return {"address": address, "name": "unknown", "manufacturer": data}


def polar(random, address):
    # A pulse that no heart has refuses its packet.
    flags, pulse = random.choice([0x2F, 0x33, 0x3B]), random.randint(20, 240)
    data = bytes([0x6B, 0, flags, 0x16, pulse, number(random, 20, 240)])
    return {"address": address, "name": "Polar H10 75087320", "manufacturer": data}


def ela(random, address):
    uuid, name, data = random.choice([
        ("2a6e", "P T EN 888444", struct.pack("<h", number(random, -4000, 12500))),
        ("2a6e", "P TPROBE 000000", struct.pack("<h", number(random, -4000, 12500))),
        ("2a6f", "P RHT 88888B", bytes([number(random, 0, 100)])),
    ])
    voltage = b"\x57\x07\xf2" + struct.pack("<H", number(random, 1800, 3600))
    return {"address": address, "name": name, "services": [uuid], "service_data": {uuid: data}, "manufacturer": voltage}


def feasycom(random, address):
    data = bytes([random.choice([0x27, 0x29]), 2, 0x19, 0x92]) + address_octets(address) + bytes([number(random, 0, 99)])
    return {"address": address, "services": ["fff0"], "service_data": {"fff0": data}}


def tpms(random, address):
    first = random.choice([0x80, 0x81, 0x82, 0x83])
    address = f"{first:02X}:EA:CA" + address[8:]
    data = b"\0\1" + address_octets(address) + struct.pack(
        "<IIBB", number(random, 0, 900_000), number(random, 0, 8000), number(random, 0, 100), random.randrange(2))
    return {"address": address, "name": "TPMS1_" + address[9:].replace(":", ""), "manufacturer": data}


def hobo(random, address):
    data = bytes.fromhex("c5000740d54f01062402000008005231029e") + struct.pack("<f", random.uniform(-10, 50))
    return {"address": address, "name": "MX2001", "manufacturer": data}


def smartdry(random, address):
    data = b"\xae\x01" + struct.pack("<ffHBB", random.uniform(-20, 120), random.uniform(0, 100), random.randrange(500),
                                     random.randrange(256), random.choice([0, 6, 7]))
    return {"address": address, "name": "Laundry Sensor", "manufacturer": data}


def inode(random, address):
    data = bytes([random.choice([0x90, 0x92, 0x94, 0x96]), 0x82]) + struct.pack(
        "<HI", number(random, 0, 0x7FFF), number(random, 0, 0x7FFF)) + struct.pack(
        "<H", number(random, 1, 4095)) + bytes([number(random, 1, 11) << 4, 0, 0x80])
    return {"address": address, "name": "electricity", "manufacturer": data}


def nodon(random, address):
    data = bytes.fromhex("02599c37d90287a5215200") + bytes([number(random, 2, 7), number(random, 0, 100)]) + random.randbytes(
        2) + bytes([number(random, 1, 7)])
    return {"address": address, "services": ["0000"], "service_data": {"0000": data}}


def radioland(random, address):
    def axis():
        return bytes([random.randrange(2), random.randrange(2), random.randrange(10), random.randrange(10)])

    data = bytes([number(random, 0, 60), random.randrange(256), number(random, 0, 99), random.randrange(256)])
    return {"address": address, "name": "RDL52832", "services": ["0318"],
            "service_data": {"0318": data + axis() + axis() + axis()},
            "manufacturer": bytes.fromhex("4c000215fda50693a4e24fb1afcfc6eb07647825270f270fd8")}


def sensirion(random, address):
    data = b"\xd5\x06\0\x0a" + random.randbytes(2) + struct.pack(
        "<HHH", random.randrange(0x8000), random.randrange(0x10000), number(random, 0, 40_000))
    return {"address": address, "name": "SCD4X", "manufacturer": data}


MAKERS = [beewi, skale, otodata, polar, ela, feasycom, tpms, hobo, smartdry, inode, nodon, radioland, sensirion]


def expected(packet):
    from TheengsDecoder import decodeBLE

    asked = {"id": packet["address"], "name": packet["name"], "manufacturerdata": packet["manufacturer"]}
    for uuid, data in packet["service_data"].items():
        asked |= {"servicedatauuid": uuid, "servicedata": data}
    found = json.loads(decodeBLE(json.dumps({key: value for key, value in asked.items() if value})) or "{}")
    out = {}
    for name, value in found.items():
        if name == "button":
            out["button"] = PRESSES[value]
        elif name in NAMES and not isinstance(value, str):
            key, factor = NAMES[name]
            value = int(value) if isinstance(value, bool) else round(value * factor, 9)
            out[key] = (value, ROUNDED.get((packet["family"], key), 1e-6))
    if packet["family"] == "polar" and out:
        # By polarofficial/polar-ble-sdk, BlePolarHrAdvertisement; the library does not read it.
        out["sensor_contact"] = (bytes.fromhex(packet["manufacturer"])[2] >> 1 & 1, 0)
    return out
