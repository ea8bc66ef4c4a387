# SPDX-License-Identifier: Apache-2.0
"""What it costs that no reading is lost: the journal and the two lanes, in `martlet run` with a real broker."""
import os
import signal
import sqlite3
import struct
import subprocess
import time

from flood import build, sensor_rules, start_generator
from harness import RIG, Gateway, check, program, wait_for
from meters import bytes_written, cpu_seconds, last_line, memory_kib, readings_of

LINKS = 10
IN_FLIGHT = 100  # as many as a transaction holds
LIVE_RATE = 20_000  # readings a second that are published one by one
BACKLOG_RATE = 25_000  # readings a second that nobody fetches
FULL_RATE = 10_000  # readings a second at a journal that is full
COMMIT_ROWS, PAGED_RATE = 100, 4_000  # so slow that no transaction holds more
TOPICS = ["-t", "martlet/dev/+/state", "-t", "martlet/dev/+/history"]

# Promised whatever the machine; breaking one makes the benchmarks fail.
BYTES_LIMIT = 250
BACKLOG_MEMORY_LIMIT_KIB = 8 * 1024
# Goals for CPU time and speed: they depend on the machine, and are reported.
LIVE_GOAL_US, HISTORY_GOAL_US, DRAIN_GOAL, FULL_GOAL = 20, 4, 20_000, 1.3


def mqtt_alone(bench, count):
    """libmosquitto's QoS 1 from C, with payloads as long as those of the live lane and as many in flight."""
    flags = subprocess.run([program("pkg-config"), "--cflags", "--libs", "libmosquitto"], check=True,
                           capture_output=True, text=True).stdout.split()
    build("mqtt_qos1.c", RIG / "mqtt_qos1", *flags)
    broker = bench.broker()
    process = bench.start("mqtt_qos1", [RIG / "mqtt_qos1", broker.port, count, 200, IN_FLIGHT])
    wait_for("mqtt_qos1 ends", lambda: not process.alive(), 30 + count / 1000)
    result = last_line(process)
    check(result["messages"] == count, f"mqtt_qos1 printed {result}")
    return {"cpu_us": round(result["cpu_us_each"], 2), "messages": count}


def buffered(journal):
    with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as database:
        return database.execute("SELECT count(*) FROM reading").fetchone()[0]


def check_payloads(payloads, count):
    """Every reading is there once, and every sensor's sequence has no gap."""
    expected, gaps, numbers = {}, 0, set()
    for reading in sorted(payloads, key=lambda reading: reading["n"]):
        sequence, = struct.unpack_from("<I", bytes.fromhex(reading["raw"]))
        gaps += sequence != expected.get(reading["dev"], 0)
        expected[reading["dev"]] = sequence + 1
        numbers.add(reading["n"])
    check(len(payloads) == len(numbers) == count and gaps == 0,
          f"of {count} readings {len(payloads)} arrived ({len(numbers)} different), with {gaps} gaps")


def delivered(bench, count, rate):
    """Readings from the air to their deletion, as fast as they come: the gateway's CPU time and what it wrote."""
    broker = bench.broker()
    consumer = bench.start("consumer", [program("mosquitto_sub"), "-p", broker.port, "-q", 1, "-F", "%p", *TOPICS])
    generator, port = start_generator(bench, "notify", LINKS, count, "--rate", rate, "--delay-ms", 1000,
                                      "--linger-ms", 120_000)
    configuration = bench.configuration(broker.port, sensor_rules(LINKS), mqtt=f"max_in_flight = {IN_FLIGHT}\n")
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{port}")
    generator.expect("h4gen: ready", 60)
    pid, journal, payloads = gateway.process.pid, bench.folder / "state" / "journal.db", []
    cpu, written = cpu_seconds(pid), bytes_written(pid)

    def all_deleted():
        check(gateway.process.alive(), f"martlet ended: {gateway.process.text()[-500:]}")
        time.sleep(1)  # parsing takes time from those that are measured
        payloads[:] = readings_of(consumer.output)
        return len(payloads) >= count and buffered(journal) == 0
    wait_for("every reading is delivered and deleted", all_deleted, 60 + count / 1000)
    result = {"cpu_us": round((cpu_seconds(pid) - cpu) * 1e6 / count, 2),
              "rss_kib": memory_kib(pid, "VmHWM"), "readings": count,
              "live": sum(not reading.get("historical") for reading in payloads)}
    # With the last checkpoint, which is made when the journal is closed.
    result["bytes"] = round((end(gateway)["written"] - written) / count, 1)
    check_payloads(payloads, count)
    return result


