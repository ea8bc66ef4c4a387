# SPDX-License-Identifier: Apache-2.0
"""The kernel's own HCI socket: the release binary in a QEMU guest, hci0 attached over an emulated UART."""
import os
import pathlib
import re
import signal
import time

from harness import FEEDS, RIG_SOURCES, Sensor, check, free_ports, wait_for
from ledger import check_exact, check_no_repeats, of, unique
from rootcanal import wait_until_delivered

# Runs in the guest, with /host = the test's folder. Each `martlet` leaves its output and status there. A gateway that
# cannot have its controller keeps trying: each attempt is ended once it has said what `attempt` waits for.
SCRIPT = r"""
attempt() {
    local name=$1 words=$2 controller=$3; shift 3
    "$@" "$MARTLET" run --config /host/guest.toml --controller "$controller" >"/host/$name.out" 2>&1 &
    local process=$! waited=0
    until grep -q "$words" "/host/$name.out" || [ $waited -ge 240 ]; do sleep 0.5; waited=$((waited + 1)); done
    kill -TERM $process; wait $process; echo $? >"/host/$name.status"
}
bt_attach 0 || { cat /run/btattach0.log >&2; exit 70; }
# A gateway without privileges cannot enter every folder that a checkout lies in.
touch /run/martlet; mount --bind "$MARTLET" /run/martlet; MARTLET=/run/martlet
rm -rf /tmp/state; mkdir -m 777 /tmp/state  # this machine may have one, too
echo attached
# As in the service: the gateway has no privileges, a helper that is started for the moment opens the adapter.
setpriv --bounding-set=-all,+net_admin systemd-socket-activate --seqpacket --accept --inetd -l /run/controller.sock \
    "$MARTLET" open-controller 2>/run/helper.log &
until [ -S /run/controller.sock ]; do sleep 0.2; done
chmod 777 /run/controller.sock
unprivileged() { exec setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --no-new-privs "$@"; }
helped() { unprivileged env "MARTLET_CONTROLLER_SOCKET=$1" "${@:2}"; }
helped /run/controller.sock "$MARTLET" run --config /host/guest.toml --controller hci0 --capture /tmp/state/kernel.btsnoop \
    >/host/run.out 2>&1 &
gateway=$!
until [ -e /host/collected ]; do sleep 0.3; kill -0 $gateway 2>/dev/null || { cat /host/run.out >&2; exit 71; }; done
"$MARTLET" inspect --controller hci0 F0:00:00:00:00:01 >/host/held.out 2>&1; echo $? >/host/held.status
grep CapEff "/proc/$(pgrep -f 'martlet run')/status" >/host/capabilities
kill -TERM $gateway; wait $gateway; echo $? >/host/run.status
cp /tmp/state/kernel.btsnoop /host/
attempt enodev 'no such adapter' hci7 helped /run/controller.sock
attempt eperm CAP_NET_ADMIN hci0 unprivileged
attempt unhelped 'its helper at /run/none.sock' hci0 helped /run/none.sock
hciconfig hci0 up
attempt ebusy-helped 'is busy' hci0 helped /run/controller.sock
attempt ebusy 'is busy' hci0
hciconfig hci0 down
bluez_start && bluez_power_on || exit 72
attempt ebusy-bluez 'is busy' hci0
"""


# The advice is of the installation. The guest sees this machine's files, and a container's command where this is a container.
RESTART_HELPER = r"Run «(sudo )?systemctl restart martlet-controller\.socket»|Run «docker restart martlet»"


