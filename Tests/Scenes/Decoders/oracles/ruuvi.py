# SPDX-License-Identifier: Apache-2.0
"""RuuviTags and Ruuvi Air, compared with ruuvitag-ble."""

import struct

from oracles._sensor_state import address_octets, asked, number, packet, random_address

PACKAGE = "ruuvitag-ble==0.4.0"
STATED = {
    "humidity": "up to 120 % is shown as 100 %; more is nothing that the sensor can say, and is left out",
    "acceleration axes, sequence and transmit power": "the library leaves them out; they are compared with what was sent",
    "movements": "FF is no count; the library gives 255",
}


def packets(random):
    while True:
        address = random_address(random)
        mac = address_octets(address)
        climate = struct.pack(
            ">hHH", number(random, -32767, 32767, -32768), number(random, 0, 40000, 48000, 65535),
            number(random, 0, 65534, 65535))
        power = number(random, 0, 0x7FE, 0x7FF) << 5 | number(random, 0, 30, 31)
        if random.random() < 0.5:
            axes = [number(random, -16000, 16000, -32768) for _ in range(3)]
            data = b"\x05" + climate + struct.pack(
                ">hhhHBH", *axes, power, number(random, 0, 254, 255), number(random, 0, 65534, 65535)) + mac
        else:
            axes = [number(random, -16000, 16000) for _ in range(3)]
            data = b"\x03" + struct.pack(
                ">BBBHhhhH", number(random, 0, 200), random.randrange(256), random.randrange(100),
                number(random, 0, 65535), *axes, number(random, 0, 65535))
        yield packet(address, manufacturer=b"\x99\x04" + data, axes=axes)


KEYS = {"temperature": "temperature", "humidity": "humidity", "pressure": "pressure", "voltage": "voltage",
        "movement_counter": "movement_counter"}


def expected(packet):
    from ruuvitag_ble import RuuvitagBluetoothDeviceData

    data = bytes.fromhex(packet["manufacturer"])[2:]
    found = asked(RuuvitagBluetoothDeviceData(), packet)
    out = {ours: found[theirs] for theirs, ours in KEYS.items() if found.get(theirs) is not None}
    if "voltage" in out:
        out["voltage"] = (out["voltage"] / 1000, 1e-6)
    for key, tolerance in (("temperature", 0.00501), ("humidity", 0.00501), ("pressure", 0.00501)):
        if key in out:
            out[key] = (out[key], tolerance)
    if data[0] == 5:
        if int.from_bytes(data[3:5]) > 48000:
            out.pop("humidity", None)
        elif "humidity" in out:
            out["humidity"] = (min(out["humidity"][0], 100), out["humidity"][1])
        power = int.from_bytes(data[13:15])
        if power & 31 != 31:
            out["tx_power"] = (power & 31) * 2 - 40
        if data[15] == 255:
            out.pop("movement_counter", None)
        if data[16:18] != b"\xff\xff":
            out["sequence"] = int.from_bytes(data[16:18])
    for axis, value in zip("xyz", packet["axes"]):
        if value != -32768:
            out[f"acceleration_{axis}"] = (value * 0.00980665, 0.000501)
    return out
