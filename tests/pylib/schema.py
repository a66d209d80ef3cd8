# SPDX-License-Identifier: BSD-3-Clause
"""The part of JSON Schema that docs/*.schema.json use.

A keyword that is not understood is an error: a schema that is only partly
checked proves nothing.
"""

import re

_ANNOTATIONS = {
    "$schema", "$id", "$comment", "title", "description", "$defs",
    "definitions", "examples", "default", "format",
}

_KIND = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "number": lambda v: isinstance(v, (int, float))
    and not isinstance(v, bool),
    "integer": lambda v: not isinstance(v, bool)
    and (isinstance(v, int) or isinstance(v, float) and v.is_integer()),
}


def _equal(a, b):
    if isinstance(a, bool) != isinstance(b, bool):
        return False
    return a == b


class Checker:
    def __init__(self, root):
        self.root = root
        self.errors = []

    def _say(self, at, text):
        self.errors.append(f"{at or '/'}: {text}")

    def _resolve(self, ref):
        if not ref.startswith("#"):
            raise ValueError(f"reference {ref} leaves the schema")
        node = self.root
        for part in ref[1:].split("/")[1:]:
            node = node[part.replace("~1", "/").replace("~0", "~")]
        return node

    def check(self, value, schema, at=""):
        if schema is True:
            return
        if schema is False:
            self._say(at, "must not be there")
            return
        for key, rule in schema.items():
            if key in _ANNOTATIONS:
                continue
            method = getattr(self, "_" + key.lstrip("$"), None)
            if method is None or key.startswith("_"):
                raise ValueError(f"schema keyword {key} is not supported")
            method(value, rule, schema, at)

    def _fits(self, value, schema):
        inner = Checker(self.root)
        inner.check(value, schema)
        return not inner.errors

    def _ref(self, value, rule, _schema, at):
        self.check(value, self._resolve(rule), at)

    def _type(self, value, rule, _schema, at):
        kinds = rule if isinstance(rule, list) else [rule]
        if not any(_KIND[k](value) for k in kinds):
            self._say(at, f"{value!r:.60} is not {'/'.join(kinds)}")

    def _enum(self, value, rule, _schema, at):
        if not any(_equal(value, r) for r in rule):
            self._say(at, f"{value!r} is none of {rule}")

    def _const(self, value, rule, _schema, at):
        if not _equal(value, rule):
            self._say(at, f"{value!r} is not {rule!r}")

    def _properties(self, value, rule, _schema, at):
        if isinstance(value, dict):
            for key, inner in rule.items():
                if key in value:
                    self.check(value[key], inner, f"{at}/{key}")

    def _patternProperties(self, value, rule, _schema, at):
        if isinstance(value, dict):
            for pattern, inner in rule.items():
                for key in value:
                    if re.search(pattern, key):
                        self.check(value[key], inner, f"{at}/{key}")

    def _additionalProperties(self, value, rule, schema, at):
        if not isinstance(value, dict):
            return
        named = schema.get("properties", {})
        patterns = schema.get("patternProperties", {})
        for key in value:
            if key in named or any(re.search(p, key) for p in patterns):
                continue
            if rule is False:
                self._say(at, f'"{key}" is not in the schema')
            else:
                self.check(value[key], rule, f"{at}/{key}")

    def _required(self, value, rule, _schema, at):
        if isinstance(value, dict):
            for key in rule:
                if key not in value:
                    self._say(at, f'"{key}" is missing')

    def _minProperties(self, value, rule, _schema, at):
        if isinstance(value, dict) and len(value) < rule:
            self._say(at, f"fewer than {rule} members")

    def _items(self, value, rule, _schema, at):
        if isinstance(value, list):
            for i, inner in enumerate(value):
                self.check(inner, rule, f"{at}/{i}")

    def _minItems(self, value, rule, _schema, at):
        if isinstance(value, list) and len(value) < rule:
            self._say(at, f"fewer than {rule} entries")

    def _maxItems(self, value, rule, _schema, at):
        if isinstance(value, list) and len(value) > rule:
            self._say(at, f"more than {rule} entries")

    def _uniqueItems(self, value, rule, _schema, at):
        if rule and isinstance(value, list):
            for i, one in enumerate(value):
                if any(_equal(one, other) for other in value[:i]):
                    self._say(at, f"{one!r} twice")

    def _minLength(self, value, rule, _schema, at):
        if isinstance(value, str) and len(value) < rule:
            self._say(at, f"shorter than {rule}")

    def _maxLength(self, value, rule, _schema, at):
        if isinstance(value, str) and len(value) > rule:
            self._say(at, f"longer than {rule}")

    def _pattern(self, value, rule, _schema, at):
        if isinstance(value, str) and not re.search(rule, value):
            self._say(at, f"{value!r} does not match {rule}")

    def _minimum(self, value, rule, _schema, at):
        if _KIND["number"](value) and value < rule:
            self._say(at, f"{value} is below {rule}")

    def _maximum(self, value, rule, _schema, at):
        if _KIND["number"](value) and value > rule:
            self._say(at, f"{value} is above {rule}")

    def _exclusiveMinimum(self, value, rule, _schema, at):
        if _KIND["number"](value) and value <= rule:
            self._say(at, f"{value} is not above {rule}")

    def _exclusiveMaximum(self, value, rule, _schema, at):
        if _KIND["number"](value) and value >= rule:
            self._say(at, f"{value} is not below {rule}")

    def _anyOf(self, value, rule, _schema, at):
        if not any(self._fits(value, r) for r in rule):
            self._say(at, "fits none of the alternatives")

    def _oneOf(self, value, rule, _schema, at):
        n = sum(self._fits(value, r) for r in rule)
        if n != 1:
            self._say(at, f"fits {n} of the alternatives, not one")

    def _allOf(self, value, rule, _schema, at):
        for inner in rule:
            self.check(value, inner, at)

    def _not(self, value, rule, _schema, at):
        if self._fits(value, rule):
            self._say(at, "is what it must not be")

    def _if(self, value, rule, schema, at):
        branch = "then" if self._fits(value, rule) else "else"
        if branch in schema:
            self.check(value, schema[branch], at)

    def _then(self, value, rule, schema, at):
        """Part of "if"."""

    _else = _then


def errors(document, schema):
    """What is wrong with the document, one text per finding."""
    checker = Checker(schema)
    checker.check(document, schema)
    return checker.errors
