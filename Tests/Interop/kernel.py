# SPDX-License-Identifier: Apache-2.0
"""The kernel's own HCI socket: the release binary in a QEMU guest, hci0 attached over an emulated UART."""
from harness import FEEDS, RIG_SOURCES, Sensor, check, wait_for
from ledger import check_exact, check_no_repeats, of, unique
from rootcanal import wait_until_delivered

# Runs in the guest, with /host = the test's folder. Each `martlet` leaves its output and status there. A gateway that
# cannot have its controller keeps trying: each attempt is ended once it has said what `attempt` waits for.
SCRIPT = r"""
attempt() {
    local name=$1 words=$2 controller=$3; shift 3
    "$@" "$MARTLET" run --config /host/guest.toml --controller "$controller" >"/host/$name.out" 2>&1 &
    local process=$! waited=0
    until grep -q "$words" "/host/$name.out" || [ $waited -ge 60 ]; do sleep 0.5; waited=$((waited + 1)); done
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
grep CapEff "/proc/$(pgrep -f 'martlet run')/status" >/host/capabilities
kill -TERM $gateway; wait $gateway; echo $? >/host/run.status
cp /tmp/state/kernel.btsnoop /host/
attempt enodev 'no such adapter' hci7 helped /run/controller.sock
attempt eperm CAP_NET_ADMIN hci0 unprivileged
attempt unhelped 'martlet-controller.socket' hci0 helped /run/none.sock
hciconfig hci0 up
attempt ebusy-helped 'is busy' hci0 helped /run/controller.sock
attempt ebusy 'is busy' hci0
hciconfig hci0 down
bluez_start; bluetoothctl power on >/dev/null 2>&1
attempt ebusy-bluez 'is busy' hci0
"""


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
        "-t", "240", f"MARTLET={bench.martlet}\n{SCRIPT}"])

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
    # What each errno of bind has to tell a person.
    wanted = {"enodev": ["hci7", "no such adapter"], "eperm": ["CAP_NET_ADMIN"],
              "unhelped": ["systemctl restart martlet-controller.socket"], "ebusy-helped": ["hciconfig hci0 down"],
              "ebusy": ["hci0 is busy", "hciconfig hci0 down"], "ebusy-bluez": ["hci0 is busy", "bluetoothd"]}
    for name, words in wanted.items():
        output, status = result(name)
        check(status == 0, f"{name}: martlet ended with status {status} after SIGTERM: {output[-400:]}")
        for word in words:
            check(word in output, f"{name}: the message does not name {word}: {output[-400:]}")
    return f"{len(unique(readings))} readings through hci0's user channel, without privileges; EBUSY, EPERM and ENODEV told apart"
