# SPDX-License-Identifier: Apache-2.0
"""The alert rules over 300 gateways at 100 sites, as promtool evaluates them: exactly the alerts that should fire do."""
import json

import dashboard
from prometheus import promtool

GATEWAYS = 300
# Each site has three gateways and six sensors. All three hear each sensor, and one of them has it.
GATEWAYS_OF_A_SITE = 3
FAULTY = 1
SENSORS = ("fridge", "cellar", "door", "office", "roof", "garage")
# Sites have sensors of the same names, so an alert has to tell them apart.
DOWN, NO_BROKER, MISSING, LOW, SILENT, RESTARTED, KNOWN, MAINTAINED, NO_RADIO = range(7, 97, 10)
MINUTES = 120
MARK = 'alertname!="",alertstate="firing"'


def series(values, name, **labels):
    text = ",".join(f'{key}="{value}"' for key, value in sorted(labels.items()))
    return {"series": f"{name}{{{text}}}", "values": values}


def site(number):
    """The series of a site's gateways, and the labels of the alerts that fire."""
    rows, alerts = [], []
    constant = f"x{MINUTES}"
    for place in range(GATEWAYS_OF_A_SITE):
        gateway = {"job": "martlet", "instance": f"gw-{number}-{place}:9150", "site": f"Site {number}"}
        faulty = place == FAULTY
        up = "0" if number == DOWN and faulty else "1"
        rows.append(series(up + constant, "up", job="martlet", instance=gateway["instance"]))
        if up == "0":
            alerts.append({"alertname": "MartletGatewayDown", "severity": "critical", "job": "martlet",
                           "instance": gateway["instance"]})
            continue
        # An operator of the site KNOWN has acknowledged that there is no broker.
        is_cut = number in (NO_BROKER, KNOWN) and faulty
        rows.append(series(("0" if is_cut else "1") + constant, "martlet_mqtt_connected", **gateway))
        for code, is_there in (("broker-unreachable", is_cut and number != KNOWN), ("radio-down", number == NO_RADIO and faulty),
                               ("clock-unknown", False), ("disk-low", False)):
            rows.append(series(("1" if is_there else "0") + constant, "martlet_problems", code=code, **gateway))
            if is_there:
                alerts.append({"alertname": "MartletBrokerNotConnected", "severity": "warning", **gateway} if code == "broker-unreachable"
                              else {"alertname": "MartletGatewayProblem", "severity": "warning", "code": code, **gateway})
        # A gateway that was started anew ten minutes ago.
        uptime = f"0+60x{MINUTES - 10} 0+60x9" if number == RESTARTED and faulty else f"0+60{constant}"
        rows.append(series(uptime, "martlet_uptime_seconds", **gateway))
        for index, sensor in enumerate(SENSORS):
            labels = {**gateway, "device": sensor, "room": sensor.capitalize()}
            has_it = index % GATEWAYS_OF_A_SITE == place
            # A gateway that is down has collected these for the others.
            is_lost = number == DOWN and index % GATEWAYS_OF_A_SITE == FAULTY
            missing = is_lost or (number == MISSING and sensor == "fridge")
            rows.append(series(("1" if missing or not has_it else "0") + constant, "martlet_device_missing", **labels))
            if missing or not has_it:
                rows.append(series("1" + constant, "martlet_device_problem", code="sensor-awaited", **labels))
            if missing:
                alerts.append({"alertname": "MartletSensorMissing", "severity": "warning", **labels})
            if not has_it or missing:
                continue
            # After an hour it says nothing: as a fault, in maintenance, or because its gateway has no radio. Only the first is a
            # problem of the sensor.
            silent = number == SILENT and sensor == "roof"
            is_hidden = number == MAINTAINED and sensor == "roof" or number == NO_RADIO and faulty
            age = f"1x60 1+60x{MINUTES - 61}" if silent or is_hidden else f"30{constant}"
            rows.append(series(age, "martlet_device_last_value_age_seconds", **labels))
            counts = f"0+60x60 3600x{MINUTES - 61}" if silent or is_hidden else f"0+1{constant}"
            rows.append(series(counts, "martlet_readings_total", source="advert", **labels))
            if silent:
                rows.append(series(f"_x60 1x{MINUTES - 61}", "martlet_device_problem", code="sensor-silent", **labels))
                alerts.append({"alertname": "MartletSensorSilent", "severity": "warning", **labels})
            low = number in (LOW, MAINTAINED) and sensor == "door"
            rows.append(series(("1" if low else "0") + constant, "martlet_device_battery_low", **labels))
            if low and number == LOW:
                rows.append(series("1" + constant, "martlet_device_problem", code="sensor-battery-low", **labels))
                alerts.append({"alertname": "MartletBatteryLow", "severity": "warning", **labels})
    return rows, alerts


def check(folder):
    """Gives a sentence. Fails with the alerts that are missing, or fire beside the wanted ones."""
    rows, alerts = [], []
    for number in range(GATEWAYS // GATEWAYS_OF_A_SITE):
        more, wanted = site(number)
        rows += more
        alerts += wanted
    samples = [{"labels": "ALERTS{" + ",".join(f'{key}="{value}"' for key, value in sorted(
        {**labels, "alertstate": "firing"}.items())) + "}", "value": 1} for labels in alerts]
    document = {
        "rule_files": [str(dashboard.FOLDER / "alerts.yml")], "evaluation_interval": "1m",
        "tests": [{"interval": "1m", "input_series": rows, "promql_expr_test": [
            {"expr": f"ALERTS{{{MARK}}}", "eval_time": f"{MINUTES}m", "exp_samples": samples}]}]}
    # JSON is YAML.
    path = folder / "fleet.yml"
    path.write_text(json.dumps(document))
    promtool("test", "rules", path)
    return f"{GATEWAYS} gateways, {len(rows)} series, {len(alerts)} alerts and no other"
