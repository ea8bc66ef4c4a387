#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""commands.py BINARY [PAGE]... - run the command lines of README.md and of the documents as a user would, page by page, each in a
place of its own; hold what they print against what the page shows; check the configurations. Root.

plan.py says what a command is run with. A command that it does not know, or that fails, is a failure. docs/testing.md lists what
is run with a stand-in, and what is not run; --write writes that list.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

import plan
from blocks import blocks, commands, first_line, missing
from place import Place, Shell

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
TABLE = re.compile(r"(<!-- commands -->\n).*?(<!-- /commands -->)", re.S)
# What only looks may be asked again, until what runs beside it has got so far.
LOOKS = re.compile(r"(sudo )?(martlet (status|why|buffer stats|devices|clock|audit)|curl|journalctl|systemctl status|openssl x509 -in)\b.*")
PATIENCE = 20


def pages():
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "README.md", "docs/*.md", "docs/**/*.md"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.split()
    return sorted(name for name in set(listed) if not name.startswith("docs/site/"))


def known(page, command):
    row = plan.row(page, first_line(command))
    if row is None:
        sys.exit(f"{page}: plan.py knows nothing of: {first_line(command)}")
    return row


def table():
    """The rows of docs/testing.md: what is not simply run."""
    rows = ["| page | command | how |", "| --- | --- | --- |"]
    count = 0
    for page in pages():
        for block in blocks(ROOT / page):
            for command in commands(block.text) if block.language == "sh" else []:
                row = known(page, command)
                count += row.how == "run"
                if row.how != "run":
                    said = first_line(command).replace("|", "\\|")
                    how = f"with {row.what}" if row.how == "stand-in" else f"not here: {row.what}"
                    line = f"| {page.removeprefix('docs/')} | `{said}` | {how} |"
                    if line not in rows:
                        rows.append(line)
    return f"{count} commands are run as they stand. The others:\n\n" + "\n".join(rows) + "\n"


def told(write):
    file = ROOT / "docs/testing.md"
    text = file.read_text(encoding="utf-8")
    rows = table()
    fresh = TABLE.sub(lambda found: f"{found[1]}\n{rows}\n{found[2]}", text)
    if write:
        file.write_text(fresh, encoding="utf-8")
    elif fresh != text:
        sys.exit("docs/testing.md has another list of commands: Tests/Scenes/Documentation/commands.py --write")


def decoders(page):
    """The blocks of a page that describe a sensor: they lie beside its configurations, and have to pass their own vectors."""
    return [block.text for block in blocks(ROOT / page) if block.language == "toml" and re.search(r"^\[match\]", block.text, re.M)]


def check_configuration(binary, page, block):
    """None, or what is wrong with a block of TOML."""
    try:
        tables = tomllib.loads(block.text)
    except tomllib.TOMLDecodeError as error:
        return str(error)
    if set(tables) & {"inputs", "outputs", "json_string_fields", "topic_tag"}:
        return None if set(tables) <= {"inputs", "outputs", "json_string_fields", "topic_tag"} else "Telegraf has no such table"
    if "device" in tables:
        return None  # A card's file, which Tests/System/Image reads.
    with tempfile.TemporaryDirectory() as folder:
        # Files that a block names are not there; a page for everybody wants some password.
        text = re.sub(r"^password_file\s*=.*$", 'password = "correct horse"', block.text, flags=re.M)
        text = re.sub(r"^\w+_file\s*=.*$", "", text, flags=re.M)
        for number, decoder in enumerate(decoders(page)):
            pathlib.Path(folder, "decoders.d").mkdir(exist_ok=True)
            pathlib.Path(folder, f"decoders.d/{number}.toml").write_text(decoder)
        text = "" if "match" in tables else text
        # A fragment is a part of a configuration that has a broker.
        text = text if "mqtt" in tables and "match" not in tables else text + '\n[mqtt]\nhost = "broker.local"\n'
        file = pathlib.Path(folder, "martlet.toml")
        file.write_text(text)
        said = subprocess.run([binary, "check-config", "--config", file], capture_output=True, text=True)
        return None if said.returncode == 0 else said.stderr + said.stdout


def check_data(binary, page):
    import yaml
    for block in blocks(ROOT / page):
        wrong = None
        try:
            if block.language == "toml":
                wrong = check_configuration(binary, page, block)
            elif block.language == "yaml":
                yaml.safe_load(block.text)
            elif block.language == "json" and "…" not in block.text:
                at = 0
                while block.text[at:].strip():
                    _, end = json.JSONDecoder().raw_decode(block.text[at:].lstrip())
                    at += len(block.text[at:]) - len(block.text[at:].lstrip()) + end
        except (yaml.YAMLError, ValueError) as error:
            wrong = str(error)
        if wrong:
            yield f"{page}:{block.line}: {wrong}"


