# SPDX-License-Identifier: Apache-2.0
"""Asks the libraries that Home Assistant uses: they all take the same description of an advertisement."""

BASE = "0000{}-0000-1000-8000-00805f9b34fb"


def uuid(text):
    return BASE.format(text.lower()) if len(text) == 4 else text.lower()


def packet(address="F0:11:22:33:44:55", name=None, services=(), manufacturer=b"", service_data=None, key=None, **facts):
    """A packet as run.py sends it; `manufacturer` with the company's two octets in front."""
    data = {number: octets.hex() for number, octets in (service_data or {}).items()}
    return {"address": address, "name": name, "services": list(services), "manufacturer": manufacturer.hex(),
            "service_data": data, "key": key.hex() if key else None, **facts}


def asked(parser, packet, binary=None):
    """The values that a library finds, by its keys: numbers, booleans and the names of events.

    `binary`: other keys for some of its booleans, which may be called like a number.
    """
    from home_assistant_bluetooth import BluetoothServiceInfoBleak
    from bleak.backends.device import BLEDevice

    octets = bytes.fromhex(packet["manufacturer"])
    manufacturer = {int.from_bytes(octets[:2], "little"): octets[2:]} if octets else {}
    info = BluetoothServiceInfoBleak(
        name=packet["name"] or packet["address"], address=packet["address"], rssi=-60, manufacturer_data=manufacturer,
        service_data={uuid(number): bytes.fromhex(data) for number, data in packet["service_data"].items()},
        service_uuids=[uuid(number) for number in [*packet["services"], *packet["service_data"]]], source="local",
        device=BLEDevice(packet["address"], packet["name"], {}), advertisement=None, connectable=False, time=0,
        tx_power=None, raw=raw(packet, octets))
    update = parser.update(info)
    found = {}
    for key, value in update.entity_values.items():
        found[name(key)] = value.native_value
    for key, value in update.binary_entity_values.items():
        found[(binary or {}).get(name(key), name(key))] = value.native_value
    for key, value in update.events.items():
        found[name(key)] = value
    found.pop("signal_strength", None)
    return found


def name(key):
    return f"{key.key}@{key.device_id}" if key.device_id else key.key


def raw(packet, manufacturer):
    """The advertisement's octets: libraries for sensors that keep data in the company's place look at these."""
    data = b"\x02\x01\x06"
    if manufacturer:
        data += bytes([len(manufacturer) + 1, 0xFF]) + manufacturer
    return data


def address_octets(address):
    return bytes.fromhex(address.replace(":", ""))


def random_address(random):
    return ":".join(f"{octet:02X}" for octet in bytes([random.choice([0xA4, 0xC1, 0xE5]), *random.randbytes(5)]))


RANGES = {"temperature": (-273.15, 2000), "battery": (0, 100), "humidity": (0, 100), "moisture": (0, 100),
          "tx_power": (-127, 20)}


def possible(found):
    """Without the values that our catalogue of quantities rules out (Quantity+Range.swift); a packet of nothing else is refused."""
    out = {key: value for key, value in found.items()
           if key not in RANGES or RANGES[key][0] <= value <= RANGES[key][1]}
    if len(out) == len(found):
        return out
    return out | {"stated": "range"} if out else {"stated": "range", "refused": True}


def number(random, low, high, *others):
    """A number of a range, its ends and what lies outside more often than chance would have it."""
    return random.choice([low, high, *others, *[random.randint(low, high)] * 6])
