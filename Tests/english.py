#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""english.py - holds the English of comments, documents and screens to the figures of english.toml, which may only fall.

    english.py                    fails if a figure has risen, and names files and sentences; silent if all is well
    english.py --write            writes the figures that have fallen, and those of new places; never writes a higher one
    english.py --figures          prints all figures
    english.py --worst N PLACE    prints the N worst sentences of a place of english.toml, for example Sources/GATT

There are two figures. A sentence is inverted if it opens with a word that hides its subject: "Of what is …", "Who asks …". A pronoun
is vague if the reader has to look for its noun: "it", "that", "such". Each figure is kept as a count and as a rate: inverted
sentences in a hundred, vague pronouns in a hundred words. A figure has risen if count and rate have both risen, so that no plain
sentence is ever too many, and none too few. Sentences have four words or more. A question may open with What, Who or Where.

A place that english.toml does not name has to keep its kind's goal. If a folder gets another name, rename its row.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tomllib

import english_texts as texts

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURES = pathlib.Path(__file__).with_name("english.toml")
SKIPPED = {".build", ".git", ".rig", "node_modules", "api"}  # docs/api is made by make docs
OPENERS = ("of", "what", "who", "whoever", "whatever", "where", "so long", "so many", "so much", "that", "those", "nobody", "somebody",
           "the same", "with what", "for who", "for those", "as far", "as many", "as long")
PRONOUNS = ("whoever", "whatever", "who", "what", "that", "those", "one", "it", "others", "somebody", "nobody", "such", "the same")
INVERTED = re.compile(rf"[*_\"“(]*(?:{'|'.join(OPENERS)}) ", re.I)
QUESTION = re.compile(r"(?:what|who|where) .*\?\W*$", re.I | re.S)
VAGUE = re.compile(rf"\b(?:{'|'.join(PRONOUNS)})\b", re.I)
KINDS = {"comments": {".swift": texts.comments},
         "documents": {".md": texts.documents},
         "screens": {".swift": texts.swift, ".js": texts.javascript, ".html": texts.page}}
HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# How plain the English is, by place: figures that may only fall. `make lint` checks them (english.py); `Tests/english.py --write`
# writes lower ones. A row: [count, rate] of inverted sentences, [count, rate] of vague pronouns. The rate of a goal is for new places.
"""


def is_inverted(sentence):
    return bool(INVERTED.match(sentence)) and not QUESTION.match(sentence)


def place(kind, path):
    """The row that a file belongs to; None if the kind does not read the file. `path` is relative to the repository."""
    parts, suffix = path.parts, path.suffix
    if suffix not in KINDS[kind] or SKIPPED & set(parts):
        return None
    if kind == "documents":
        article = next((str(pathlib.Path(*parts[:at + 1])) for at, part in enumerate(parts) if part.endswith(".docc")), None)
        return article or (parts[0] if parts[0] in ("docs", "Tests") or len(parts) == 1 else None)
    if parts[0] == "Sources" and len(parts) > 2:
        return "/".join(parts[:2])
    return "Tests" if kind == "comments" and parts[0] == "Tests" else None


def files():
    suffixes = {suffix for readers in KINDS.values() for suffix in readers}
    for path in ROOT.glob("*.md"):
        yield path
    for folder in ("Sources", "Tests", "docs"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path


class Place:
    """The sentences of a kind in one place, and their figures."""

    def __init__(self):
        self.sentences = []  # (file, sentence)

    def add(self, path, reader, text):
        self.sentences += [(path, sentence) for paragraph in reader(text) for sentence in texts.sentences(paragraph)]

    def figures(self):
        inverted = sum(is_inverted(sentence) for _, sentence in self.sentences)
        vague = sum(len(VAGUE.findall(sentence)) for _, sentence in self.sentences)
        words = sum(len(sentence.split()) for _, sentence in self.sentences)
        return {"inverted": [inverted, rate(inverted, len(self.sentences))], "vague": [vague, rate(vague, words)]}


def rate(count, whole):
    return round(100 * count / whole, 1) if whole else 0.0


def measured():
    """The places of each kind, by name."""
    found = {kind: {} for kind in KINDS}
    for path in files():
        relative, text = path.relative_to(ROOT), None
        for kind, readers in KINDS.items():
            if name := place(kind, relative):
                text = path.read_text(errors="replace") if text is None else text
                found[kind].setdefault(name, Place()).add(relative, readers[path.suffix], text)
    return {kind: {name: current for name, current in places.items() if current.sentences} for kind, places in found.items()}


def committed():
    return tomllib.loads(FIGURES.read_text()) if FIGURES.exists() else {}


def goals():
    """The goals of a file that is written whole."""
    return {kind: {"inverted": inverted, "vague": 6.0} for kind, inverted in (("comments", 3.0), ("documents", 2.0), ("screens", 0.0))}


def limit(table, kind, name, figure):
    """The count and the rate that a place may have; a new place has the goal's rate."""
    row = table.get(kind, {}).get(name)
    return row[figure] if row else [0, table.get("goal", {}).get(kind, {}).get(figure, 0.0)]