def end(gateway):
    """Ends the gateway by SIGTERM; what it has written to block devices in its whole life."""
    process = gateway.process.process
    process.terminate()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    check(process.returncode == 0, f"martlet ended with status {process.returncode} after SIGTERM")
    return {"written": usage.ru_oublock * 512}


def live_lane(bench, count):
    """Live lane, FULL, QoS 1, a hundred and more readings a transaction."""
    return delivered(bench, count, LIVE_RATE)


def paged(bench, count):
    """A hundred readings a transaction, written and deleted again."""
    result = delivered(bench, count, PAGED_RATE)
    check(result["bytes"] <= BYTES_LIMIT or count < 10_000,  # the first tables and the last checkpoint weigh in small runs
          f"{result['bytes']} bytes are written to the device a reading; the limit is {BYTES_LIMIT}")
    return result


def collect_backlog(bench, configuration, count):
    """A gateway that has collected `count` readings which nobody fetches, and its resident memory before them, in KiB."""
    generator, port = start_generator(bench, "notify", LINKS, count, "--rate", BACKLOG_RATE, "--delay-ms", 3000,
                                      "--linger-ms", 600_000)
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{port}")
    generator.expect("h4gen: ready", 60)
    time.sleep(2)
    empty = memory_kib(gateway.process.pid, "VmRSS")
    journal = bench.folder / "state" / "journal.db"

    def all_there():
        check(gateway.process.alive(), f"martlet ended: {gateway.process.text()[-500:]}")
        time.sleep(0.5)
        return buffered(journal) >= count
    wait_for(f"{count} readings are buffered", all_there, 60 + count / 1000)
    return gateway, generator, empty


def given(journal):
    """Row numbers given so far."""
    with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as database:
        row = database.execute("SELECT seq FROM sqlite_sequence WHERE name = 'reading'").fetchone()
        return row[0] if row else 0


