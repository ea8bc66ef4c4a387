# SPDX-License-Identifier: Apache-2.0
"""What can be asked of a gateway again and again, as its own sources list it, and how each is asked here."""
import re
import time

from harness import COUNTER_SERVICE, COUNTER_VALUE, ROOT, check

SOURCES = ROOT / "Sources"


def source(path):
    return (SOURCES / path).read_text()


# MARK: What there is

def table():
    """The rows of docs/operations.md, which a test holds to the program's own: name, and its cells."""
    text = (ROOT / "docs/operations.md").read_text()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| `")]
    first = [row for row in rows if len(row) == 10]
    arguments = {row[0].strip("`"): re.findall(r"(?:^|<br>)`(\w+)`", row[1]) for row in rows if len(row) == 3}
    check(len(first) > 30, "docs/operations.md has another form")
    return [{"name": row[0].strip("`"), "changes": row[2], "socket": row[3], "page": row[4], "broker": row[5], "phone": row[6],
             "pace": row[7],
             "arguments": arguments.get(row[0].strip("`"), [])} for row in first]


def control_commands():
    """Each operation of the control socket, those on the window for phones with each action by itself."""
    actions = re.findall(r"^ +case (\w+)", source("Operations/WindowAction.swift"), re.MULTILINE)
    check("open" in actions and len(actions) > 3, "WindowAction.swift has another form")
    names = [row["name"] for row in table() if row["socket"] != "–"]
    return [name for name in names if name != "provision"] + [f"provision {action}" for action in actions]


def page_requests():
    """Method and path of all that the page answers, its files included."""
    found = [("GET" if row["changes"] == "–" and set(row["arguments"]) <= {"sensor", "range"} else "POST", f"/api/{row['name']}")
             for row in table() if row["page"] != "–"]
    service = source("Page/PageService.swift")
    found += [(method.upper(), path) for method, path in re.findall(r'\(\.(get|post), "(/\w+)"\)', service)]
    found += [("GET", path) for path in re.findall(r'request\.path == "(/\w+)", request\.method == \.get', service)]
    found += [("GET", path) for path in re.findall(r'case "(/\w*)": all', source("Page/Requests/PageFiles.swift"))]
    found += [("GET", f"/{file.name}") for file in sorted((SOURCES / "CPage/page").iterdir()) if file.suffix != ".html"]
    return found


def mqtt_paces():
    """The commands over MQTT: how many rounds at once, and in how many seconds one more is carried out."""
    found = {row["name"]: re.fullmatch(r"(\d+) at once, one more each (\d+) s", row["pace"])
             for row in table() if row["broker"] != "–"}
    check(all(found.values()), "docs/operations.md writes a pace in another way")
    return {name: (int(pace[1]), int(pace[2])) for name, pace in found.items()}


def mqtt_commands():
    return list(mqtt_paces())


def phone_messages():
    """Reading and writing of each attribute of the configuration service that owners may read or write."""
    text = source("Provisioning/ProvisioningTable.swift")
    numbers = dict(re.findall(r"case (\w+) = 0x([0-9a-f]{4})", text))

    def excluded(name):
        body = re.search(rf"var {name}: .*?switch self \{{(.*?)default", text, re.DOTALL)[1]
        return re.findall(r"\.(\w+)", " ".join(re.findall(r"case (.*?): \.nobody", body)))
    return [("read", item, numbers[item]) for item in numbers if item not in excluded("reading")] + \
        [("write", item, numbers[item]) for item in numbers if item not in excluded("writing")]


# MARK: How each is asked

# Of `martlet virtual-radio`: a counter that can be read and written, and a strap that nobody collects from.
SENSOR, COUNTER, INSPECTED = "c47c8d001105", "C4:7C:8D:00:11:05", "C4:7C:8D:00:11:03"
READ, WRITTEN = f"{COUNTER_SERVICE}/{COUNTER_VALUE}", COUNTER_VALUE.replace("0002", "0003", 1)
OTHER = "C0:00:00:00:00:01"
# Of `martlet virtual-radio --advertiser bthome`.
ADVERTISER, KEYED, KEY = "A4:C1:38:00:12:00", "keyed", "0102030405060708090a0b0c0d0e0f10"
FEEDS = ["180d/2a37"]

# A round: requests that leave things as they were. The first of each list gives the round its name.
CONTROL = {
    "clock-set": [lambda: {"unix_ms": int(time.time() * 1000), "force": True}],
    "accept": [{"address": OTHER, "id": "other", "subscribe": FEEDS}, {"command": "forget", "sensor": "other"}],
    "forget": [{"command": "accept", "address": OTHER, "id": "other", "subscribe": FEEDS}, {"sensor": "other"}],
    "key": [{"sensor": KEYED, "key": KEY}], "why": [{"sensor": SENSOR}],
    "read": [{"sensor": SENSOR, "characteristic": READ}],
    "write": [{"sensor": SENSOR, "characteristic": f"{COUNTER_SERVICE}/{WRITTEN}", "value": "01"}],
    "trust": [{"sensor": KEYED}], "acknowledge": [{"problem": "nobody"}],
    "rename": [{"command": "accept", "address": OTHER, "id": "other", "subscribe": FEEDS},
               {"sensor": "other", "label": "Other", "room": "Attic"}, {"command": "forget", "sensor": "other"}],
    "maintenance": [{"sensor": SENSOR, "seconds": 60}, {"sensor": SENSOR}],
    "unpair": [{"sensor": SENSOR}], "pair": [{"sensor": "nobody"}],
    "inspect": [{"address": INSPECTED, "seconds": 5}],
    "update": [{"report": {"state": "idle"}}],
    "provision open": [{"minutes": 1}, {"command": "provision close"}],
    "provision close": [{"command": "provision open", "minutes": 1}, {}],
    "provision status": [{}], "provision label": [{}], "provision forget": [{}], "provision-open": [{"action": "open", "minutes": 1}],
}

