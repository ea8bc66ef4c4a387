# SPDX-License-Identifier: Apache-2.0
"""A private Prometheus, promtool, and the text format. The programs are those that prometheus.sh unpacks."""
import json
import math
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from harness import ROOT, check, free_ports, wait_for

LINE = re.compile(r'^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)')


UNPACKED = ROOT / ".build" / "prometheus" / "usr" / "bin"


def unpacked(name):
    check((UNPACKED / name).exists(), f"{name} is not there: run make test-metrics, which unpacks it")
    return UNPACKED / name


def promtool(*arguments, input=None, cwd=None):
    """Fails with what promtool says."""
    done = subprocess.run([unpacked("promtool"), *map(str, arguments)], input=input, capture_output=True, text=True, cwd=cwd)
    check(done.returncode == 0 and "error" not in done.stderr.lower(),
          f"promtool {' '.join(map(str, arguments))}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


class Scrape:
    """One answer of /metrics."""

    def __init__(self, text):
        self.text = text
        self.types, self.help, self.samples = {}, {}, {}
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                _, _, name, kind = line.split(" ")
                self.types[name] = kind
            elif line.startswith("# HELP "):
                _, _, name, words = line.split(" ", 3)
                self.help[name] = words
            elif line and not line.startswith("#"):
                match = LINE.match(line)
                check(match, f"not a line of the format: {line}")
                labels = tuple(sorted(LABEL.findall(match[2] or "")))
                check(LABEL.sub("", match[2] or "") == "", f"labels that cannot be read: {line}")
                key = (match[1], labels)
                check(key not in self.samples, f"the same series twice: {line}")
                self.samples[key] = float(match[3])

    def series(self, name, **labels):
        """The values of a metric with these labels, by all its labels."""
        return {key[1]: value for key, value in self.samples.items()
                if key[0] == name and set(labels.items()) <= set(key[1])}

    def value(self, name, **labels):
        """The one value; None where there is none."""
        found = list(self.series(name, **labels).values())
        check(len(found) <= 1, f"{name} {labels}: {len(found)} series")
        return found[0] if found else None

    def total(self, name, **labels):
        return sum(self.series(name, **labels).values())

    def labels(self, name):
        """The names of labels that the series of a metric have; what the format itself adds is left out."""
        return {frozenset(dict(key[1])) - {"le"} for key in self.samples
                if key[0] in (name, f"{name}_bucket", f"{name}_sum", f"{name}_count")}


def scrape(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        kind = answer.headers["Content-Type"]
        check(kind.replace(" ", "").startswith("text/plain;version=0.0.4"), f"/metrics is of type {kind}")
        return Scrape(answer.read().decode("utf-8"))


class Prometheus:
    """Debian's program, on loopback, with a folder of its own; it scrapes every second."""

    def __init__(self, bench, target, rules):
        self.port = free_ports()
        folder = bench.folder / "prometheus"
        folder.mkdir()
        (folder / "alerts.yml").write_text(rules)
        (folder / "prometheus.yml").write_text(
            "global:\n  scrape_interval: 1s\n  scrape_timeout: 1s\n  evaluation_interval: 1s\n"
            "rule_files:\n  - alerts.yml\n"
            f"scrape_configs:\n  - job_name: martlet\n    static_configs:\n      - targets: ['127.0.0.1:{target}']\n")
        promtool("check", "config", folder / "prometheus.yml")
        self.process = bench.start("prometheus", [
            unpacked("prometheus"), f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
            f"--web.listen-address=127.0.0.1:{self.port}", "--log.level=warn"])
        wait_for("Prometheus answers", self._is_ready, 60)

    def _is_ready(self):
        check(self.process.alive(), "Prometheus ended: " + self.process.text()[-1000:])
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/ready", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def ask(self, path, **arguments):
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(arguments, doseq=True)}"
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            check(False, f"{path} {arguments}: {error.read().decode()[:500]}")

    def query(self, text):
        """The series of an instant query, each as (labels, value); values that are no numbers are left out."""
        found = self.ask("query", query=text)["result"]
        return [(item["metric"], float(item["value"][1])) for item in found if not math.isnan(float(item["value"][1]))]

    def query_range(self, text, seconds):
        now = time.time()
        found = self.ask("query_range", query=text, start=now - seconds, end=now, step=1)["result"]
        return [(item["metric"], values) for item in found
                if (values := [float(value) for _, value in item["values"] if not math.isnan(float(value))])]

    def rules(self):
        return [rule for group in self.ask("rules")["groups"] for rule in group["rules"]]

    def alerts(self):
        """The state of each alert that is pending or firing, by its name."""
        return {alert["labels"]["alertname"]: alert["state"] for alert in self.ask("alerts")["alerts"]}


def rules_at_every_second():
    """The alert rules, evaluated as fast as they are scraped here."""
    text = (ROOT / "docs" / "grafana" / "alerts.yml").read_text()
    check(text.count("interval: 1m\n") == 1, "alerts.yml: the group has another interval")
    return text.replace("interval: 1m\n", "interval: 1s\n")
