#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""words.py [--self-test] - the page's texts follow docs/contributing/words.md: each word stands there, in both languages, and no word of its
column "not" is among the texts.

A word in the column that is only wrong as a title or on the page ("as a title") is looked for among whole texts alone.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GLOSSARY = ROOT / "docs" / "contributing" / "words.md"
PAGES = {"en": ROOT / "Sources/CPage/page/strings.en.js", "de": ROOT / "Sources/CPage/page/strings.de.js"}
# Words of the command line, the documents and the log, which the page does not need to have.
ELSEWHERE = {"Maintenance", "Acknowledge", "Limit", "Silent", "Room", "Sensor", "Live", "Gap"}


def rows(text):
    """Word, German word, and the words that are not used, each with whether it is wrong as a whole text alone."""
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("| ") or len(cells) != 4 or cells[0] in ("word", "---"):
            continue
        bad = []
        for part in cells[3].split(","):
            word, _, where = part.strip().partition(" (")
            if word and word != "–":
                bad.append((word.lower(), where.startswith("as a title")))
        found.append((cells[0], cells[2], bad))
    return found


def texts(source):
    """The texts of a file of strings, in small letters."""
    body = re.sub(r"(?m)^\s*(//|/\*\*).*$", "", source)
    found = [text for pair in re.findall(r"'([^'\n]*)'|`([^`]*)`", body) for text in pair if text]
    return [re.sub(r"\$\{\w+\}", "", text).lower().replace("’", "'").strip() for text in found]


def mistakes(glossary, english, german):
    wrong = []
    table = rows(glossary)
    if len(table) < 20:
        wrong.append(f"the list has {len(table)} words")
    for word, translation, bad in table:
        if word not in ELSEWHERE and not any(word.lower() in text for text in english):
            wrong.append(f"“{word}” is in the list, and not on the page")
        if word not in ELSEWHERE and not any(translation.lower().split()[0][:-1] in text for text in german):
            wrong.append(f"“{translation}” is in the list, and not on the German page")
        for text in english:
            for other, is_title in bad:
                if text == other if is_title else re.search(rf"\b{re.escape(other)}\b", text):
                    wrong.append(f"“{other}” is on the page, and the word is “{word}”: {text[:70]}")
    return wrong


def self_test():
    glossary, english, german = (GLOSSARY.read_text(), texts(PAGES["en"].read_text()), texts(PAGES["de"].read_text()))
    assert not mistakes(glossary, english, german)
    assert mistakes(glossary, [*english, "3 things, 1 thing to see to"], german)
    assert mistakes(glossary, [*english, "in the air"], german) and not mistakes(glossary, [*english, "something in the air"], german)
    assert mistakes(glossary, [text for text in english if "dropped" not in text], german)
    assert mistakes(glossary, english, [text for text in german if "verworfen" not in text])


def main():
    if "--self-test" in sys.argv:
        return self_test()
    wrong = mistakes(GLOSSARY.read_text(), texts(PAGES["en"].read_text()), texts(PAGES["de"].read_text()))
    for line in wrong:
        print(line)
    print(f"words: {len(wrong)} mistakes")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
