#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""words.py [--self-test] - page, command line, log and documents follow docs/contributing/words.md: each word stands on the page, in both
languages, and no word of the column "not" is in a text.

Behind a word of that column stands where it is wrong: "as a title" among whole texts and headings, "as a title of the page" and "on the page"
there alone, "of a sensor" where a sensor is that; without a place, everywhere.
"""
import pathlib
import re
import sys

import english_texts

ROOT = pathlib.Path(__file__).resolve().parent.parent
GLOSSARY = ROOT / "docs" / "contributing" / "words.md"
PAGES = {"en": ROOT / "Sources/CPage/page/strings.en.js", "de": ROOT / "Sources/CPage/page/strings.de.js"}
PHONE = ROOT / "Sources/PhonePage/strings.en.js"
# Words of the command line, the documents and the log, which the page does not need to have.
ELSEWHERE = {"Maintenance", "Acknowledge", "Limit", "Silent", "Room", "Sensor", "Live", "Gap", "Wi-Fi"}
# Names that others have given: of errors in the specification, and of Apple's and Home Assistant's things.
NAMES = re.compile(r"`[^`]*`|\bPIN or key missing\b|\bpin or key missing\b", re.I)
# What the programs under test and the build say is for no reader of Martlet.
NO_READERS = ("Sources/VirtualRadio/", "Sources/HCI/", "Sources/L2CAP/", "Sources/ATT/", "Sources/SMP/")


def rows(text):
    """Word, German word, and the words that are not used, each with where it is wrong."""
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("| ") or len(cells) != 4 or cells[0] in ("word", "---"):
            continue
        bad = []
        for part in cells[3].split(","):
            word, _, where = part.strip().partition(" (")
            if word and word != "–":
                bad.append((word if word.isupper() else word.lower(), where.rstrip(")")))
        found.append((cells[0], cells[2], bad))
    return found


def texts(source):
    """The texts of a file of strings."""
    body = re.sub(r"(?m)^\s*(//|/\*\*).*$", "", source)
    found = [text for pair in re.findall(r"'([^'\n]*)'|`([^`]*)`", body) for text in pair if text]
    return [plain(re.sub(r"\$\{\w+\}", "", text)) for text in found]


def plain(text):
    return text.replace("’", "'").strip()


def is_wrong(other, where, text, is_page):
    # "PIN" is a word, and "pin" is another one.
    text = text if other.isupper() else text.lower()
    if where.startswith("as a title"):
        return text == other and (is_page or where == "as a title")
    if where == "on the page" and not is_page:
        return False
    word = rf"\b{re.escape(other)}\b"
    if where == "of a sensor" and not is_page:
        word = rf"\bsensors?\b(?:\s+\w+){{0,2}}\s+{word}|{word}\s+sensors?\b"
    return other in text and re.search(word, NAMES.sub("", text)) is not None


def missing(table, english, german):
    wrong, english, german = [], [text.lower() for text in english], [text.lower() for text in german]
    if len(table) < 20:
        wrong.append(f"the list has {len(table)} words")
    for word, translation, _ in table:
        if word not in ELSEWHERE and not any(word.lower() in text for text in english):
            wrong.append(f"“{word}” is in the list, and not on the page")
        if word not in ELSEWHERE and not any(translation.lower().split()[0][:-1] in text for text in german):
            wrong.append(f"“{translation}” is in the list, and not on the German page")
    return wrong


def used(table, place, found, is_page=False):
    return [f"{place}: “{other}”, and the word is “{word}”: {text[:90]}" for word, _, bad in table for other, where in bad
            for text in found if is_wrong(other, where, text, is_page)]


def swift(source):
    """The literals of a source, and each whole: titles, the help of commands, lines of the log, errors."""
    whole = [plain(match["line"]) for match in english_texts.SWIFT.finditer(source) if match.lastgroup == "line"]
    return list(dict.fromkeys([plain(text) for text in english_texts.swift(source)] + [text for text in whole if " " in text]))


def document(source):
    headings = [plain(re.sub(r"^#+ +", "", line)) for line in source.splitlines() if re.match(r"#+ ", line)]
    return headings + [plain(text) for text in english_texts.documents(source)]


def sources():
    """The place and the texts of all that people read beside the page: sources for command line and log, and documents."""
    for file in sorted((ROOT / "Sources").rglob("*.swift")):
        name = str(file.relative_to(ROOT))
        if not name.startswith(NO_READERS):
            yield name, swift(file.read_text())
    for file in sorted((ROOT / "docs").rglob("*.md")) + [ROOT / "README.md"]:
        if file != GLOSSARY:
            yield str(file.relative_to(ROOT)), document(file.read_text())


def mistakes(glossary, english, german, others=()):
    table = rows(glossary)
    found = missing(table, english, german) + used(table, "the page", english, is_page=True)
    for place, each in others:
        found += used(table, place, each)
    return found


def self_test():
    glossary, english, german = (GLOSSARY.read_text(), texts(PAGES["en"].read_text()), texts(PAGES["de"].read_text()))
    assert not mistakes(glossary, english, german)
    assert mistakes(glossary, [*english, "3 things, 1 thing to see to"], german)
    assert mistakes(glossary, [*english, "in the air"], german) and not mistakes(glossary, [*english, "something in the air"], german)
    assert mistakes(glossary, [text for text in english if "dropped" not in text.lower()], german)
    assert mistakes(glossary, english, [text for text in german if "verworfen" not in text.lower()])

    def others(*found):
        return mistakes(glossary, english, german, [("x", found)])
    log = swift('logger.notice("the readings are stuck", metadata: [:])\nlet title = "on whose word"\nfail(.missing, "PIN or Key Missing")')
    assert len(others(*log)) == 2, others(*log)
    assert others(*swift('static let help = "Adopt a sensor that is near."')) and not others(*swift("// Adopt a sensor that is near.\n"))
    page = document("# In the air\n\nThe threshold is 8 °C. A sensor is quiet. A quiet machine adds an area in the air. `area`\n")
    assert len(others(*page)) == 3, others(*page)
    assert not others(*document("Add a sensor to the area. The PIN or Key Missing of a peer.\n"))
    assert len(list(sources())) > 400


def main():
    if "--self-test" in sys.argv:
        return self_test()
    everywhere = [*sources(), (str(PHONE.relative_to(ROOT)), texts(PHONE.read_text()))]
    wrong = mistakes(GLOSSARY.read_text(), texts(PAGES["en"].read_text()), texts(PAGES["de"].read_text()), everywhere)
    for line in wrong:
        print(line)
    print(f"words: {len(wrong)} mistakes in the page and {len(everywhere)} files")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
