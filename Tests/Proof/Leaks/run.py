#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py MARTLET [--times 10000] [--air TIMES] [--people 1000] [--heavy 100] [--only NAME …] [--run NAME] [--json FILE] [--write]
run.py MARTLET --jobs 6 [--write] …
run.py --table FILE …

Asks a running gateway for everything that it can be asked for, again and again: each command of the control socket, each
request of the page, each command over MQTT, each value that a phone reads and writes, and, with Bumble as a phone, connections,
pairings and set-ups. The repeated commands of a sensor's entry are counted, too. What there is comes from the gateway's sources
(operations.py): a new operation that is not asked here is a failure.

After rounds that fill caches and pools, own memory (Anonymous of smaps_rollup) may rise by 1 MiB at most in so many rounds,
and the number of descriptors may not change. `--write` puts the table into docs/reliability.md; `--table` does so with what
several runs have measured, each with operations of its own (`--only`, `--run`, `--json`). `--jobs 6` has so many runs side by side, most of
which wait for the air. Needs .rig.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
for folder in ("Rig", "Scenes/Interop"):
    sys.path.insert(0, str(HERE.parents[1] / folder))
import operations  # noqa: E402
from asking import ControlSocket, Page, Refused, Remote, TooOften  # noqa: E402
from harness import ROOT, Bench, Failed, Gateway, check, free_ports, wait_for  # noqa: E402
from phone_at_hand import PhoneAtHand  # noqa: E402

LIMIT = 1024  # KiB
TOO_OFTEN = object()
PAGE = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- leaks -->", "<!-- /leaks -->"


def kernel_says(pid):
    """The process's own memory in KiB, and its descriptors."""
    rollup = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(re.search(r"^Anonymous:\s+(\d+)", rollup, re.MULTILINE)[1]), len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))


def settled(pid, descriptors=None):
    """The same when what is under way has ended: connections close, and the allocator gives back, a moment later."""
    best, quiet, deadline = kernel_says(pid), 0, time.monotonic() + 20
    while quiet < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
        now = kernel_says(pid)
        same = now[0] >= best[0] - 16 and now[1] >= best[1] and (descriptors is None or now[1] <= descriptors)
        quiet = quiet + 1 if same else 0
        best = (min(best[0], now[0]), min(best[1], now[1]))
    return best


