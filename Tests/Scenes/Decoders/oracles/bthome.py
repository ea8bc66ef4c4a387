# SPDX-License-Identifier: Apache-2.0
"""BTHome 2, plain and encrypted, compared with bthome-ble."""

from oracles._sensor_state import address_octets, asked, number, packet, random_address

PACKAGE = "bthome-ble==3.25.0"
STATED = {
    "precision": "the library rounds to the digits of its factor; ours are exact",
    "range": "a temperature that no air has is left out; the library gives it (none is made here)",
    "unknown": "objects that the library does not know are none of these",
}

# Identifier: octets, signed, factor, our key. Those whose units are the same on both sides.
OBJECTS = {
    0x01: (1, False, 1, "battery"), 0x02: (2, True, 0.01, "temperature"), 0x03: (2, False, 0.01, "humidity"),
    0x04: (3, False, 0.01, "pressure"), 0x05: (3, False, 0.01, "illuminance"), 0x06: (2, False, 0.01, "weight"),
    0x08: (2, True, 0.01, "dewpoint"), 0x09: (1, False, 1, "count"), 0x0A: (3, False, 0.001, "energy"),
    0x0B: (3, False, 0.01, "power"), 0x0C: (2, False, 0.001, "voltage"), 0x0D: (2, False, 1, "pm25"),
    0x0E: (2, False, 1, "pm10"), 0x12: (2, False, 1, "carbon_dioxide"), 0x13: (2, False, 1, "volatile_organic_compounds"),
    0x14: (2, False, 0.01, "moisture"), 0x2E: (1, False, 1, "humidity"), 0x3F: (2, True, 0.1, "rotation"),
    0x40: (2, False, 1, "distance"), 0x42: (3, False, 0.001, "duration"), 0x43: (2, False, 0.001, "current"),
    0x44: (2, False, 0.01, "speed"), 0x45: (2, True, 0.1, "temperature"), 0x46: (1, False, 0.1, "uv_index"),
    0x4A: (2, False, 0.1, "voltage"), 0x4E: (4, False, 0.001, "volume"), 0x51: (2, False, 0.001, "acceleration"),
    0x52: (2, False, 0.001, "gyroscope"), 0x57: (1, True, 1, "temperature"), 0x5D: (2, True, 0.001, "current"),
    0x0F: (1, None, 1, "generic"), 0x10: (1, None, 1, "power_on"), 0x11: (1, None, 1, "opening"),
    0x15: (1, None, 1, "battery_low"), 0x21: (1, None, 1, "motion"), 0x2D: (1, None, 1, "window"),
    0x23: (1, None, 1, "occupancy"), 0x20: (1, None, 1, "moisture"), 0x29: (1, None, 1, "smoke"),
}
RANGES = {"humidity": 100, "battery": 100, "moisture": 100}
# What the library calls otherwise.
OURS = {"carbon_dioxide": "co2", "volatile_organic_compounds": "tvoc", "dew_point": "dewpoint", "mass": "weight"}


def seal(key, nonce, plaintext):
    from cryptography.hazmat.primitives.ciphers.aead import AESCCM

    sealed = AESCCM(key, tag_length=4).encrypt(nonce, plaintext, None)
    return sealed[:-4], sealed[-4:]


def packets(random):
    while True:
        address = random_address(random)
        objects = b""
        for identifier in sorted(random.sample(list(OBJECTS), random.randint(1, 4))):
            octets, signed, factor, key = OBJECTS[identifier]
            top = (1 << 8 * octets) - 1
            if signed is None:
                value = random.randrange(2)
            elif key in RANGES:
                value = number(random, 0, round(RANGES[key] / factor))
            elif key in ("temperature", "dewpoint"):
                value = number(random, *(max(-128 if octets == 1 else -32768, min(127 if octets == 1 else 32767, edge))
                                         for edge in (round(-90 / factor), round(190 / factor))))
            elif signed:
                value = number(random, -(top + 1) // 2, top // 2)
            else:
                value = number(random, 0, top)
            objects += bytes([identifier]) + value.to_bytes(octets, "little", signed=bool(signed) and value < 0)
        if random.random() < 0.5:
            yield packet(address, name="sensor", service_data={"fcd2": b"\x40" + objects})
            continue
        key, counter = random.randbytes(16), number(random, 0, 0xFFFFFFFF).to_bytes(4, "little")
        ciphertext, tag = seal(key, address_octets(address) + b"\xd2\xfc\x41" + counter, objects)
        yield packet(
            address, name="sensor", key=key, service_data={"fcd2": b"\x41" + ciphertext + counter + tag})


def expected(packet):
    from bthome_ble import BTHomeBluetoothDeviceData

    parser = BTHomeBluetoothDeviceData(bindkey=bytes.fromhex(packet["key"]) if packet["key"] else None)
    binary = {"battery": "battery_low", "power": "power_on", "moisture": "moisture_detected"}
    out = {}
    for key, value in asked(parser, packet, binary).items():
        # A quantity several times: `temperature_2`.
        base, _, index = key.rpartition("_") if key[-1].isdigit() and "_" in key and key != "pm2_5" else (key, "", "")
        ours = OURS.get(base, base) + (f"_{index}" if index else "")
        out[ours] = int(value) if isinstance(value, bool) else value / 1000 if base == "distance" else value
    return out
