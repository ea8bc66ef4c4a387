# SPDX-License-Identifier: Apache-2.0
"""network_guest.py MARTLET - in the QEMU guest: the helper with the real NetworkManager, wpa_supplicant and access points.

Four access points of mac80211_hwsim: "home", which a seeded profile joins, "Attic" (WPA2), "Cellar" (WPA3 alone) and "Desert",
where nobody gives addresses.
"""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

PASSWORD = "correct horse"
PROFILES = pathlib.Path("/etc/NetworkManager/system-connections")
RUNTIME = pathlib.Path("/run/martlet-network")
SEED = """[connection]
id=seed
type=wifi
autoconnect=true

[wifi]
mode=infrastructure
ssid=104;111;109;101;

[wifi-security]
key-mgmt=wpa-psk
psk=the\\sseed's\\sown

[ipv4]
method=auto
"""
CONFIGURATION = """[main]
plugins=keyfile
dns=none
auth-polkit=root-only
autoconnect-retries-default=0
[device]
wifi.scan-rand-mac-address=no
[logging]
level=INFO
"""
# Name, what hostapd is told of it, and the network whose addresses are given there.
POINTS = [
    ("home", "wpa=2\nwpa_key_mgmt=WPA-PSK\nrsn_pairwise=CCMP\nwpa_passphrase=the seed's own\n", "198.51.100"),
    ("Attic", f"wpa=2\nwpa_key_mgmt=WPA-PSK\nrsn_pairwise=CCMP\nwpa_passphrase={PASSWORD}\n", "203.0.113"),
    ("Cellar", f"wpa=2\nwpa_key_mgmt=SAE\nrsn_pairwise=CCMP\nieee80211w=2\nsae_password={PASSWORD}\n", "192.0.2"),
    ("Desert", "", None),
]
started = time.monotonic()


def say(words):
    print(f"{time.monotonic() - started:5.0f} s  {words}", flush=True)


def check(condition, words):
    if not condition:
        print(f"FAILED: {words}", flush=True)
        print(run("nmcli", "device"), run("nmcli", "connection"), flush=True)
        sys.exit(1)


def expect(what, got, wanted):
    check(got == wanted, f"{what}: {got}, not {wanted}")
    say(f"{what}: {got}")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout


def start(name, *command):
    with open(f"/host/{name}.log", "ab") as log:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def wait_for(what, condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        check(time.monotonic() < end, f"{what}: not within {seconds} s")
        time.sleep(0.2)


class Helper:
    def __init__(self, martlet):
        ours, theirs = socket.socketpair()
        with open("/host/helper.log", "ab") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--bounding-set=-all", "--no-new-privs", martlet, "network-helper"], stdin=theirs, stdout=log,
                stderr=log, env={**os.environ, "RUNTIME_DIRECTORY": str(RUNTIME)})
        theirs.close()
        self.socket, self.lines = ours, ours.makefile("rb")

    def ask(self, verb, **keys):
        self.socket.sendall(json.dumps({"verb": verb, **keys}).encode() + b"\n")
        steps = []
        while True:
            line = self.lines.readline()
            check(line.endswith(b"\n"), f"{verb}: the helper ended without an answer")
            answer = json.loads(line)
            if "step" not in answer:
                return steps, answer
            steps.append(answer["step"])

    def close(self):
        self.lines.close()
        self.socket.close()
        self.process.wait()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.lines.close()
        self.socket.close()


def address_points():
    """A namespace beside ours, with the access points and who gives addresses there."""
    run("ip", "netns", "add", "air")
    run("ip", "netns", "exec", "air", "ip", "link", "set", "lo", "up")
    for number, (name, security, network) in enumerate(POINTS, 1):
        phy = pathlib.Path(f"/sys/class/net/wlan{number}/phy80211").resolve().name
        run("iw", "phy", phy, "set", "netns", "name", "air")
        configuration = pathlib.Path(f"/run/{name}.conf")
        configuration.write_text(f"interface=wlan{number}\ndriver=nl80211\nssid={name}\nhw_mode=g\nchannel=1\n{security}"
                                 # An emulator on a busy machine takes its time.
                                 "wpa_pairwise_update_count=60\nwpa_group_update_count=60\n")
        start(f"hostapd-{name}", "ip", "netns", "exec", "air", "hostapd", configuration)
        if network:
            run("ip", "-n", "air", "address", "add", f"{network}.1/24", "dev", f"wlan{number}")
            start(f"dnsmasq-{name}", "ip", "netns", "exec", "air", "dnsmasq", "-d", "-C", "/dev/null", "--port=0",
                  f"--interface=wlan{number}", "--bind-interfaces", f"--dhcp-range={network}.10,{network}.99",
                  f"--dhcp-leasefile=/run/{name}.leases", f"--pid-file=/run/{name}.pid")


def manager():
    process = start("NetworkManager", "NetworkManager", "--debug", "--config=/run/nm.conf")
    wait_for("NetworkManager is there", lambda: "running" in run("nmcli", "-t", "-f", "RUNNING", "general"), 60)
    return process


