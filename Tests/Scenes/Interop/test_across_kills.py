#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a kill of the gateway explains, and what it does not: across_kills.py."""
import unittest

from across_kills import Sent, compare


def stream(text):
    """`1:ab?c 2:de` is a and b confirmed, b's successor not: a mark behind a value says that it was not confirmed."""
    sent = []
    for link in text.split():
        number, values = link.split(":")
        for value in values:
            if value == "?":
                sent[-1] = sent[-1]._replace(is_confirmed=False)
            else:
                sent.append(Sent(value, int(number), True))
    return sent


class AcrossKills(unittest.TestCase):
    def good(self, sent, got, kills=1, missing=0):
        self.assertEqual(compare(stream(sent), list(got), kills), (missing, None))

    def bad(self, words, sent, got, kills=1):
        self.assertIn(words, compare(stream(sent), list(got), kills)[1] or "nothing is wrong")

    def test_everything_arrives(self):
        self.good("1:abc 2:de", "abcde", kills=0)

    def test_the_last_values_of_a_link_are_lost(self):
        self.good("1:abc 2:de", "ade", missing=2)
        self.bad("holes", "1:abc 2:de", "ade", kills=0)
        self.bad("middle", "1:abc 2:de", "acde")
        self.bad("holes", "1:ab 2:cd 3:ef", "acef", kills=1)
        self.good("1:ab 2:cd 3:ef", "acef", kills=2, missing=2)

    def test_an_unconfirmed_value_arrives_or_not(self):
        self.good("1:abc? 2:de", "abcde")
        self.good("1:abc? 2:de", "abde")
        self.good("1:abc? 2:de", "ade", missing=1)
        self.good("1:ab? 2:cd? 3:e", "abcde", kills=2)
        self.good("1:ab?c? 2:d", "abd")

    def test_only_where_a_kill_explains_it(self):
        self.bad("unconfirmed values arrived", "1:ab? 2:cd? 3:e", "abcde", kills=1)
        self.bad("unconfirmed values arrived", "1:ab? 2:c", "abc", kills=0)
        self.bad("went on", "1:ab?c 2:d", "abcd")
        self.bad("no link follows", "1:a 2:bc?", "abc")
        self.bad("unconfirmed values arrived", "1:ab?c? 2:d", "abcd", kills=2)

    def test_once(self):
        self.bad("arrived twice", "1:ab? 2:cd", "abbcd")
        self.bad("arrived twice", "1:abc", "abbc")
        self.bad("never sent", "1:abc", "abx")

    def test_the_end_is_there(self):
        self.bad("the last 1 values", "1:abc", "ab")
        self.good("1:ab 2:c?", "ab", kills=0)


if __name__ == "__main__":
    unittest.main()