def user_channel(bench):
    """A sensor collected through HCI_CHANNEL_USER by a gateway without privileges, a broker reached; and what is said when hci0
    cannot be had."""
    radio, broker = bench.radio(), bench.broker()
    consumer = bench.consumer(broker)
    sensor = Sensor(bench, radio, 1, "counter", 10, drop_every=40)
    bench.configuration(broker.port, [(f'name = "{sensor.name}"', FEEDS["counter"])], name="guest.toml",
                        host="10.0.2.100", state="/tmp/state")
    guest = bench.start("guest", [
        RIG_SOURCES / "kernel" / "run-guest.sh", "-u", radio, "-f", broker.port, "-d", bench.folder, "-k", bench.folder,
        "-t", "600", f"MARTLET={bench.martlet}\n{SCRIPT}"])

    def progressing(condition):
        def poll():
            check(guest.alive(), f"the guest ended with status {guest.process.returncode}: {guest.text()[-800:]}")
            return condition()
        return poll
    wait_for("hci0 is attached", progressing(lambda: "attached" in guest.text()), 60)
    wait_for("a first reading arrives", progressing(lambda: consumer.readings()), 60)
    wait_for("the sensor has dropped a link", progressing(lambda: len(sensor.events("disconnected")) >= 1), 60)
    wait_for("the sensor sends again", progressing(lambda: any(
        event["link"] >= 2 for event in sensor.sent())), 60)
    sensor.stop()
    wait_until_delivered([sensor], consumer, 30)
    (bench.folder / "collected").touch()
    wait_for("the guest ends", lambda: not guest.alive(), 150)
    check(guest.process.returncode == 0, f"the guest ended with status {guest.process.returncode}")

    def result(name):
        return ((bench.folder / f"{name}.out").read_text(errors="replace"),
                int((bench.folder / f"{name}.status").read_text()))
    output, status = result("run")
    check(status == 0, f"martlet run ended with status {status} in the guest: {output[-500:]}")
    readings = consumer.readings()
    check_no_repeats(readings)
    check_exact(sensor, readings)
    capabilities = (bench.folder / "capabilities").read_text().split()
    check(capabilities == ["CapEff:", "0000000000000000"], f"the gateway has privileges: {capabilities}")
    output, _ = result("held")
    check(re.search(r"a running gateway \(process \d+\) uses the adapter", output), f"inspect beside a gateway says: {output[-400:]}")
    # What each errno of bind has to tell a person.
    wanted = {"enodev": ["hci7", "no such adapter"], "eperm": ["CAP_NET_ADMIN"],
              "unhelped": ["its helper at /run/none.sock", RESTART_HELPER], "ebusy-helped": ["hciconfig hci0 down"],
              "ebusy": ["hci0 is busy", "hciconfig hci0 down"], "ebusy-bluez": ["hci0 is busy", "bluetoothd"]}
    for name, words in wanted.items():
        output, status = result(name)
        check(status == 0, f"{name}: martlet ended with status {status} after SIGTERM: {output[-400:]}")
        for word in words:
            check(re.search(word, output), f"{name}: the message does not name {word}: {output[-400:]}")
    return f"{len(unique(readings))} readings through hci0's user channel, without privileges; EBUSY, EPERM and ENODEV told apart"


# What `faults` writes into /host/order is done, one at a time.
OBEDIENT = r"""
bt_attach 0 || { cat /run/btattach0.log >&2; exit 70; }
rm -rf /tmp/state; mkdir /tmp/state
# What root does for a gateway: a driver of /sys could be told to, a line that a program has attached is attached anew.
cat >/run/rebind <<'END'
#!/bin/bash
read -r question; echo "asked: $question" >>/host/orders.log
[ "$question" = "rebind hci0" ] || { echo "there is only rebind hci0 here"; exit; }
kill $(pgrep -x btattach)
while [ -e /sys/class/bluetooth/hci0 ]; do sleep 0.1; done
bt_attach 0 </dev/null >/dev/null 2>&1
echo done
END
chmod +x /run/rebind
systemd-socket-activate --accept --inetd -l /run/radio.sock -E BASH_ENV="$BASH_ENV" /run/rebind 2>/run/helper.log &
until [ -S /run/radio.sock ]; do sleep 0.2; done
MARTLET_RADIO_SOCKET=/run/radio.sock "$MARTLET" run --config /host/guest.toml --controller hci0 >/host/run.out 2>&1 &
gateway=$!
while kill -0 $gateway 2>/dev/null; do
    if [ -e /host/order ]; then
        . /host/order >>/host/orders.log 2>&1
        mv /host/order /host/done
    fi
    sleep 0.3
done
wait $gateway; echo $? >/host/run.status
"""


