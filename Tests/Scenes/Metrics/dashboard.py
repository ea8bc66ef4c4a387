# SPDX-License-Identifier: Apache-2.0
"""The dashboard and the alert rules as files: their shape, and the queries in them."""
import json
import re

from harness import ROOT, check

FOLDER = ROOT / "docs" / "grafana"
# Panels that every Grafana has.
KINDS = {"row", "stat", "table", "timeseries", "state-timeline"}
# Variables that Grafana fills in itself.
BUILT_IN = {"__rate_interval"}


def load():
    return json.loads((FOLDER / "martlet.json").read_text())


def panels(dashboard):
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def variables(dashboard):
    return {variable["name"]: variable for variable in dashboard["templating"]["list"]}


def check_shape(dashboard):
    """What Grafana's import needs, and what people need: ids, places, a data source to choose, words."""
    check(dashboard["id"] is None and dashboard["uid"] and dashboard["title"], "an import has a uid, a title and no id")
    check(dashboard["schemaVersion"] >= 36, "the schema is older than Grafana 10's")
    known = variables(dashboard)
    check(set(known) == {"datasource", "job", "instance", "device"}, f"variables {sorted(known)}")
    ids = [panel["id"] for panel in dashboard["panels"]]
    check(len(ids) == len(set(ids)), "two panels have one id")
    taken = set()
    for panel in dashboard["panels"]:
        name = panel["title"]
        check(panel["type"] in KINDS, f"{name}: no panel of Grafana's own")
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        check(place["x"] + place["w"] <= 24 and not cells & taken, f"{name}: lies on another panel, or beyond the edge")
        taken |= cells
        if panel["type"] == "row":
            continue
        check(len(panel["description"]) > 20, f"{name}: says nothing about itself")
        check(panel["targets"], f"{name}: asks for nothing")
        references = [target["refId"] for target in panel["targets"]]
        check(len(references) == len(set(references)), f"{name}: two queries have one refId")
        for source in [panel["datasource"], *(target["datasource"] for target in panel["targets"])]:
            check(source == {"type": "prometheus", "uid": "${datasource}"}, f"{name}: has a data source of its own")
    for variable in known.values():
        check(variable["type"] == "datasource" or variable["datasource"]["uid"] == "${datasource}",
              f"variable {variable['name']}: has a data source of its own")
    text = json.dumps([dashboard["panels"], dashboard["templating"]])
    used = {match[0] or match[1] for match in re.findall(r"\$(?:\{(\w+)\}|(\w+))", text)} - BUILT_IN - {"__all"}
    check(used == set(known), f"variables {sorted(used ^ set(known))} are used and not there, or there and not used")


def check_rules(rules):
    """Each alert says what happened and what to do, in commands and keys that there are."""
    configuration = (ROOT / "docs" / "configuration.md").read_text()
    page = (ROOT / "docs" / "metrics.md").read_text()
    tests = (FOLDER / "alerts_test.yml").read_text()
    alerts = [rule for rule in rules if rule["type"] == "alerting"]
    listed = set(re.findall(r"^\| `(Martlet\w+)` \|", page, re.MULTILINE))
    check({rule["name"] for rule in alerts} == listed, f"docs/metrics.md lists {sorted(listed)}")
    commands = set()
    for rule in alerts:
        name, words = rule["name"], rule["annotations"]
        check(set(words) == {"summary", "description"} and rule["labels"].get("severity") in ("warning", "critical"),
              f"{name}: has {words} and {rule['labels']}")
        for key in re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", re.sub(r"\{\{.*?\}\}", "", words["description"])):
            check(f"`{key}`" in configuration, f"{name}: names the key {key}, which the configuration does not have")
        commands |= set(re.findall(r'"martlet ([a-z]+)', words["description"]))
        fires, silent = re.split(rf"alertname: {name}\n", tests), f"alertname: {name}\n"
        check(silent in tests and any("exp_labels" in part.split("alertname:")[0] for part in fires[1:])
              and any("exp_alerts: []" in part.split("alertname:")[0] for part in fires[1:]),
              f"{name}: no test in which it fires, or none in which it does not")
    return commands


def expand(query, values, window):
    """A query as Grafana sends it."""
    query = query.replace("$__rate_interval", window)
    return re.sub(r"\$(?:\{(\w+)\}|(\w+))", lambda match: values[match[1] or match[2]], query)


def metric_names(query):
    return set(re.findall(r"\b(?:martlet|process)_\w+|\bup\b", query))
