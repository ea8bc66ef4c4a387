# SPDX-License-Identifier: Apache-2.0
"""SwitchBot's sensors, compared with PySwitchbot."""

PACKAGE = "PySwitchbot==3.1.0"
STATED = {
    "motion": "of a motion sensor the library reads the battery from no scan response of this kind",
    "not ready": "zeros for temperature and humidity are none; the library then says nothing at all",
}
ADDRESS = "A4:C1:38:11:22:33"
METERS = [b"T"[0], b"i"[0], b"w"[0], b"4"[0]]


def packets(random):
    def octet(low, high):
        return random.choice([low, high, *[random.randint(low, high)] * 6])

    address = bytes.fromhex(ADDRESS.replace(":", ""))
    while True:
        model, battery = random.choice([*METERS, *METERS, b"5"[0], b"v"[0], b"d"[0], b"s"[0]]), octet(0, 100)
        climate = bytes([random.randrange(256), octet(0, 9) | random.choice([0, 0x80, 0x40]),
                         octet(0, 127) | random.choice([0, 0x80]), octet(0, 99) | random.choice([0, 0x80])])
        data = address + bytes([random.randrange(256)])
        if model in METERS:
            data += climate
        elif model == b"5"[0]:
            data += climate + bytes(2) + random.choice([0, 9999, random.randrange(10000)]).to_bytes(2, "big") + bytes(1)
        elif model == b"v"[0]:
            data += random.randbytes(5) + climate
        else:
            data += random.randbytes(6)
        service = bytes([model, random.randrange(256), battery | random.choice([0, 0x80])])
        if model in METERS:
            service += climate[1:]
        yield {"address": ADDRESS, "name": None, "services": [], "manufacturer": "6909" + data.hex(),
               "service_data": {"fd3d": service.hex()}, "key": None}


def expected(packet):
    from bleak.backends.device import BLEDevice
    from bleak.backends.scanner import AdvertisementData
    from switchbot import parse_advertisement_data

    service = bytes.fromhex(packet["service_data"]["fd3d"])
    advertisement = AdvertisementData(
        local_name=None, manufacturer_data={0x0969: bytes.fromhex(packet["manufacturer"])[2:]},
        service_data={"0000fd3d-0000-1000-8000-00805f9b34fb": service}, service_uuids=[], tx_power=None, rssi=-60,
        platform_data=())
    read = parse_advertisement_data(BLEDevice(packet["address"], None, {}), advertisement).data["data"]
    if "motion_detected" in read and "contact_open" not in read:
        return {"motion": int(read["motion_detected"]), "light": int(read["is_light"]),
                "battery": min(service[2] & 0x7F, 100), "stated": "motion"}
    if "contact_open" in read:
        return {"opening": int(read["contact_open"]), "left_open": int(read["contact_timeout"]),
                "motion": int(read["motion_detected"]), "light": int(read["is_light"]), "battery": read["battery"]}
    if service[0] == b"v"[0]:
        return {key: read[key] for key in ("temperature", "humidity") if key in read} or None
    if not read:
        out = {"battery": min(service[2] & 0x7F, 100), "stated": "not ready"}
        data = bytes.fromhex(packet["manufacturer"])
        if service[0] == b"5"[0]:
            out["co2"] = int.from_bytes(data[15:17], "big")
        return out
    out = {"battery": read["battery"]}
    if "co2" in read:
        out["co2"] = read["co2"]
    if "temperature" in read:
        out |= {"temperature": read["temperature"], "humidity": read["humidity"]}
    return out