class Walk:
    """Somebody who follows a page from its top."""

    def __init__(self, page, written, place):
        self.page, self.blocks, self.place, self.shell = page, written, place, Shell()
        self.last, self.said = None, ""

    def follow(self):
        for number, block in enumerate(self.blocks):
            if block.language == "sh":
                self.said = ""
                later = [other.text for other in self.blocks[number + 1:] if other.language in ("toml", "")]
                self.place.typist(later[0] if later else "")
                for command in commands(block.text):
                    self.obey(command)
            elif block.language == "text" and self.last:
                self.compare(block)

    def obey(self, command):
        row = known(self.page, command)
        if row.how == "not":
            print(f"      - {first_line(command)}")
            return
        whole = command
        if row.suffix:
            whole = re.sub(r"(\s+#.*)?$", lambda comment: row.suffix + comment[0], command, count=1)
        if row.before:
            self.shell.run(row.before)
        again = PATIENCE if LOOKS.fullmatch(first_line(command)) else 1
        for _ in range(again):
            status, said = self.shell.run(whole, row.typed, endless=re.compile(row.endless) if row.endless else None)
            if status == 0 or again == 1:
                break
            self.shell.run("sleep 1")
        print(f"  {'ok' if status == 0 else 'FAIL'}  {first_line(command)}", flush=True)
        if status:
            raise AssertionError(f"{self.page}: {command}\nended with {status}:\n{said}")
        self.last, self.said = (whole, row), self.said + said
        if row.login:
            self.shell.login()

    def compare(self, block):
        """What the page shows is said, in its shape, sooner or later."""
        for _ in range(PATIENCE):
            line = missing(block.text, self.said)
            if line is None:
                return
            if not LOOKS.fullmatch(first_line(self.last[0])):
                break
            self.shell.run("sleep 1")
            self.said += self.shell.run(self.last[0])[1]
        raise AssertionError(f"{self.page}:{block.line}: nothing like this was said:\n{line}\nbut:\n{self.said[-3000:]}")


def inside(binary, package, page, work):
    """In namespaces of this page alone."""
    written = list(blocks(ROOT / page))  # The place has no checkout.
    place = Place(binary, package, work)
    place.begin(plan.BEGINS.get(page, ""))
    try:
        Walk(page, written, place).follow()
    except AssertionError as failure:
        print(failure, file=sys.stderr)
        for log in ("martlet", "mosquitto"):
            file = pathlib.Path(f"/var/log/{log}.log")
            if file.exists():
                print(f"the log of {log} ends with:\n{file.read_text(errors='replace')[-1500:]}", file=sys.stderr)
        return 1
    return 0


def package_of(binary):
    """A Debian package of this program, made anew where it is older."""
    folder = ROOT / ".build/deb"
    found = sorted(folder.glob("martlet_*_amd64.deb")) + sorted(folder.glob("martlet_*_arm64.deb"))
    architecture = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
    found = [file for file in found if file.name.endswith(f"_{architecture}.deb")]
    if not found or found[-1].stat().st_mtime < pathlib.Path(binary).stat().st_mtime:
        subprocess.run([ROOT / "board/deb/build.sh", architecture, binary, binary, folder], check=True, capture_output=True)
        found = sorted(folder.glob(f"martlet_*_{architecture}.deb"))
    return found[-1]


def main():
    arguments = sys.argv[1:]
    if arguments == ["--write"]:
        return told(write=True)
    if not arguments:
        sys.exit(__doc__)
    if arguments[0] == "--inside":
        sys.exit(inside(*arguments[1:]))
    if os.getuid():
        sys.exit("commands.py: this needs root, for namespaces: sudo make test-docs")
    binary = str(pathlib.Path(arguments[0]).resolve())
    told(write=False)
    failures = []
    package = package_of(binary)
    chosen = arguments[1:] or pages()
    for page in chosen:
        failures += check_data(binary, page)
        if not any(known(page, command).how != "not" for block in blocks(ROOT / page) if block.language == "sh"
                   for command in commands(block.text)):
            continue
        print(f"{page}:", flush=True)
        with tempfile.TemporaryDirectory() as work:
            ended = subprocess.run(["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--propagation", "private",
                                    sys.executable, __file__, "--inside", binary, package, page, work])
        if ended.returncode:
            failures.append(page)
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"{len(chosen)} pages, {len(failures)} failures")
    sys.exit(bool(failures))


main()
