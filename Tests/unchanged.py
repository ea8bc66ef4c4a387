# SPDX-License-Identifier: Apache-2.0
"""The test targets whose inputs have not changed since they passed: `make check` runs them no second time.

The inputs of a target are the files of the targets below it, by the package's description; the files and folders that its texts name,
as tests of documents and of sources do; and the manifest. Other programs of the machine are none: `make check ALL=1` runs all tests.
"""
import functools
import hashlib
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A change here may change any test.
COMMON = ("Package.swift", "board/swift-packages.json", "Makefile", "Tests/unit.py", "Tests/unchanged.py")
# A path of the repository in a text of a test, or its beginning: `docs/sensors.md`, `Sources`, `Tests/Support/\(name)`.
NAMED = re.compile(r'"((?:Sources|Tests|docs|board|overlays|systemd|\.ci)(?=["/])[\w.+/-]*|[A-Z][\w.-]*\.(?:md|swift))')
GENERATED = {"__pycache__", ".build", "api"}


def described():
    """The targets of the package, by name."""
    text = subprocess.run(["swift", "package", "describe", "--type", "json"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {target["name"]: target for target in json.loads(text)["targets"]}


def below(name, targets):
    """The target and all that it depends on."""
    found, waiting = set(), [name]
    while waiting:
        if (one := waiting.pop()) not in found:
            found.add(one)
            waiting += targets[one].get("target_dependencies", [])
    return found


def files(path):
    """The file, or the files of the folder; of a name that goes on, the files beside it."""
    if not path.exists() and path.parent != ROOT:
        path = path.parent
    if path.is_file():
        return [path]
    return sorted(file for file in path.rglob("*") if file.is_file() and not GENERATED & set(file.relative_to(ROOT).parts))


@functools.cache
def digest(path):
    return hashlib.sha256(path.read_bytes()).digest()


def sources(name, targets):
    """The files of the target and of those below it."""
    return [file for one in below(name, targets) for file in files(ROOT / targets[one]["path"])]


def inputs(name, targets):
    """The files that decide about the tests of a target."""
    own = sources(name, targets)
    named = {path for file in own if file.suffix == ".swift" and file.is_relative_to(ROOT / "Tests")
             for path in NAMED.findall(file.read_text(errors="replace"))}
    return sorted({*own, *(file for path in (*named, *COMMON) for file in files(ROOT / path))})


def key(name, targets):
    """Another one after each change of an input."""
    whole = hashlib.sha256()
    for file in inputs(name, targets):
        whole.update(str(file.relative_to(ROOT)).encode() + b"\0" + digest(file))
    return whole.hexdigest()


def begun(build):
    """When the build began, which `make debug-tests` keeps beside it; nothing has passed without."""
    try:
        return build.with_name(build.name + "-begun").stat().st_mtime
    except OSError:
        return 0


class Passed:
    """The targets of a group of tests with the keys with which they passed, kept in a file."""

    def __init__(self, file, wanted):
        """`wanted`: whether a test target belongs to the group, by its name."""
        targets = described()
        self.file = file
        names = [name for name, target in targets.items() if target["type"] == "test" and wanted(name)]
        # In this order: a source that changes in between is newer than the build.
        self.keys = {name: key(name, targets) for name in names}
        self.written = {name: max(file.stat().st_mtime for file in sources(name, targets)) for name in names}
        try:
            known = json.loads(file.read_text())
        except (OSError, ValueError):
            known = {}
        self.changed = sorted(name for name, one in self.keys.items() if known.get(name) != one)

    def keep(self, begun):
        """All of them have passed, in a build that began at this time. A source that was written later may not be in it."""
        tested = {name: one for name, one in self.keys.items() if self.written[name] <= begun}
        self.file.write_text(json.dumps(tested, indent=1) + "\n")
