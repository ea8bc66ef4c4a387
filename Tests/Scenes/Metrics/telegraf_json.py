# SPDX-License-Identifier: Apache-2.0
"""What Telegraf makes of a message with data_format = "json".

Not Telegraf: a parser that follows what its documentation of that format says (plugins/parsers/json/README.md), as far as
the configuration of docs/metrics.md uses it:

- a document is an object, which gives one metric, or an array of objects, each of which gives one;
- nested objects and arrays are flattened, their keys and indices joined by "_";
- numbers become float fields; strings and booleans are ignored, unless they are tags or json_string_fields;
- tag_keys become tags and are no fields any more; both lists take wildcards;
- json_time_key has to be there, in json_time_format (here unix_ms), and is no field;
- with json_strict an array is refused as a whole when one of its objects is not valid, else that object is left out.
"""
import decimal
import fnmatch
import json
import tomllib
from dataclasses import dataclass, field


class Refused(Exception):
    """The parser would report an error instead of metrics."""


@dataclass
class Metric:
    tags: dict
    fields: dict
    time_ms: int


@dataclass
class Parser:
    tag_keys: list = field(default_factory=list)
    string_fields: list = field(default_factory=list)
    time_key: str = ""
    time_format: str = ""
    strict: bool = True

    @classmethod
    def configured(cls, text):
        """The parser of the [[inputs.mqtt_consumer]] in a Telegraf configuration, and its topics."""
        consumer, = tomllib.loads(text)["inputs"]["mqtt_consumer"]
        if consumer["data_format"] != "json":
            raise ValueError(f"data_format {consumer['data_format']} is another parser's")
        return cls(
            consumer.get("tag_keys", []), consumer.get("json_string_fields", []), consumer.get("json_time_key", ""),
            consumer.get("json_time_format", ""), consumer.get("json_strict", True)), consumer["topics"]

    def parse(self, payload):
        try:
            document = json.loads(payload, parse_constant=self._no_number)
        except ValueError as error:
            raise Refused(f"not JSON: {error}") from None
        if isinstance(document, dict):
            return [self._metric(document)]
        if not isinstance(document, list):
            raise Refused("neither an object nor an array")
        metrics = []
        for item in document:
            try:
                if not isinstance(item, dict):
                    raise Refused("an array of something else than objects")
                metrics.append(self._metric(item))
            except Refused:
                if self.strict:
                    raise
        return metrics

    @staticmethod
    def _no_number(word):
        raise ValueError(f"{word} is no number of JSON")

    def _metric(self, item):
        values = {}
        self._flatten("", item, values)
        if self.time_key and self.time_key not in values:
            raise Refused(f"no key {self.time_key!r}")
        time_ms = self._time(values.pop(self.time_key)) if self.time_key else None
        tags = {key: self._text(value) for key, value in values.items() if matches(key, self.tag_keys)}
        fields = {}
        for key, value in values.items():
            if key in tags:
                continue
            if isinstance(value, (str, bool)):
                if matches(key, self.string_fields):
                    fields[key] = value
            else:
                fields[key] = float(value)
        if not fields:
            raise Refused("no field is left")  # such a metric is written nowhere
        return Metric(tags, fields, time_ms)

    def _flatten(self, key, value, values):
        if isinstance(value, (dict, list)):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            for name, item in items:
                self._flatten(f"{key}_{name}" if key else str(name), item, values)
        elif value is not None:
            values[key] = value

    def _time(self, value):
        if self.time_format != "unix_ms":
            raise ValueError(f"json_time_format {self.time_format!r} is not played here")
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise Refused(f"time {value!r} is no number of milliseconds")
        return int(value)

    @staticmethod
    def _text(value):
        if isinstance(value, bool):
            return "true" if value else "false"
        return value if isinstance(value, str) else format(decimal.Decimal(repr(float(value))).normalize(), "f")


def matches(key, patterns):
    return any(fnmatch.fnmatchcase(key, pattern) for pattern in patterns)