class Table:
    """What was asked how often, and what it cost."""

    def __init__(self, gateway):
        self.gateway, self.rows, self.complaints = gateway, [], []

    def measure(self, name, times, ask, warming=None):
        """`ask(n)` is one round; it raises Refused where the gateway says no, which a round may, if all do. A command that comes
        faster than its pace is refused, too: some rounds are carried out."""
        pid, self.answers = self.gateway.process.pid, collections.Counter()
        first = warming or max(times // 4, min(times, 3))
        for number in range(first):
            self.once(name, ask, number)
        before = settled(pid)
        began = time.monotonic()
        self.answers = collections.Counter()
        for number in range(first, first + times):
            self.once(name, ask, number)
        seconds = time.monotonic() - began
        after = settled(pid, before[1])
        paced = self.answers.pop(TOO_OFTEN, 0)
        done, refused = self.answers.pop(None, 0), sum(self.answers.values())
        reason = next(iter(self.answers), None)
        row = {"operation": name, "times": times, "refused": refused, "paced": paced, "reason": reason, "before_kib": before[0],
               "growth_kib": after[0] - before[0], "descriptors": after[1] - before[1], "seconds": round(seconds, 1)}
        self.rows.append(row)
        print(f"{name}: {times} times in {seconds:.1f} s, {row['growth_kib']:+d} KiB of {before[0]}, "
              f"{row['descriptors']:+d} descriptors" + (f"; refused {refused} times: {reason}" if refused else "")
              + (f"; too often {paced} times" if paced else ""), flush=True)
        if row["growth_kib"] > LIMIT:
            self.complaints.append(f"{name}: own memory has grown by {row['growth_kib']} KiB in {times} rounds")
        # A visitor who has gone without a word is noticed later: one fewer is one of those before.
        if row["descriptors"] > 0:
            self.complaints.append(f"{name}: {row['descriptors']:+d} descriptors after {times} rounds")
        if done and refused:
            self.complaints.append(f"{name}: refused {refused} of {times} times: {reason}")
        if paced == times:
            self.complaints.append(f"{name}: too often each time")

    def once(self, name, ask, number):
        check(self.gateway.process.alive(), f"{name}: the gateway ended: {self.gateway.process.text()[-500:]}")
        try:
            ask(number)
            self.answers[None] += 1
        except TooOften:
            self.answers[TOO_OFTEN] += 1
        except Refused as refusal:
            self.answers[str(refusal)] += 1


def table_rows(rows):
    yield "| operation | times | own memory | descriptors |"
    yield "| --- | --- | --- | --- |"
    for row in rows:
        refused = f"; refused, as it has to be here: {row['reason']}" if row["refused"] else ""
        paced = f"; {row['times'] - row['paced']:,} at its pace, the others refused as too many" if row["paced"] else ""
        yield (f"| `{row['operation']}`{refused}{paced} | {row['times']:,} | {row['growth_kib']:+d} KiB | "
               f"{row['descriptors'] if row['descriptors'] > 0 else 'the same'} |")


def write(rows):
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    PAGE.write_text("\n".join([before + BEGIN, "", *table_rows(rows), "", END + rest.split(END)[1]]))


def write_some(rows):
    """Puts the rows of a run with `--only` into the table, each in its place."""
    text = PAGE.read_text()
    lines = {line.split("`")[1]: line for line in text.split(BEGIN)[1].split(END)[0].splitlines() if line.startswith("| `")}
    head, rule, *new = table_rows(rows)
    lines.update({line.split("`")[1]: line for line in new})
    before, rest = text.split(BEGIN)
    kept = [lines[name] for name in names() if name in lines]
    PAGE.write_text("\n".join([before + BEGIN, "", head, rule, *kept, "", END + rest.split(END)[1]]))


def join(files):
    """The table of several runs, in the order of the operations; each has to be there once."""
    rows = [row for file in files for row in json.loads(file.read_text())["rows"]]
    found = collections.Counter(row["operation"] for row in rows)
    wrong = [name for name in names() if found[name] != 1] + [name for name in found if name not in names()]
    if wrong:
        print(f"not measured once: {', '.join(wrong)}", file=sys.stderr)
        return 1
    order = {name: place for place, name in enumerate(names())}
    write(sorted(rows, key=lambda row: order[row["operation"]]))
    return 0


def groups():
    """Operations that one gateway is asked for, the longest group first. What the air carries takes its time, whatever the processor does."""
    def chosen(condition):
        return [name for name in names() if name not in operations.ENDING and condition(name)]
    reads, writes = chosen(lambda name: name.startswith("read ")), chosen(lambda name: name.startswith("write "))
    people = [[name] for name in names() if name.endswith((" of a phone", " by phone"))]
    control = operations.control_commands()
    apart = ["read", "write", "inspect"]
    return [[operations.REPEATED], reads[::2], reads[1::2], writes[::2], writes[1::2], *people, *([name] for name in apart),
            chosen(lambda name: name.startswith("mqtt ") or name.startswith("reload")),
            chosen(lambda name: name.startswith("POST ")), chosen(lambda name: name in control and name not in apart),
            chosen(lambda name: name.startswith("GET ")), [name for name in names() if name in operations.ENDING]]


def side_by_side(options):
    """All groups, some at the same time, each in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="martlet-leaks-") as folder:
        def run(place, group):
            file = pathlib.Path(folder) / f"{place}.json"
            command = [sys.executable, __file__, options.martlet, "--run", f"leaks-{place}", "--json", file,
                       "--times", options.times, "--people", options.people, "--heavy", options.heavy,
                       *(["--air", options.air] if options.air else []), "--only", *(f"={name}" for name in group)]
            return file, subprocess.run([str(word) for word in command]).returncode
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            runs = list(pool.map(run, range(len(groups())), groups()))
        failed = [file.stem for file, status in runs if status]
        if failed:
            print(f"leaks: these groups failed: {', '.join(failed)}", file=sys.stderr)
        if options.json:
            rows = [row for file, _ in runs for row in json.loads(file.read_text()).get("rows", [])]
            options.json.write_text(json.dumps({"rows": rows}, indent=1))
        status = join([file for file, _ in runs]) if options.write else 0
        return 1 if failed else status


def documented():
    """The operations of the table in the documents."""
    return re.findall(r"^\| `([^`]+)`", PAGE.read_text().split(BEGIN)[1].split(END)[0], re.MULTILINE)


def names():
    """All that is measured, in order."""
    ending = operations.ENDING
    page = [f"{method} {path}" for method, path in operations.page_requests()]
    mqtt = [f"mqtt {verb}" for verb in operations.mqtt_commands()]
    phone = [f"{way} {item}" for way, item, _ in operations.phone_messages()]
    all_of_them = operations.control_commands() + page + mqtt + phone
    return [name for name in all_of_them if name not in ending] + [
        "reload (SIGHUP)", operations.REPEATED, "connection of a phone", "pairing of a phone", "set-up by phone"
    ] + [name for name in all_of_them if name in ending]


def wanted(name, options):
    """A word that begins with = is the whole name."""
    def fits(word):
        return name == word[1:] if word.startswith("=") else word in name
    chosen = not options.only or any(fits(word) for word in options.only)
    return chosen and not any(fits(word) for word in options.leave_out)


def check_lists():
    operations.complete(operations.control_commands(), operations.CONTROL, "the control socket")
    posts = [f"POST {path}" for method, path in operations.page_requests() if method == "POST"]
    operations.complete(posts, [name for name in operations.PAGE if name.startswith("POST")], "the page")
    operations.complete(operations.mqtt_commands(), operations.MQTT, "commands over MQTT")
    writes = [item for way, item, _ in operations.phone_messages() if way == "write"]
    operations.complete(writes, operations.PHONE, "writes of a phone")


def warm(gateway, control):
    """Until a gateway that has just started has what it needs: threads, caches, the newest packets and lines of its log, and the
    deadlines of as many questions as can be asked in their time."""
    steady, before = 0, kernel_says(gateway.process.pid)[0]
    deadline = time.monotonic() + 120
    while steady < 3 and time.monotonic() < deadline:
        for _ in range(1_500):
            control.ask("status", {})
        time.sleep(0.2)
        now = kernel_says(gateway.process.pid)[0]
        steady = steady + 1 if now <= before + 16 else 0
        before = now


def starting(gateway, control, page, ask):
    """Asks for something that ends the gateway, which begins anew in the same process, and waits until it does its work again."""
    count = gateway.process.text().count("gateway started")
    ask()
    wait_for("the gateway starts anew", lambda: gateway.process.text().count("gateway started") > count, 30)

    def works():
        try:
            page.close()
            page.ask("GET", "/login")
            status = control.ask("status", {})
            # A gateway that has only begun grows until its first readings are on their way.
            return status["mqtt"]["connected"] and any(sensor.get("readings") for sensor in status["collector"]["sensors"])
        except (OSError, Failed):
            return False
    wait_for("the gateway has its page, its broker and readings", works, 30)
    page.close()


def confirmed(control):
    """Waits until the sensor has confirmed one more command of its entry."""
    def count():
        sensors = control.ask("status", {})["collector"]["sensors"]
        counts = next(sensor["commands"] for sensor in sensors if sensor.get("commands"))
        check(not counts["refused"], f"{operations.REPEATED}: the sensor has refused a command")
        return counts["written"]
    before = count()
    wait_for("a command is confirmed", lambda: count() > before, 10)


def leaks(bench, options, report):
    check_lists()
    broker, port = bench.broker(), free_ports()
    radio_port = free_ports()
    radio = bench.start("virtual-radio", [bench.martlet, "virtual-radio", "--listen", f"tcp:{radio_port}",
                                           "--advertiser", "bthome"])
    radio.expect("bthome", 15)
    verbs = json.dumps(operations.mqtt_commands())
    counter = f'address = "{operations.COUNTER}"'
    if wanted(operations.REPEATED, options):
        counter += f"\nwrite = [{', '.join(operations.COMMANDS)}]\nwrite_every_s = 1"
    configuration = bench.configuration(
        broker.port, [(counter, [operations.READ])],
        extra=f'\n[page]\nlisten = "127.0.0.1:{port}"\n',
        mqtt=f"\n[mqtt.commands]\nallow = {verbs}\n")
    # What is kept on purpose, and fills by and by, is soon full.
    configuration.write_text(configuration.read_text().replace("[bluetooth]\n", "[bluetooth]\nflight_recorder_kib = 128\n"))
    gateway = Gateway(bench, configuration, f"tcp:127.0.0.1:{radio_port}")

    def collects():
        check(gateway.process.alive(), f"the gateway ended: {gateway.process.text()[-500:]}")
        return any(sensor.get("readings") for sensor in (gateway.status() or {}).get("collector", {}).get("sensors", []))
    wait_for("the gateway collects", collects, 40)
    control, page, remote = ControlSocket(bench, configuration), Page(port), Remote(broker.port)

    def accepted():
        try:
            return control.ask("accept", {"device": operations.ADVERTISER, "id": operations.KEYED})
        except Refused:
            return None
    wait_for("a sensor that advertises is heard and accepted", accepted, 20)
    warm(gateway, control)
    table = Table(gateway)
    report["rows"] = table.rows

    phone, asked = None, set()
    commands = operations.control_commands()
    for name in names():
        if not wanted(name, options):
            continue
        times = operations.rounds(name, options)
        if name in commands:
            table.measure(name, times, lambda _, name=name: control.round(name))
        elif name == operations.REPEATED:
            table.measure(name, times, lambda _: confirmed(control))
        elif name == "reload (SIGHUP)":
            table.measure(name, times, lambda _: page.reload(gateway))
        elif name == "POST /api/restart":
            table.measure(name, times, lambda _: starting(gateway, control, page, lambda: page.ask("POST", "/api/restart", "{}")))
        elif name.startswith(("GET ", "POST ")):
            table.measure(name, times, lambda _, name=name: page.round(name))
            page.close()
        elif name == "mqtt restart":
            table.measure(name, times, lambda _: starting(gateway, control, page, lambda: remote.ask("restart")))
        elif name.startswith("mqtt "):
            verb = name.removeprefix("mqtt ")
            if verb in asked:
                # What its pace allows was used up: a gateway that begins anew has forgotten that.
                starting(gateway, control, page, lambda: page.ask("POST", "/api/restart", "{}"))
                for _ in range(40):
                    control.round("forget")
            asked |= {verb} | {step[0] for step in operations.MQTT[verb] if isinstance(step, tuple)}
            table.measure(name, times, lambda _, verb=verb: remote.round(verb), warming=1)
        else:
            phone = phone or PhoneAtHand(bench, radio_port, control)
            if name == "write factoryReset":
                table.measure(name, times, lambda _: starting(gateway, control, page, phone.reset))
            elif name.startswith(("read ", "write ")):
                table.measure(name, times, lambda number, name=name: phone.message(name, number))
            else:
                table.measure(name, options.people, lambda number, name=name: phone.person(name, number))
    check(not table.complaints, "\n".join(table.complaints))
    gateway.stop()
    growth = max(row["growth_kib"] for row in table.rows)
    return f"{len(table.rows)} operations, {sum(row['times'] for row in table.rows):,} rounds; the most is {growth:+d} KiB"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("martlet", nargs="?", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--times", type=int, default=10_000, help="rounds of each operation")
    parser.add_argument("--air", type=int, help="rounds of what a link carries; as many as of the others")
    parser.add_argument("--people", type=int, default=1_000, help="connections, pairings and set-ups")
    parser.add_argument("--heavy", type=int, default=100, help="rounds of what writes much or takes seconds")
    parser.add_argument("--only", nargs="+", default=[], help="operations with one of these words in their names")
    parser.add_argument("--leave-out", nargs="+", default=[], help="none with one of these words")
    parser.add_argument("--run", default="leaks", help="the name of the run's folder")
    parser.add_argument("--jobs", type=int, default=1, help="so many runs at the same time, for all operations")
    parser.add_argument("--table", nargs="+", type=pathlib.Path, help="write the table of what runs have put into these files")
    parser.add_argument("--json", type=pathlib.Path, help="what was measured")
    parser.add_argument("--write", action="store_true", help="put the table into docs/reliability.md")
    options = parser.parse_args()
    if options.table:
        return join(options.table)
    if options.jobs > 1:
        return side_by_side(options)
    bench, report, status = Bench(options.run, options.martlet), {}, 0
    try:
        print(leaks(bench, options, report))
        if options.write:
            (write_some if options.only else write)(report["rows"])
        check(options.only or options.leave_out or documented() == names(),
              "the table of docs/reliability.md has other operations than the gateway: make leaks")
    except Failed as failure:
        print(f"leaks: {failure}", file=sys.stderr)
        status = 1
    finally:
        bench.close()
        if options.json:
            options.json.write_text(json.dumps(report, indent=1))
    return status


if __name__ == "__main__":
    sys.exit(main())
