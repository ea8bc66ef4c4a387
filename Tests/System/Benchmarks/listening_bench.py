# SPDX-License-Identifier: Apache-2.0
"""What it costs to hear advertisements: those of strangers, and those that become readings, in `martlet run`."""
import os
import time

from flood import sensor_address, start_generator
from harness import Gateway, check, program, wait_for
from ledger_bench import TOPICS, end
from meters import cpu_seconds, last_line, memory_kib, readings_of

SENSORS = 20
RATE = 20_000  # packets a second of all sensors, as many as the live lane of ledger_bench gets
STRANGERS = 100
# What a scan has told of is kept up to a bound, 10,240 devices: the first crowd fills it, the second is more than twice as large.
CROWDS = 12_000, 30_000

# Packets that a generator may send before all sensors have brought values: a minute of its slow beginning.
BEGINNING = 6_000
# Goals for CPU time in µs: they depend on the machine, and are reported.
GOALS = {"stranger": 0.6, "wanted": 25, "encrypted": 30}
# Promised whatever the machine: by how much the larger crowd may make the gateway larger.
CROWD_LIMIT_KIB = 2 * 1024


def gateway_on(bench, sensors, *options, count, broker=None, name=""):
    broker = broker or bench.broker()
    consumer = bench.start(f"consumer{name}", [program("mosquitto_sub"), "-p", broker.port, "-q", 1, "-F", "%p", *TOPICS])
    generator, port = start_generator(bench, "adv", 0, count, "--delay-ms", 3000, "--linger-ms", 120_000, *options,
                                      name=f"h4gen{name}")
    configuration = bench.configuration(broker.port, sensors, mqtt="max_in_flight = 100\n")
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{port}", name=f"martlet{name}")
    generator.expect("h4gen: ready", 60)
    return gateway, generator, consumer


def strangers(bench, count):
    """A flood of advertisements that no entry accepts; how much memory many advertisers take."""
    gateway, generator, consumer = gateway_on(
        bench, [('family = "ruuvi"', [])], "--addrs", STRANGERS if count > 100_000 else 50, count=count)
    wait_for("the flood is over", lambda: '"packets"' in generator.output.read_text(), 120)
    meter = last_line(generator)
    check(gateway.status()["collector"]["readings"] == 0 and not readings_of(consumer.output), "a stranger's packet was taken")
    end(gateway)
    return {"cpu_us": round(meter["host_cpu_s"] * 1e6 / meter["packets"], 3), "packets": meter["packets"]}


def crowd(bench, count):
    """The largest resident memory among each of the two crowds, in KiB."""
    peaks, broker = [], bench.broker()
    for addresses in CROWDS:
        gateway, generator, _ = gateway_on(bench, [('family = "ruuvi"', [])], "--addrs", addresses, count=count,
                                           broker=broker, name=f"-{addresses}")
        wait_for("the flood is over", lambda: '"packets"' in generator.output.read_text(), 120)
        peaks.append(memory_kib(gateway.process.pid, "VmHWM"))
        end(gateway)
    check(peaks[1] - peaks[0] < CROWD_LIMIT_KIB,
          f"{CROWDS[1]} strangers take {peaks[1] - peaks[0]} KiB more than {CROWDS[0]}; the limit is {CROWD_LIMIT_KIB}")
    return {"few_kib": peaks[0], "many_kib": peaks[1], "packets": count}


def heard(bench, sensors, count, *options):
    """Packets of accepted sensors from the air to their deletion: CPU time each. The packets that count begin when the gateway listens
    to each sensor; an entry that finds its sensors by their family begins with the second packet, or some later."""
    go = bench.folder / "go"
    go.unlink(missing_ok=True)
    gateway, generator, consumer = gateway_on(
        bench, sensors, "--addrs", SENSORS, "--rate", RATE, "--go", go, *options, count=count)
    pid, payloads = gateway.process.pid, []

    def listens():
        check(gateway.process.alive(), f"martlet ended: {gateway.process.text()[-500:]}")
        states = [sensor["health"] for sensor in gateway.status()["collector"]["sensors"]]
        return states.count("fresh") == SENSORS
    wait_for("every sensor brings values", listens, BEGINNING / 100)
    cpu, beginning = cpu_seconds(pid), len(readings_of(consumer.output))
    go.touch()

    def all_there():
        check(gateway.process.alive(), f"martlet ended: {gateway.process.text()[-500:]}")
        time.sleep(1)  # parsing takes time from those that are measured
        payloads[:] = readings_of(consumer.output)
        return len(payloads) >= beginning + count and len(payloads) == gateway.status()["journal"]["received"]
    wait_for("every packet is delivered", all_there, 60 + count / 1000)
    used = cpu_seconds(pid) - cpu
    books = gateway.status()["journal"]
    numbers = {reading["n"] for reading in payloads}
    check(len(numbers) == len(payloads) == books["received"] and not books.get("dropped"),
          f"{len(payloads)} readings arrived, {len(numbers)} different; the ledger has {books['received']}")
    end(gateway)
    return {"cpu_us": round(used * 1e6 / (len(payloads) - beginning), 2), "readings": len(payloads) - beginning}


def wanted(bench, count):
    """BTHome in the clear, of a family that an entry accepts."""
    return heard(bench, [('family = "bthome"', [])], count, "--adv-format", "bthome")


def encrypted(bench, count):
    """The same under a key for each sensor."""
    packets = bench.folder / "packets"
    return heard(bench, encrypted_sensors(packets, count + BEGINNING), count, "--adv-file", packets)


def encrypted_sensors(packets, count):
    """Writes `count` encrypted packets to a file of h4gen, and returns the entries of their sensors."""
    from cryptography.hazmat.primitives.ciphers.aead import AESCCM

    keys = [os.urandom(16) for _ in range(SENSORS)]
    with packets.open("w") as file:
        for index in range(count):
            number, counter = index % SENSORS, index // SENSORS
            address = bytes.fromhex(sensor_address(number).replace(":", ""))
            head, tail = bytes.fromhex("d2fc41"), counter.to_bytes(4, "little")
            plain = b"\x02" + (counter % 4000).to_bytes(2, "little") + bytes.fromhex("03bf13")
            sealed = AESCCM(keys[number], tag_length=4).encrypt(address + head + tail, plain, None)
            body = head + sealed[:-4] + tail + sealed[-4:]
            file.write((bytes([2, 1, 6, len(body) + 1, 0x16]) + body).hex() + "\n")
    return [(f'address = "{sensor_address(number)}"\nbindkey = "{key.hex()}"', []) for number, key in enumerate(keys)]


WORKLOADS = {"stranger": (strangers, 2_000_000), "crowd": (crowd, 400_000), "wanted": (wanted, 60_000),
             "encrypted": (encrypted, 60_000)}


def summary(figures):
    """A line each, and which goals are missed."""
    for name, run in figures.items():
        if name == "crowd":
            yield (f"listening {name:10s} {run['few_kib']} KiB among {CROWDS[0]} strangers, {run['many_kib']} KiB among "
                   f"{CROWDS[1]}")
        else:
            missed = "" if run["cpu_us"] <= GOALS[name] else f", more than the goal of {GOALS[name]}"
            yield f"listening {name:10s} {run['cpu_us']} µs CPU a packet{missed}"
