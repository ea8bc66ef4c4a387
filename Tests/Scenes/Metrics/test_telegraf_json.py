#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rules of Telegraf's documentation, and its examples, held against telegraf_json.py."""
import unittest

from telegraf_json import Metric, Parser, Refused


class DocumentedExamples(unittest.TestCase):
    def test_nested_objects_are_flattened_and_strings_ignored(self):
        metric, = Parser().parse('{"a": 5, "b": {"c": 6}, "ignored": "I\'m a string"}')
        self.assertEqual(metric.fields, {"a": 5.0, "b_c": 6.0})

    def test_tags_and_string_fields(self):
        parser = Parser(tag_keys=["my_tag_1"], string_fields=["b_my_field"])
        metric, = parser.parse('{"a": 5, "b": {"c": 6, "my_field": "description"}, "my_tag_1": "foo", "name": "my_json"}')
        self.assertEqual(metric, Metric({"my_tag_1": "foo"}, {"a": 5.0, "b_c": 6.0, "b_my_field": "description"}, None))

    def test_each_object_of_an_array_is_a_metric(self):
        metrics = Parser(time_key="b_time", time_format="unix_ms").parse(
            '[{"a": 5, "b": {"c": 6, "time": 1136387040000}}, {"a": 7, "b": {"c": 8, "time": 1168527840000}}]')
        self.assertEqual([(metric.fields, metric.time_ms) for metric in metrics], [
            ({"a": 5.0, "b_c": 6.0}, 1136387040000), ({"a": 7.0, "b_c": 8.0}, 1168527840000)])


class Rules(unittest.TestCase):
    def test_booleans_are_ignored_unless_named(self):
        self.assertEqual(Parser().parse('{"a":1,"open":true}')[0].fields, {"a": 1.0})
        self.assertEqual(Parser(string_fields=["open"]).parse('{"open":true}')[0].fields, {"open": True})
        self.assertEqual(Parser(tag_keys=["open"]).parse('{"a":1,"open":true}')[0].tags, {"open": "true"})

    def test_numbers_become_tags_without_an_exponent(self):
        metric, = Parser(tag_keys=["n", "x"]).parse('{"a":1,"n":18231000,"x":0.1}')
        self.assertEqual(metric.tags, {"n": "18231000", "x": "0.1"})

    def test_arrays_are_flattened_by_index_and_null_is_nothing(self):
        self.assertEqual(Parser().parse('{"rr":[0.7,0.8],"x":null}')[0].fields, {"rr_0": 0.7, "rr_1": 0.8})

    def test_lists_of_keys_take_wildcards(self):
        metric, = Parser(tag_keys=["tag*"], string_fields=["*_text"]).parse('{"tag_a":"x","a_text":"y","b":"z"}')
        self.assertEqual((metric.tags, metric.fields), ({"tag_a": "x"}, {"a_text": "y"}))

    def test_a_time_key_that_is_not_there_is_an_error(self):
        parser = Parser(time_key="ts", time_format="unix_ms")
        self.assertRaises(Refused, parser.parse, '{"a":1}')
        self.assertRaises(Refused, parser.parse, '{"a":1,"ts":"soon"}')

    def test_one_bad_object_spoils_a_strict_array_only(self):
        text = '[{"a":1,"ts":5},{"a":2}]'
        self.assertRaises(Refused, Parser(time_key="ts", time_format="unix_ms").parse, text)
        lenient = Parser(time_key="ts", time_format="unix_ms", strict=False)
        self.assertEqual([metric.fields for metric in lenient.parse(text)], [{"a": 1.0}])

    def test_what_is_not_json_or_has_no_number_in_it_is_refused(self):
        for text in ("", "21.5", "{", '{"a":NaN}', '[1]', '{"a":"text"}'):
            self.assertRaises(Refused, Parser().parse, text)


if __name__ == "__main__":
    unittest.main()