def active():
    """The profile that the radio has, once it has it whole: before, it does not look for others."""
    for line in run("nmcli", "-t", "-f", "DEVICE,STATE,CONNECTION", "device").split("\n"):
        if line.startswith("wlan0:connected:"):
            return line.removeprefix("wlan0:connected:")
    return None


def profiles():
    return sorted(line for line in run("nmcli", "-t", "-f", "NAME", "connection").split() if line != "lo")


def back(seconds):
    wait_for("the seeded network is back", lambda: active() == "seed" and profiles() == ["seed"], seconds)
    say("the seeded network is back, and nothing of the trial is left")


def hear(martlet, ssid):
    """The emulated radio misses frames on a busy machine: waits until it has heard the network."""
    def heard():
        helper = Helper(martlet)
        networks = helper.ask("scan")[1].get("networks", [])
        helper.close()
        return any(each["ssid"] == ssid for each in networks)
    wait_for(f"{ssid} is heard", heard, 180)


def joined(martlet, limit=120, ssid="Attic"):
    hear(martlet, ssid)
    helper = Helper(martlet)
    steps, answer = helper.ask("join", ssid=ssid, password=PASSWORD, limit=limit)
    check("status" in answer, f"{ssid}: {answer}")
    expect(f"{ssid}", (steps, answer["status"]["ssid"], answer["status"]["isConnected"]), (["associate", "address"], ssid, True))
    expect("on disk", sorted(path.name for path in PROFILES.iterdir()), ["seed.nmconnection"])
    return helper


def main(martlet):
    RUNTIME.mkdir()
    for path in PROFILES.iterdir():
        path.unlink()
    seed = PROFILES / "seed.nmconnection"
    seed.write_text(SEED)
    seed.chmod(0o600)
    pathlib.Path("/run/nm.conf").write_text(CONFIGURATION)
    address_points()
    start("wpa_supplicant", "wpa_supplicant", "-u", "-s", "-O", "/run/wpa_supplicant")
    process = manager()
    # Its radios' frames are late on a busy machine: then it is joined by hand, as a person would.
    wait_for("the seeded network is joined", lambda: active() == "seed" or run(
        "nmcli", "--wait", "30", "connection", "up", "seed") and active() == "seed", 180)
    say(run("NetworkManager", "--version").strip())

    helper = Helper(martlet)
    networks = {}
    for _ in range(5):
        networks = {each["ssid"]: each for each in helper.ask("scan")[1].get("networks", [])}
        if len(networks) == 4:
            break
    expect("scan", {name: (each["security"], each["isJoined"]) for name, each in networks.items()}, {
        "home": ("wpa2", True), "Attic": ("wpa2", False), "Cellar": ("wpa3", False), "Desert": ("open", False)})
    status = helper.ask("status")[1]["status"]
    expect("status", (status["ssid"], status["isConnected"], status["addresses"][0][:11]), ("home", True, "198.51.100."))
    helper.close()
    for ssid, password, failures in [("Attic", "wrong horse", ["wrong-password"]),
                                     ("Cellar", "wrong horse", ["password-or-signal", "wrong-password"]),
                                     ("Desert", None, ["no-address"]), ("Nowhere", PASSWORD, ["network-not-found"])]:
        if ssid != "Nowhere":
            hear(martlet, ssid)
        helper = Helper(martlet)
        answer = helper.ask("join", ssid=ssid, limit=120, **({"password": password} if password else {}))[1]
        check(answer.get("failure") in failures, f"{ssid}: {answer}")
        say(f"{ssid}: {answer}")
        helper.close()
        back(90)

    joined(martlet, ssid="Cellar").close()
    say("the connection has ended")
    back(60)
    joined(martlet, limit=60).kill()
    say("the helper was killed")
    check(active() != "seed", "the trial ended with the helper")
    back(150)
    joined(martlet, limit=600).kill()
    helper = Helper(martlet)
    helper.ask("status")
    helper.close()
    say("the helper was killed, and another one asked")
    back(60)

    helper = joined(martlet)
    kept = helper.ask("keep")[1]["kept"]
    helper.close()
    expect("kept", active(), f"martlet-{kept}")
    # A start in between: the former network.
    process.terminate()
    process.wait()
    process = manager()
    wait_for("the former network after a restart", lambda: active() == "seed", 90)
    say("kept, not settled: the former network after a restart")
    helper = Helper(martlet)
    expect("settle", helper.ask("settle", kept=kept)[1], {})
    helper.close()
    wait_for("the settled network", lambda: active() == f"martlet-{kept}", 90)
    process.terminate()
    process.wait()
    process = manager()
    wait_for("the settled network after a restart", lambda: active() == f"martlet-{kept}", 90)
    say("settled: the new network after a restart")
    helper = Helper(martlet)
    expect("settle again", helper.ask("settle", kept=kept)[1], {})
    expect("settle none", helper.ask("settle")[1], {})
    back(90)
    helper.close()
    expect("on disk", sorted(path.name for path in PROFILES.iterdir()), ["seed.nmconnection"])
    say("all of it holds")


if __name__ == "__main__":
    main(sys.argv[1])
