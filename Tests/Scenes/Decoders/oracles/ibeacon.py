# SPDX-License-Identifier: Apache-2.0
"""iBeacons, compared with bleparser."""

import uuid

PACKAGE = "bleparser==3.7.3"
STATED = {
    "cypress": "the library reads a temperature and a humidity out of every beacon's numbers",
    "power": "-128 dBm, and more than 20, is no measured power, and is left out; the library gives it",
    "voltage": "21 to 42 in place of a power are tenths of a volt",
}


def packets(random):
    while True:
        data = bytes.fromhex("0215") + random.randbytes(21)
        yield {"address": "F0:11:22:33:44:55", "name": None, "services": [], "manufacturer": "4c00" + data.hex(),
               "service_data": {}, "key": None}


def expected(packet):
    from oracles._bleparser import parse

    read = parse(packet)
    identity = uuid.UUID(read["uuid"])
    out = {"beacon": f"{identity}/{read['major']}/{read['minor']}", "tx_power": read["measured power"], "stated": "cypress"}
    if not -127 <= out["tx_power"] <= 20:
        out["stated"] = "power"
        power = out.pop("tx_power")
        if 21 <= power <= 42:
            out |= {"voltage": power / 10, "stated": "voltage"}
    return out
