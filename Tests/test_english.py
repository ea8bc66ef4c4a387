#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of english.py: the texts that it reads, the figures, and that a figure only falls."""
import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

import english
import english_texts as texts

PLAIN = "/// The sensor sends a value each second.\n"
INVERTED = "/// Of the sensor no value is known.\n"
VAGUE = "/// The gateway says it to the broker.\n"
GOAL = '[goal]\ncomments = { inverted = 3.0, vague = 6.0 }\ndocuments = { inverted = 2.0, vague = 6.0 }\n' \
       'screens = { inverted = 0.0, vague = 6.0 }\n'


class TextsTests(unittest.TestCase):
    def test_doc_comments_are_read_without_code(self):
        source = '// No doc comment at all.\n    /// One thought over\n    /// two lines.\n    ///\n    /// ```\n    /// that is code\n' \
                 '    /// ```\n    /// - Returns: What the sensor said.\nlet text = "/// that"\n'
        self.assertEqual(list(texts.comments(source)), ["One thought over two lines.", "What the sensor said."])

    def test_items_and_cells_are_paragraphs(self):
        page = "# A heading of four words\nIntroduction:\n- the first item\n  goes on\n- [x] the second\n1. the third\n\n" \
               "| head | of it |\n| --- | :-: |\n| what it says | of `a \\| b` |\n| tests | `one test`, `another test` |\n> A quoted note.\n"
        self.assertEqual(list(texts.documents(page)), ["Introduction:", "the first item goes on", "the second", "the third",
                                                       "head", "of it", "what it says", "of `a \\| b`", "tests", "A quoted note."])

    def test_sentences_have_four_words(self):
        self.assertEqual(list(texts.sentences("Two words. This one has five words. **And** so has that!")),
                         ["This one has five words.", "And** so has that!"])

    def test_literals_of_swift(self):
        source = r'''
            // "a comment with four words"
            logger.error("the file \(path.map { "x \($0)" } ?? name(of: ("a", b))) cannot be read" + " at all", metadata: [:])
            let long = """
                A text over \
                two lines.

                Another \(paragraph) with more words.
                """
            let raw = #"a raw text with a "quote""#
            let query = "SELECT value FROM rows WHERE id = 1"
            let command = "martlet status with four words"
            let short = "two words"
            '''
        self.assertEqual(list(texts.swift(source)), ["the file … cannot be read at all", "A text over two lines.",
                                                     "Another … with more words.", 'a raw text with a "quote"'])

    def test_literals_of_javascript(self):
        source = "// what's a comment\nconst a = 'The gateway\\'s own page here';\n/* 'not this text either, no' */\n" \
                 "const b = (n) => `${n === 1 ? 'one of the many' : `${n} others`} can be seen now`;\n" \
                 'const c = { d: "a text in braces" };\n'
        self.assertEqual(list(texts.javascript(source)), ["The gateway's own page here", "one of the many", "… can be seen now",
                                                          "a text in braces"])

    def test_texts_of_a_page(self):
        source = '<body aria-label="a label with words"><script>let that = "is no text here"</script><p>Without a <code>code</code> no\n' \
                 'text.</p><p>Another one of four words</p></body>'
        self.assertEqual(list(texts.page(source)), ["a label with words", "Without a code no text.", "Another one of four words"])


class FiguresTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, path in (("ROOT", ""), ("FIGURES", "english.toml")):
            self.addCleanup(setattr, english, name, getattr(english, name))
            setattr(english, name, self.root / path)

    def put(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def run_english(self, *arguments):
        """The status and what was printed."""
        self.addCleanup(setattr, sys, "argv", sys.argv)
        sys.argv = ["english.py", *arguments]
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            status = english.main()
        return status, printed.getvalue()

    def row(self, place="Sources/Radio", kind="comments"):
        return tomllib.loads((self.root / "english.toml").read_text())[kind].get(place)

    def start(self, comments):
        self.put("Sources/Radio/File.swift", comments)
        figures = english.measured()["comments"]["Sources/Radio"].figures()
        row = f'"Sources/Radio" = {{ inverted = {figures["inverted"]}, vague = {figures["vague"]} }}\n'
        self.put("english.toml", f"{GOAL}[comments]\n{row}")

    def test_openings(self):
        for sentence in ("Of what it says.", "what is meant", "**Where there is** no bond.", "Those that ask twice.", "So much for it."):
            self.assertTrue(english.is_inverted(sentence), sentence)
        for sentence in ("Whatever-like names are fine.", "What does the gateway do?", "Offsets are octets.", "The same-size rule holds."):
            self.assertFalse(english.is_inverted(sentence), sentence)

    def test_places(self):
        rows = {"Sources/GATT/Part/File.swift": ("Sources/GATT", None, "Sources/GATT"), "Tests/Unit/GATTTests/ServerFixture.swift": ("Tests", None, None),
                "docs/guides/phone.md": (None, "docs", None), "README.md": (None, "README.md", None),
                "Sources/Base/Base.docc/Part/One.md": (None, "Sources/Base/Base.docc", None), "board/README.md": (None, None, None),
                "Sources/CPage/page/page.js": (None, None, "Sources/CPage"), "Sources/PhonePage/app.js": (None, None, "Sources/PhonePage"),
                "docs/api/page.md": (None, None, None), "docs/site/a.js": (None, None, None), "Package.swift": (None, None, None)}
        for path, places in rows.items():
            self.assertEqual(tuple(english.place(kind, pathlib.Path(path)) for kind in english.KINDS), places, path)

    def test_figures_are_counts_and_rates(self):
        self.start(PLAIN + "///\n" + INVERTED + "///\n" + VAGUE)
        self.assertEqual(self.row(), {"inverted": [1, 33.3], "vague": [1, 4.8]})
        self.assertEqual(self.run_english(), (0, ""))

    def test_a_figure_that_rises_fails_and_names_the_sentence(self):
        self.start(PLAIN * 9)
        self.put("Sources/Radio/New.swift", INVERTED)
        status, printed = self.run_english()
        self.assertEqual(status, 1)
        self.assertIn("Sources/Radio: comments have 1 sentences that open inverted (10.0 %); at most 0 or 0.0 %", printed)
        self.assertIn("  Sources/Radio/New.swift: Of the sensor no value is known.\n", printed)
        self.put("Sources/Radio/New.swift", VAGUE)
        status, printed = self.run_english()
        self.assertEqual(status, 1)
        self.assertIn("vague pronouns", printed)

    def test_plain_sentences_come_and_go(self):
        self.start(INVERTED + PLAIN * 9)
        for count in (0, 5, 20):
            self.put("Sources/Radio/File.swift", INVERTED + PLAIN * count)
            self.assertEqual(self.run_english(), (0, ""))

    def test_lower_figures_are_written_and_higher_ones_are_not(self):
        self.start(INVERTED + PLAIN * 9)
        first = self.row()
        self.put("Sources/Radio/File.swift", INVERTED * 2 + PLAIN * 9)
        self.assertEqual(self.run_english("--write")[0], 1)
        self.assertEqual(self.row(), first)
        self.put("Sources/Radio/File.swift", PLAIN * 9)
        self.assertEqual(self.run_english("--write"), (0, ""))
        self.assertEqual(self.row(), {"inverted": [0, 0.0], "vague": first["vague"]})

    def test_a_new_place_keeps_the_goal(self):
        self.start(PLAIN)
        self.put("Sources/New/File.swift", INVERTED + PLAIN * 9)
        self.assertEqual(self.run_english("--write")[0], 1)
        self.assertIsNone(self.row("Sources/New"))
        self.put("Sources/New/File.swift", INVERTED + PLAIN * 40)
        self.assertEqual(self.run_english("--write"), (0, ""))
        self.assertEqual(self.row("Sources/New"), {"inverted": [1, 2.4], "vague": [0, 0.0]})

    def test_a_missing_file_fails_and_is_written_whole(self):
        self.start(INVERTED)
        (self.root / "english.toml").unlink()
        self.assertEqual(self.run_english()[0], 1)
        self.assertEqual(self.run_english("--write"), (0, ""))
        self.assertEqual(self.row()["inverted"], [1, 100.0])
        self.assertEqual(self.row("documents", "goal"), {"inverted": 2.0, "vague": 6.0})

    def test_a_place_that_is_gone_loses_its_row(self):
        self.start(PLAIN)
        self.put("Sources/Other/File.swift", PLAIN)
        (self.root / "Sources/Radio/File.swift").unlink()
        self.assertEqual(self.run_english("--write"), (0, ""))
        self.assertIsNone(self.row())

    def test_sentences_that_are_new_since_the_figures_were_written_are_named(self):
        self.start(INVERTED + PLAIN * 9)
        for command in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "figures"]):
            subprocess.run(["git", "-C", str(self.root), *command], check=True)
        self.put("Sources/Radio/New.swift", "/// Who asks gets no answer.\n")
        status, printed = self.run_english()
        self.assertEqual((status, printed.count("\n")), (1, 4))
        self.assertIn("New.swift: Who asks gets no answer.", printed)
        self.assertNotIn("Of the sensor", printed)


if __name__ == "__main__":
    unittest.main()