def has_risen(now, most):
    return now[0] > most[0] and now[1] > most[1]


def before(name, kind):
    """The sentences of a place in the commit that wrote its figures last; empty without git."""
    def git(*arguments, asked=""):
        command = ["git", "-c", "safe.directory=*", "-C", str(ROOT), *arguments]
        return subprocess.run(command, input=asked.encode(), capture_output=True, check=True).stdout

    try:
        commit = git("log", "-1", "--format=%H", "--", str(FIGURES)).decode().strip()
        listed = git("ls-tree", "-r", "--name-only", commit, "--", name).decode().splitlines() if commit else []
        paths = [path for path in map(pathlib.Path, listed) if place(kind, path) == name]
        said = git("cat-file", "--batch", asked="".join(f"{commit}:{path}\n" for path in paths))
    except (OSError, subprocess.CalledProcessError):
        return set()
    old, at = Place(), 0
    for path in paths:
        line = said.index(b"\n", at)
        size = int(said[at:line].split()[-1])
        old.add(path, KINDS[kind][path.suffix], said[line + 1:line + 1 + size].decode(errors="replace"))
        at = line + 1 + size + 1
    return {sentence for _, sentence in old.sentences}


def weight(figure, sentence):
    return int(is_inverted(sentence)) if figure == "inverted" else len(VAGUE.findall(sentence))


def guilty(kind, name, figure, found, most=20):
    """The sentences to look at: those that are new since the figures were written, or all if none is; the worst first."""
    old = before(name, kind)
    sentences = [pair for pair in found.sentences if weight(figure, pair[1])]
    new = [pair for pair in sentences if pair[1] not in old]
    return sorted(new or sentences, key=lambda pair: -weight(figure, pair[1]))[:most]


def check(table, found):
    """Lines about every figure that has risen."""
    unit = {"inverted": ("sentences that open inverted", "%"), "vague": ("vague pronouns", "in a hundred words")}
    for kind, places in found.items():
        for name, current in places.items():
            for figure, now in current.figures().items():
                most = limit(table, kind, name, figure)
                if not has_risen(now, most):
                    continue
                what, of = unit[figure]
                yield f"{name}: {kind} have {now[0]} {what} ({now[1]} {of}); at most {most[0]} or {most[1]} {of}. Write these plainly:"
                for path, sentence in guilty(kind, name, figure, current):
                    yield f"  {path}: {sentence}"


def lowered(table, found):
    """The table with every figure that has fallen, and with new places that keep the goal. A missing file is written whole."""
    result = {"goal": table.get("goal", goals())}
    for kind, places in found.items():
        result[kind] = {}
        for name, current in sorted(places.items()):
            now, row = current.figures(), table.get(kind, {}).get(name)
            if row:
                result[kind][name] = {figure: [min(pair) for pair in zip(now[figure], row[figure])] for figure in now}
            elif not table or not any(has_risen(now[figure], limit(table, kind, name, figure)) for figure in now):
                result[kind][name] = now
    return result


def written(table):
    lines = [HEAD + "[goal]"]
    lines += [f"{kind} = {{ inverted = {row['inverted']}, vague = {row['vague']} }}" for kind, row in table["goal"].items()]
    for kind in KINDS:
        lines += ["", f"[{kind}]"]
        lines += [f'"{name}" = {{ inverted = {row["inverted"]}, vague = {row["vague"]} }}' for name, row in table.get(kind, {}).items()]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--figures", action="store_true")
    parser.add_argument("--worst", nargs=2, metavar=("N", "PLACE"))
    options = parser.parse_args()
    table, found = committed(), measured()
    if options.figures:
        for kind, places in found.items():
            whole = Place()
            for current in places.values():
                whole.sentences += current.sentences
            for name, current in [*sorted(places.items()), ("all", whole)]:
                row = current.figures()
                print(f"{kind:9}  {name:40}  {len(current.sentences):5} sentences  {row['inverted'][0]:4} open inverted, "
                      f"{row['inverted'][1]:4} %  {row['vague'][0]:5} vague pronouns, {row['vague'][1]:4} in a hundred words")
        return 0
    if options.worst:
        count, name = int(options.worst[0]), options.worst[1].rstrip("/")
        for kind, places in found.items():
            pairs = sorted(places[name].sentences if name in places else [],
                           key=lambda pair: (-is_inverted(pair[1]), -len(VAGUE.findall(pair[1]))))
            for path, sentence in pairs[:count]:
                print(f"{kind}: {path}: {sentence}")
        return 0
    if not table and not options.write:
        print(f"{FIGURES} is missing: take it from git, or write the present figures with --write")
        return 1
    lines = list(check(table, found)) if table else []
    print(*lines, sep="\n", end="\n" if lines else "")
    if options.write:
        FIGURES.write_text(written(lowered(table, found)))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