TEXT = "".join(f'[[sensor]]\nid = "x{number}"\naddress = "D0:00:00:00:00:{number:02X}"\nsubscribe = ["180d/2a37"]\n'
               for number in range(8))
PAGE = {
    "GET /api/chart": f"?sensor={SENSOR}", "GET /api/why": f"?sensor={SENSOR}",
    "POST /api/accept": [{"address": "C4:7C:8D:00:11:04"}, ("/api/forget", {"sensor": "c47c8d001104"})],
    "POST /api/forget": [("/api/accept", {"address": "C4:7C:8D:00:11:04"}), {"sensor": "c47c8d001104"}],
    "POST /api/key": [{"sensor": KEYED, "key": KEY}], "POST /api/trust": [{"sensor": KEYED}],
    "POST /api/rename": [("/api/accept", {"address": "C4:7C:8D:00:11:04"}), {"sensor": "c47c8d001104", "label": "Other"},
                         ("/api/forget", {"sensor": "c47c8d001104"})],
    "POST /api/acknowledge": [{"problem": "nobody"}],
    "POST /api/maintenance": [{"sensor": SENSOR, "seconds": 60}, {"sensor": SENSOR}],
    "POST /api/unpair": [{"sensor": SENSOR}],
    "POST /api/check-config": [{"text": TEXT}], "POST /api/update": [{"action": "check"}],
    "POST /api/provision": [{"action": "open"}, {"action": "close"}],
    "POST /api/settings-check": [{"name": "attic"}],
    "POST /api/settings-apply": [{"name": "attic"}, {"name": ""}],
    "POST /api/settings-undo": [("/api/settings-apply", {"name": "attic"}), {}],
    "POST /login": "password=wrong", "POST /logout": "",
}
MQTT = {
    "why": [{"sensor": SENSOR}], "trust": [{"sensor": KEYED}],
    "acknowledge": [{"problem": "nobody"}], "maintenance": [{"sensor": SENSOR, "seconds": 60}, {"sensor": SENSOR}],
    "accept": [{"arguments": {"address": OTHER, "id": "other", "subscribe": FEEDS}}, ("forget", {"sensor": "other"})],
    "forget": [("accept", {"arguments": {"address": OTHER, "id": "other", "subscribe": FEEDS}}), {"sensor": "other"}],
    "write": [{"sensor": SENSOR, "characteristic": f"{COUNTER_SERVICE}/{WRITTEN}", "value": "01"}],
    "provision": [{"action": "open", "minutes": 1}, {"action": "close"}],
    "update": [{"action": "check"}],
}
# What takes no arguments is asked for without any.
for bare in [row for row in table() if not row["arguments"]]:
    if bare["socket"] != "–":
        CONTROL.setdefault(bare["name"], [{}])
    if bare["page"] != "–" and bare["changes"] != "–":
        PAGE.setdefault(f"POST /api/{bare['name']}", [{}])
    if bare["broker"] != "–":
        MQTT.setdefault(bare["name"], [{}])
PHONE = {
    "name": "attic", "country": "DE", "networks": "scan", "wireless": {"ssid": "Attic", "password": "12345678"},
    "broker": {"host": "127.0.0.1", "port": 1883, "tls": False}, "authority": {"size": 0}, "authorityData": "x",
    "time": lambda: time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()), "acceptSensor": {"address": OTHER, "id": "other", "subscribe": FEEDS},
    "forgetSensor": "other", "sensorPasskey": {"address": ADVERTISER, "passkey": "123456"}, "identify": "x",
    "apply": "apply", "rollBack": "staged", "window": "close", "factoryReset": "erase everything",
}

# They end the process. Each time there is a new one, which is measured when it runs.
ENDING = {"POST /api/restart", "mqtt restart", "write factoryReset"}
# They write much, or take seconds.
HEAVY = {"support-bundle", "buffer-compact", "buffer-purge", "inspect", "POST /api/settings-apply",
         "POST /api/settings-undo", "GET /api/support-text", "mqtt support-bundle", "write apply"}
# The commands of a sensor's entry, eight in a second: a round waits for one that the sensor has confirmed.
REPEATED = "write_every_s"
COMMANDS = [f'{{ characteristic = "{COUNTER_SERVICE}/{WRITTEN}", value = "{number:02x}" }}' for number in range(8)]
# A link carries them, each in some of its intervals.
OVER_THE_AIR = {"read", "write"}


def rounds(name, options):
    """How often an operation is asked for."""
    if name in HEAVY | ENDING:
        return options.heavy
    if name == REPEATED:
        return options.air or options.people
    isCarried = name in OVER_THE_AIR or name.startswith(("read ", "write "))
    return (isCarried and options.air) or options.times


def complete(wanted, asked, what):
    """Each operation that there is is asked here."""
    missing, unknown = sorted(set(wanted) - set(asked)), sorted(set(asked) - set(wanted))
    check(not missing, f"{what}: {', '.join(missing)}: say in Tests/Proof/Leaks/operations.py how to ask for it")
    check(not unknown, f"{what}: {', '.join(unknown)}: the gateway does not have it any more")
