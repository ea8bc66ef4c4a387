# SPDX-License-Identifier: Apache-2.0
"""Readers of the texts that people read: doc comments, documents, and the texts of screens. Each gives a file's paragraphs.

The reader of Swift's string literals takes every literal of a file, with \\(…) as one word. It takes the messages of the log, the help
of the command line and the texts of errors, and it leaves out SQL, command lines and everything in quotes inside an interpolation.
"""
import html.parser
import re

FENCE = re.compile(r"(```|~~~)")
ITEM = re.compile(r"(?:[-*+]|\d+[.)]) +(.*)")
RULE = re.compile(r"[\s|:-]+$")
# A cell of names alone, such as the tests of a statement.
NAMES = re.compile(r"`[^`]+`(?:, `[^`]+`)*$")
# What stands before the first word of an item: a checkbox, and the field of a doc comment.
LABEL = re.compile(r"(?:\[[ x]\] +)?(?:(?:Parameters?|Returns|Throws|Note|Important|Warning|Precondition)\b[^:]{0,40}: *)?")
COMMENT = re.compile(r"\s*///[ ]?(.*)")
NOT_PROSE = re.compile(r"\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|PRAGMA|martlet|sudo) ")
WORD = re.compile(r"[\"“(]*[A-Za-z][A-Za-z'’-]*[\"”):;,.!?…]*$")
FEWEST = 4  # words that a sentence has

# An interpolation may hold literals and calls, four brackets deep.
INNER = r"\([^()]*\)"
for _ in range(4):
    INNER = rf"\((?:[^()\"\n]|\"(?:[^\"\\\n]|\\.)*\"|{INNER})*\)"
SWIFT = re.compile(rf"""
    (?P<skip>//[^\n]*|/\*.*?\*/)
    | \#+\"\"\"(?P<rawblock>.*?)\"\"\"\# | \#+\"(?P<raw>[^\n]*?)\"\#
    | \"\"\"(?P<block>(?:\\.|.)*?)\"\"\"
    | \"(?P<line>(?:\\{INNER}|\\.|[^\"\\\n])*)\"
    """, re.X | re.S)
INTERPOLATION = re.compile(rf"\\{INNER}")


def paragraphs(lines):
    """The paragraphs of Markdown: an item of a list and a cell of a table are paragraphs of their own."""
    block, fence = [], None

    def end():
        text = " ".join(block)
        block.clear()
        return [text] if text else []

    for line in lines:
        text = line.strip()
        text = re.sub(r"^(> ?)+", "", text).strip()
        if (mark := FENCE.match(text)) and fence in (None, mark[1]):
            fence = None if fence else mark[1]
            yield from end()
        elif fence:
            continue
        elif not text or text[0] == "#" or text.startswith(("<!--", "![", ":::")):
            yield from end()
        elif text[0] == "|":
            yield from end()
            if not RULE.match(text):
                cells = (cell.strip() for cell in re.split(r"(?<!\\)\|", text.strip("|")))
                yield from (cell for cell in cells if cell and not NAMES.match(cell))
        elif item := ITEM.match(text):
            yield from end()
            block.append(LABEL.sub("", item[1], count=1))
        else:
            block.append(text)
    yield from end()


def sentences(paragraph):
    """The sentences of four words and more."""
    for sentence in re.split(r"(?<=[.!?])\s+", re.sub(r"```.*?```", "", paragraph)):
        sentence = sentence.strip(" -–*_")
        if len(sentence.split()) >= FEWEST:
            yield sentence


def comments(text):
    """The paragraphs of a Swift file's doc comments."""
    matches = (COMMENT.match(line) for line in text.splitlines())
    return paragraphs(match[1] if match else "" for match in matches)


def documents(text):
    return paragraphs(text.splitlines())


def prose(literals):
    """The paragraphs of literals, without those that are code."""
    for literal in literals:
        for paragraph in paragraphs(literal.splitlines()):
            if not NOT_PROSE.match(paragraph) and sum(bool(WORD.match(word)) for word in paragraph.split()) >= FEWEST:
                yield paragraph


def swift(text):
    """The paragraphs of a Swift file's string literals; literals joined with + are one."""
    joined, last = [], 0
    for match in SWIFT.finditer(text):
        kind = match.lastgroup
        if kind == "skip":
            continue
        value = match[kind]
        if kind in ("line", "block"):
            value = INTERPOLATION.sub("…", re.sub(r"\\\n\s*", "", value)).replace("\\n", "\n").replace('\\"', '"')
        if joined and re.fullmatch(r"\s*\+\s*", text[last:match.start()]):
            joined[-1] += value
        else:
            joined.append(value)
        last = match.end()
    return prose(joined)


def javascript(text):
    """The paragraphs of a script's strings and templates, with ${…} as one word. A string inside ${…} is a text of its own."""
    found = []

    def code(at, closing):
        depth = 0
        while at < len(text):
            char = text[at]
            if text.startswith("//", at):
                at = (text.find("\n", at) + 1 or len(text)) - 1
            elif text.startswith("/*", at):
                at = (text.find("*/", at) + 2 or len(text)) - 1
            elif match := re.compile(r"'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"").match(text, at):
                found.append(re.sub(r"\\(['\"])", r"\1", match[1] or match[2] or "").replace("\\n", "\n"))
                at = match.end() - 1
            elif char == "`":
                at = template(at + 1)
            elif char in "{}":
                if char == "}" and depth == 0 and closing:
                    return at
                depth += 1 if char == "{" else -1
            at += 1
        return at

    def template(at):
        parts = []
        while at < len(text) and text[at] != "`":
            if text.startswith("${", at):
                at = code(at + 2, True)
                parts.append("…")
            else:
                at += text[at] == "\\"
                parts.append(text[at:at + 1])
            at += 1
        found.append("".join(parts))
        return at

    code(0, False)
    return prose(found)


class Page(html.parser.HTMLParser):
    """The texts of a page's elements, and of the attributes that a browser shows or speaks."""
    INLINE = {"a", "abbr", "b", "code", "em", "i", "kbd", "span", "strong", "time"}
    SPOKEN = {"alt", "aria-description", "aria-label", "content", "placeholder", "title"}

    def __init__(self):
        super().__init__()
        self.texts, self.open, self.silent = [], [], 0

    def end_block(self):
        self.texts.append(" ".join("".join(self.open).split()))
        self.open = []

    def handle_starttag(self, tag, attrs):
        self.silent += tag in ("script", "style")
        if tag not in self.INLINE:
            self.end_block()
        self.texts += [value for name, value in attrs if name in self.SPOKEN and value]

    def handle_endtag(self, tag):
        self.silent -= tag in ("script", "style")
        if tag not in self.INLINE:
            self.end_block()

    def handle_data(self, data):
        if not self.silent:
            self.open.append(data)


def page(text):
    reader = Page()
    reader.feed(text)
    reader.close()
    reader.end_block()
    return prose(reader.texts)
