#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""manual.py program HELP.json VERSION EPOCH          - martlet(1), from `martlet --experimental-dump-help`
manual.py configuration CONFIGURATION.md VERSION EPOCH - martlet.toml(5), from the tables of docs/configuration.md

Both sources are held to the program: the first is made by it, the second by a test from the table that reads the keys.
"""
import itertools
import json
import re
import sys
import time


def plain(text):
    """Text as roff: nothing in it is a request, and code is bold."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", text)
    text = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", text)
    lines = [line.strip() for line in text.split("\n")]
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines)


def paragraphs(text):
    """Paragraphs as roff; lines that begin with blanks, which examples do, stay as they are."""
    lines = []
    for part in text.split("\n\n"):
        lines += [".PP"]
        for literal, block in itertools.groupby(part.split("\n"), lambda line: line.startswith("  ")):
            block = plain("\n".join(block))
            lines += [".RS 2", ".nf", block, ".fi", ".RE"] if literal else [block]
    return lines


def head(name, section, version, epoch, summary):
    day = time.strftime("%Y-%m-%d", time.gmtime(int(epoch)))
    return [
        f'.TH {name.upper()} {section} "{day}" "martlet {version}" "Martlet"', ".SH NAME",
        f"{plain(name)} \\- {plain(summary)}",
    ]


# MARK: martlet(1)

def names(argument):
    form = {"short": "-", "long": "--", "longWithSingleDash": "-"}
    value = f" \\fI{plain(argument['valueName'])}\\fR" if argument["kind"] == "option" else ""
    return ", ".join(f"\\fB{plain(form[n['kind']] + n['name'])}\\fR" for n in argument.get("names", [])) + value


def synopsis(argument):
    if argument["kind"] == "positional":
        text = f"\\fI{plain(argument['valueName'])}\\fR" + ("..." if argument["isRepeating"] else "")
    else:
        preferred = argument["preferredName"]
        text = f"\\fB{plain(('-' if preferred['kind'] == 'short' else '--') + preferred['name'])}\\fR"
        if argument["kind"] == "option":
            text += f" \\fI{plain(argument['valueName'])}\\fR"
    return f"[{text}]" if argument["isOptional"] else text


def shown(command):
    return [a for a in command.get("arguments", []) if a["shouldDisplay"] and a["valueName"] not in ("help", "version")]


def describe(argument):
    title = names(argument) if argument["kind"] != "positional" else f"\\fI{plain(argument['valueName'])}\\fR"
    text = plain(argument.get("abstract", ""))
    if "defaultValue" in argument:
        text += f" Default: {plain(argument['defaultValue'])}."
    return [".TP", title, text]


def leaves(command, path):
    path = path + [command["commandName"]]
    inner = [c for c in command.get("subcommands", []) if c["shouldDisplay"] and c["commandName"] != "help"]
    if not inner:
        yield path, command
    for each in inner:
        yield from leaves(each, path)


def program(help, version, epoch):
    root = json.loads(help)["command"]
    lines = head("martlet", 1, version, epoch, root["abstract"].rstrip("."))
    lines += [".SH SYNOPSIS", ".B martlet", "\\fIcommand\\fR [\\fIoption\\fR...]", ".SH DESCRIPTION"]
    lines += paragraphs(root["discussion"])[1:] + [".SH COMMANDS"]
    for path, command in leaves(root, []):
        arguments = shown(command)
        lines += [f".SS \"{plain(' '.join(path))}\"", plain(command["abstract"])]
        if command.get("discussion"):
            lines += paragraphs(command["discussion"])
        lines += [".PP", " ".join([f"\\fB{plain(' '.join(path))}\\fR"] + [synopsis(a) for a in arguments])]
        for argument in arguments:
            lines += describe(argument)
    lines += [
        ".SH FILES", ".TP", ".I /etc/martlet/martlet.toml", "The configuration, see",
        ".BR martlet.toml (5).", ".TP", ".I /etc/credstore/martlet.mqtt.password",
        "The password at the broker, for root only.", ".TP", ".I /var/lib/martlet/journal.db",
        "The journal: readings that the broker has not got yet.", ".TP", ".I /run/martlet/control.sock",
        "Where a running gateway is asked; group \\fBmartlet\\fR may.", ".SH SEE ALSO",
        ".BR martlet.toml (5),", ".BR systemctl (1)",
    ]
    return lines


# MARK: martlet.toml(5)

def rows(block):
    for line in block.split("\n"):
        if line.startswith("| `"):
            yield [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def configuration(text, version, epoch):
    lines = head("martlet.toml", 5, version, epoch, "configuration of the Bluetooth LE sensor gateway")
    introduction = text.split("\n## ")[0].split("\n", 1)[1]
    lines += [".SH DESCRIPTION"]
    for number, part in enumerate(re.split(r"```\w*\n(.*?)```", introduction, flags=re.S)):
        if number % 2:
            lines += [".PP", ".nf", ".RS", plain(part.strip()), ".RE", ".fi"]
        else:
            lines += [".PP\n" + plain(paragraph.strip()) for paragraph in part.split("\n\n") if paragraph.strip()]
    keys = text.split("\n## All keys")[1]
    for section in re.split(r"^### ", keys, flags=re.M)[1:]:
        title, _, block = section.partition("\n")
        lines += [f".SH \"{plain(title.strip('`'))}\"", plain(block.split("|")[0].strip())]
        for key, kind, default, meaning in rows(block):
            lines += [".TP", f"{plain(key)} ({plain(kind)})", plain(meaning)]
            if default != "–":
                lines += [f"Default: {plain(default)}."]
    lines += [".SH FILES", ".I /etc/martlet/martlet.toml", ".br", ".I /etc/martlet/conf.d/*.toml", ".SH SEE ALSO",
              ".BR martlet (1)"]
    return lines


if __name__ == "__main__":
    kind, path, version, epoch = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        page = {"program": program, "configuration": configuration}[kind](file.read(), version, epoch)
    print("\n".join(page))
