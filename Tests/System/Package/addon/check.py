#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check.py FOLDER [VERSION] - holds a Home Assistant add-on to the documented schema (developers.home-assistant.io, "App
configuration"), and its parts to each other: options, schema, translations, DOCS.md and the script. First it shows that
it finds mistakes: the same folder with one each.
"""
import copy
import pathlib
import re
import sys

import yaml

ARCHITECTURES = {"aarch64", "amd64"}
PRIVILEGES = {"BPF", "CHECKPOINT_RESTORE", "DAC_READ_SEARCH", "IPC_LOCK", "NET_ADMIN", "NET_RAW", "PERFMON", "SYS_ADMIN",
              "SYS_MODULE", "SYS_NICE", "SYS_PTRACE", "SYS_RAWIO", "SYS_RESOURCE", "SYS_TIME"}
FOLDERS = {"homeassistant_config", "addon_config", "ssl", "addons", "backup", "share", "media", "all_addon_configs", "data"}
REQUIRED = {"name": str, "version": str, "slug": str, "description": str, "arch": list}
FLAGS = """host_network host_ipc host_dbus host_pid host_uts hassio_api homeassistant_api docker_api full_access audio video
    gpio usb uart udev devicetree kernel_modules stdin legacy tmpfs auth_api ingress ingress_stream panel_admin advanced
    init realtime journald apparmor""".split()
OPTIONAL = {**dict.fromkeys(FLAGS, bool), "machine": list, "url": str, "startup": str, "webui": str, "boot": str,
            "ports": dict, "ports_description": dict, "devices": list, "homeassistant": str, "hassio_role": str,
            "privileged": list, "map": list, "environment": dict, "options": dict, "schema": dict, "image": str,
            "timeout": int, "discovery": list, "services": list, "ingress_port": int, "ingress_entry": str,
            "panel_icon": str, "panel_title": str, "backup": str, "backup_pre": str, "backup_post": str,
            "backup_exclude": list, "stage": str, "watchdog": str, "breaking_versions": list, "ulimits": dict}
CHOICES = {"startup": {"initialize", "system", "services", "application", "once"}, "boot": {"auto", "manual", "manual_only"},
           "backup": {"hot", "cold"}, "stage": {"stable", "experimental", "deprecated"}}
RANGE = r"(?:\((?P<least>-?[\d.]*),(?P<most>-?[\d.]*)\))?"
ELEMENT = re.compile(
    rf"(?P<type>str|int|float|password){RANGE}\??$|(?P<plain>bool|email|url|port|device(?:\(.*\))?)\??$"
    r"|match\((?P<match>.*)\)\??$|list\((?P<list>.+)\)\??$")


def element(schema, value=None):
    """What is wrong with a type of the schema, or with a value of it."""
    match = ELEMENT.match(schema)
    if not match:
        return f"no type is called {schema}"
    if match["match"] is not None:
        try:
            pattern = re.compile(match["match"])
        except re.error as error:
            return f"{schema}: {error}"
        return None if value is None or isinstance(value, str) and pattern.match(value) else f"{value!r} is no {schema}"
    if value is None:
        return None
    if match["list"] is not None:
        return None if value in match["list"].split("|") else f"{value!r} is no {schema}"
    kind = {"str": str, "password": str, "int": int, "float": (int, float), "bool": bool, "port": int}.get(
        match["type"] or match["plain"], str)
    if not isinstance(value, kind) or isinstance(value, bool) and kind is not bool:
        return f"{value!r} is no {schema}"
    size = len(value) if isinstance(value, str) else value
    for bound, wrong in ((match["least"], lambda b: size < b), (match["most"], lambda b: size > b)):
        if bound and wrong(float(bound)):
            return f"{value!r} is out of {schema}"
    return None


def elements(schema, depth=0):
    """The types of a schema, with how deep they are."""
    for value in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(value, (dict, list)):
            yield from elements(value, depth + 1)
        else:
            yield value, depth


def configuration(config):
    """What is wrong with config.yaml."""
    for key, kind in REQUIRED.items():
        if not isinstance(config.get(key), kind) or not config[key]:
            yield f"{key} is missing, or no {kind.__name__}"
    for key, value in config.items():
        kind = REQUIRED.get(key) or OPTIONAL.get(key)
        if not kind:
            yield f"no key is called {key}"
        elif not isinstance(value, kind) or isinstance(value, bool) and kind is not bool:
            yield f"{key} is no {kind.__name__}"
        elif key in CHOICES and value not in CHOICES[key]:
            yield f"{key}: {value}"
    yield from (f"arch: {name}" for name in config.get("arch") or [] if name not in ARCHITECTURES)
    yield from (f"privileged: {name}" for name in config.get("privileged", []) if name not in PRIVILEGES)
    yield from (f"services: {name}" for name in config.get("services", [])
                if not re.match(r"(mqtt|mysql):(provide|want|need)$", name))
    for entry in config.get("map", []):
        if not isinstance(entry, dict) or entry.get("type") not in FOLDERS or set(entry) - {"type", "read_only", "path"}:
            yield f"map: {entry}"
    if not re.match(r"[-_.A-Za-z0-9]+$", str(config.get("slug"))):
        yield "slug cannot be part of a URI"
    if not 10 <= config.get("timeout", 10) <= 300:
        yield "timeout is not in 10…300"
    schema, options = config.get("schema", {}), config.get("options", {})
    for kind, depth in elements(schema):
        if depth > 2:
            yield f"{kind} is more than two deep"
        elif problem := element(kind):
            yield problem
    for key in options.keys() - schema.keys():
        yield f"option {key} is not in the schema"
    for key, kind in schema.items():
        if key in options:
            if isinstance(kind, str) and (problem := element(kind, options[key])):
                yield f"option {key}: {problem}"
        elif isinstance(kind, str) and not kind.endswith("?"):
            yield f"option {key} must be given and has no default"


def together(files):
    """What of the files does not go together."""
    config = files["config.yaml"]
    yield from configuration(config)
    schema = config.get("schema", {})
    fields = [key for value in schema.values() if isinstance(value, list) for item in value if isinstance(item, dict)
              for key in item]
    for name, translation in files["translations"].items():
        told = translation.get("configuration", {})
        yield from (f"{name}: {key} is not translated" for key in schema.keys() - told.keys())
        yield from (f"{name}: {key} is no option" for key in told.keys() - schema.keys())
        yield from (f"{name}: {key} lacks name or description" for key, text in told.items()
                    if not isinstance(text, dict) or set(text) != {"name", "description"})
    if "en.yaml" not in files["translations"]:
        yield "there is no translations/en.yaml"
    if set(files["build.yaml"].get("build_from", {})) != set(config.get("arch") or []):
        yield "build.yaml is not for the architectures of config.yaml"
    yield from (f"run.sh does not read {key}" for key in [*schema, *fields]
                if not re.search(rf"\b{key}\b", files["run.sh"]))
    yield from (f"DOCS.md does not tell of {key}" for key in schema if f"`{key}`" not in files["DOCS.md"])
    example = re.search(r"```yaml\n(.*?)```", files["DOCS.md"], re.S)
    if not example:
        yield "DOCS.md has no example"
        return
    for key, value in yaml.safe_load(example[1]).items():
        if key not in schema:
            yield f"DOCS.md: {key} is no option"
        elif isinstance(schema[key], str):
            if problem := element(schema[key], value):
                yield f"DOCS.md: {key}: {problem}"
        else:
            for entry in value:
                for field, text in entry.items():
                    problem = element(schema[key][0][field], text) if field in schema[key][0] else "no such field"
                    if problem:
                        yield f"DOCS.md: {field}: {problem}"


def read(folder):
    def text(name):
        return (folder / name).read_text()
    return {"config.yaml": yaml.safe_load(text("config.yaml")), "build.yaml": yaml.safe_load(text("build.yaml")),
            "translations": {path.name: yaml.safe_load(path.read_text()) for path in (folder / "translations").iterdir()},
            "run.sh": text("run.sh"), "DOCS.md": text("DOCS.md"), "Dockerfile": text("Dockerfile")}


# One mistake each, and a word of what has to be said of it.
MISTAKES = [
    ("config.yaml", lambda c: c.pop("slug"), "slug is missing"),
    ("config.yaml", lambda c: c.update(host_net=True), "no key is called host_net"),
    ("config.yaml", lambda c: c.update(host_network="yes"), "host_network is no bool"),
    ("config.yaml", lambda c: c["arch"].append("arm64"), "arch: arm64"),
    ("config.yaml", lambda c: c["privileged"].append("CAP_NET_ADMIN"), "privileged: CAP_NET_ADMIN"),
    ("config.yaml", lambda c: c["services"].append("mqtt:wants"), "services: mqtt:wants"),
    ("config.yaml", lambda c: c.update(map=["config"]), "map: config"),
    ("config.yaml", lambda c: c.update(startup="before"), "startup: before"),
    ("config.yaml", lambda c: c["schema"].update(log_level="choice(a|b)"), "no type is called choice"),
    ("config.yaml", lambda c: c["schema"].update(controller="match(^(hci$)"), "match"),
    ("config.yaml", lambda c: c["options"].update(controller="bluetooth0"), "option controller"),
    ("config.yaml", lambda c: c["options"].pop("log_level"), "option log_level must be given"),
    ("config.yaml", lambda c: c["schema"]["sensors"][0].update(deep={"deeper": "str"}), "more than two deep"),
    ("config.yaml", lambda c: c["schema"].update(colour="str?"), "run.sh does not read colour"),
    ("build.yaml", lambda b: b["build_from"].pop("aarch64"), "not for the architectures"),
    ("translations", lambda t: t["de.yaml"]["configuration"].pop("sensors"), "de.yaml: sensors is not translated"),
    ("translations", lambda t: t.pop("en.yaml"), "no translations/en.yaml"),
]


def main(folder, version=None):
    files = read(pathlib.Path(folder))
    for name, spoil, words in MISTAKES:
        spoiled = copy.deepcopy(files)
        spoil(spoiled[name])
        if not any(words in problem for problem in together(spoiled)):
            sys.exit(f"check.py does not find: {words}")
    problems = list(together(files))
    if version and files["config.yaml"]["version"] != version:
        problems.append(f"config.yaml is of version {files['config.yaml']['version']}, not {version}")
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