def faults(bench):
    """What befalls a kernel's adapter, and the gateway gets on by itself: its UART is taken away and given back, the controller behind
    it dies and another one is there, the kernel cannot set it up, bluetoothd has it for a while."""
    port, broker = free_ports(5), bench.broker()
    consumer = bench.consumer(broker)

    def radio(number):
        process = bench.start(f"radio-{number}", [RIG_SOURCES / "radio.sh", port],
                              {"RADIO_LOG": str(bench.folder / f"rootcanal-{number}.log")})
        process.expect("radio: ready", 30)
        return process
    air = radio(1)

    def fresh(sensor=None):
        """RootCanal tells a peer nothing of a controller that was reset, and has no supervision time-out: its link would stand for ever."""
        if sensor:
            sensor.process.discard()
        return Sensor(bench, port, 1, "counter", 10)
    sensor = fresh()
    bench.configuration(broker.port, [(f'name = "{sensor.name}"', FEEDS["counter"])], name="guest.toml",
                        host="10.0.2.100", state="/tmp/state")
    guest = bench.start("guest", [
        RIG_SOURCES / "kernel" / "run-guest.sh", "-u", port, "-f", broker.port, "-d", bench.folder, "-k", bench.folder,
        "-t", "900", f"MARTLET={bench.martlet}\n{OBEDIENT}"])

    def tell(number):
        """A signal for RootCanal itself, which radio.sh has started first."""
        children = pathlib.Path(f"/proc/{air.pid}/task/{air.pid}/children").read_text().split()
        os.kill(int(children[0]), number)

    def alive(condition):
        check(guest.alive(), f"the guest ended with status {guest.process.returncode}: {guest.text()[-800:]}")
        return condition()

    def log():
        path = bench.folder / "run.out"
        return path.read_text(errors="replace") if path.exists() else ""

    def order(text):
        (bench.folder / "done").unlink(missing_ok=True)
        (bench.folder / "order.new").write_text(text)
        (bench.folder / "order.new").rename(bench.folder / "order")
        wait_for(f"the guest has done: {text}", lambda: alive((bench.folder / "done").exists), 60)

    def flows(what, limit=90):
        """Readings come again; how long that took."""
        before, began = len(consumer.readings()), time.monotonic()
        wait_for(f"readings come {what}", lambda: alive(lambda: len(consumer.readings()) > before + 5), limit)
        return time.monotonic() - began

    def said(words, since):
        wait_for(f"the gateway says: {words}", lambda: alive(lambda: re.search(words, log()[since:])), 60)
    flows("at first", 120)

    told = len(log())
    order("kill %1; wait %1; [ ! -e /sys/class/bluetooth/hci0 ]")
    said("controller lost", told)
    said("no such adapter", told)
    sensor = fresh(sensor)
    order("bt_quiet 0; bt_line 0")
    uart = flows("after the UART came back")

    # The controller does not answer while the kernel sets it up: the kernel tries no more, and lets nobody have it.
    told = len(log())
    tell(signal.SIGSTOP)
    order("kill $(pgrep -x btattach); while [ -e /sys/class/bluetooth/hci0 ]; do sleep 0.1; done;"
          " failures=$(dmesg | grep -c 'failed: -110'); bt_line 0;"
          " until [ $(dmesg | grep -c 'failed: -110') -gt $failures ]; do sleep 0.5; done")
    tell(signal.SIGCONT)
    said("hci0: the kernel could not set the adapter up", told)
    sensor = fresh(sensor)
    said("the radio is brought back .*step=rebind", told)
    setup = flows("after the kernel could not set the controller up")
    said("the radio does its work again .*step=rebind", told)

    told = len(log())
    air.end()
    said("the radio is brought back .*step=reset", told)
    air = radio(2)
    sensor = fresh(sensor)
    controller = flows("from another controller behind the same UART")

    told = len(log())
    order("kill $(pgrep -x btattach); while [ -e /sys/class/bluetooth/hci0 ]; do sleep 0.1; done")
    said("no such adapter", told)
    # The gateway stands still meanwhile: it may be the first to open the adapter, and then bluetoothd never has it. Only now: the
    # kernel keeps the number of an adapter that a socket still holds.
    order("kill -STOP $gateway; bt_quiet 0; bluez_start && bt_line 0 && bluez_power_on; kill -CONT $gateway")
    said("hci0 is busy", told)
    said("bluetoothd", told)
    sensor = fresh(sensor)
    order("bluetoothctl power off; kill $(pgrep -x bluetoothd); sleep 1; hciconfig hci0 down")
    bluez = flows("after bluetoothd has given it back")

    sensor.stop()
    order("kill -TERM $gateway")
    wait_for("the guest ends", lambda: not guest.alive(), 60)
    status = int((bench.folder / "run.status").read_text())
    check(status == 0, f"martlet run ended with status {status} in the guest: {log()[-500:]}")
    check("Fatal error" not in log(), "martlet trapped")
    readings = consumer.readings()
    check_no_repeats(readings)
    air.discard()
    return (f"readings again {uart:.0f} s after the UART was back, {setup:.0f} s after the kernel could not set it up, {controller:.0f} s after another controller was there, "
            f"{bluez:.0f} s after bluetoothd had given it back")