def full_journal(bench, count):
    """What a reading costs that an older one has to go for, beside one that finds room: nobody fetches any."""
    broker = bench.broker()
    broker.stop()
    limit = max(count // 2, 1_000)
    configuration = bench.configuration(broker.port, sensor_rules(LINKS), journal_keys=f"max_rows = {limit}\n")
    generator, port = start_generator(bench, "notify", LINKS, count, "--rate", FULL_RATE, "--delay-ms", 3000,
                                      "--linger-ms", 600_000)
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{port}")
    generator.expect("h4gen: ready", 60)
    pid, journal = gateway.process.pid, bench.folder / "state" / "journal.db"

    def cost(first, last):
        """CPU time of each reading between the two, as exactly as their numbers are met."""
        marks = []
        for wanted in (first, last):
            wait_for(f"{wanted} readings are written", lambda: given(journal) >= wanted, 60 + count / 1000)
            marks.append((given(journal), cpu_seconds(pid)))
        return (marks[1][1] - marks[0][1]) * 1e6 / (marks[1][0] - marks[0][0])

    # Each as long, at a distance from the beginning and from the limit.
    below = cost(limit // 10, limit * 9 // 10)
    beyond = cost(limit * 11 // 10, limit * 19 // 10)
    wait_for("everything is written", lambda: given(journal) >= count, 60)
    kept = buffered(journal)
    check(kept == limit, f"{kept} rows are kept, the limit is {limit}")
    gateway.stop()
    return {"below_us": round(below, 2), "cpu_us": round(beyond, 2), "ratio": round(beyond / below, 2), "rows": limit}


def history_lane(bench, count):
    """A backlog is sent without a limit: CPU time a row, rows a second."""
    broker = bench.broker()
    consumer = bench.start("consumer", [program("mosquitto_sub"), "-p", broker.port, "-q", 1, "-c", "-i", "bench", "-F",
                                        "%p", *TOPICS])
    wait_for("the consumer has a session", lambda: consumer.alive() and time.sleep(0.5) is None, 5)
    broker.stop()
    configuration = bench.configuration(broker.port, sensor_rules(LINKS),
                                        mqtt=f"max_in_flight = {IN_FLIGHT}\nhistory_rows_per_second = 0\n"
                                             "live_window_s = 1\n")
    gateway, generator, _ = collect_backlog(bench, configuration, count)
    gateway.stop()
    generator.discard()
    # The broker accepts the connection and says nothing, until the gateway has started and is quiet.
    broker.start()
    broker.process.process.send_signal(signal.SIGSTOP)
    generator, port = start_generator(bench, "notify", LINKS, 1, "--delay-ms", 600_000, name="h4gen-idle")
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{port}", name="martlet-draining")
    generator.expect("h4gen: ready", 60)
    time.sleep(2)
    pid, journal = gateway.process.pid, bench.folder / "state" / "journal.db"
    cpu, started = cpu_seconds(pid), time.monotonic()
    broker.process.process.send_signal(signal.SIGCONT)
    wait_for("the backlog is sent and deleted", lambda: buffered(journal) == 0, 60 + count / 500)
    seconds = time.monotonic() - started
    result = {"cpu_us": round((cpu_seconds(pid) - cpu) * 1e6 / count, 2), "rows_per_s": round(count / seconds),
              "readings": count}
    wait_for("all of it arrives", lambda: len(readings_of(consumer.output)) >= count, 60)
    gateway.stop()
    payloads = readings_of(consumer.output)
    check_payloads(payloads, count)
    live = sum(not reading.get("historical") for reading in payloads)
    check(not live, f"{live} of {count} old readings went out as if they were new")
    return result


def memory_of_backlog(bench, count):
    """By how much a backlog makes the gateway's resident memory grow: while it is collected, and after a restart."""
    broker = bench.broker()
    broker.stop()
    configuration = bench.configuration(broker.port, sensor_rules(LINKS))
    gateway, generator, empty = collect_backlog(bench, configuration, count)
    full = memory_kib(gateway.process.pid, "VmRSS")
    gateway.stop()
    generator.discard()
    generator, port = start_generator(bench, "notify", LINKS, 1, "--delay-ms", 600_000, name="h4gen-idle")
    broker.start()
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{port}", name="martlet-again")
    generator.expect("h4gen: ready", 60)
    time.sleep(5)  # with a broker, at the usual rate
    again = memory_kib(gateway.process.pid, "VmRSS")
    gateway.kill()
    growth = max(full, again) - empty
    check(growth <= BACKLOG_MEMORY_LIMIT_KIB,
          f"resident memory is {empty} KiB empty, {full} with {count} rows, {again} after a restart; "
          f"the limit is {BACKLOG_MEMORY_LIMIT_KIB} KiB more")
    return {"rows": count, "empty_kib": empty, "full_kib": full, "restarted_kib": again}


# name: (function, count)
WORKLOADS = {
    "qos1-in-c": (mqtt_alone, 100_000),
    "live": (live_lane, 100_000),
    "paged": (paged, 100_000),
    "history": (history_lane, 200_000),
    "full": (full_journal, 400_000),
}
BACKLOG = 1_000_000


def summary(figures):
    """The lines that people read, goals beside figures."""
    lines = []
    if (alone := figures.get("qos1-in-c")) and (live := figures.get("live")):
        lines.append(f"live lane: {live['cpu_us']} us CPU a reading (goal {LIVE_GOAL_US}), "
                     f"{live['cpu_us'] / alone['cpu_us']:.2f} times libmosquitto's QoS 1 alone ({alone['cpu_us']} us); "
                     f"{live['live']} of {live['readings']} went out live")
    if paged_run := figures.get("paged"):
        lines.append(f"written to the device: {paged_run['bytes']} bytes a reading at {COMMIT_ROWS} rows a transaction "
                     f"(limit {BYTES_LIMIT}); /proc/PID/io")
    if history := figures.get("history"):
        lines.append(f"history lane: {history['cpu_us']} us CPU a reading (goal {HISTORY_GOAL_US}), "
                     f"{history['rows_per_s']} rows a second (goal {DRAIN_GOAL})")
    if full := figures.get("full"):
        lines.append(f"a reading costs {full['cpu_us']} us CPU in a journal with the {full['rows']} rows it may hold, "
                     f"{full['ratio']} times the {full['below_us']} us with fewer (goal {FULL_GOAL})")
    if backlog := figures.get("backlog"):
        growth = max(backlog["full_kib"], backlog["restarted_kib"]) - backlog["empty_kib"]
        lines.append(f"{backlog['rows']} rows buffered: {growth} KiB more than empty ({backlog['empty_kib']} KiB), "
                     f"limit {BACKLOG_MEMORY_LIMIT_KIB}")
    return lines
