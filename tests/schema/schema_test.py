# SPDX-License-Identifier: Apache-2.0
"""Checks the published JSON Schemas, and that the program agrees with them.

A sample is named <kind>_<what is special about it>.json. Every schema accepts
its valid samples and refuses its invalid ones, and each rule of a schema is
the only reason to refuse some sample.
"""

import copy
import json
import os
import subprocess
from pathlib import Path

import jsonschema
import pytest
from referencing import Registry, Resource

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = Path(__file__).with_name("samples")
KINDS = ("graph", "plan", "solution")
SCHEMAS = {
    kind: json.loads((ROOT / f"docs/schemas/{kind}.schema.json").read_text("utf-8"))
    for kind in KINDS
}
PROGRAM = os.environ.get("REMATCH_PROGRAM")


def samples(folder, kind="*"):
    found = sorted((SAMPLES / folder).glob(f"{kind}_*.json"))
    assert found, f"there are no {folder} samples of kind {kind}"
    return [pytest.param(path, id=path.stem) for path in found]


def validator(kind, schemas=None):
    schemas = schemas or SCHEMAS
    registry = Registry().with_resources(
        (schema["$id"], Resource.from_contents(schema)) for schema in schemas.values()
    )
    return jsonschema.Draft202012Validator(schemas[kind], registry=registry)


def is_valid(path, schemas=None):
    document = json.loads(path.read_text(encoding="utf-8"))
    return validator(path.stem.split("_")[0], schemas).is_valid(document)


@pytest.mark.parametrize("kind", KINDS)
def test_schema_is_a_schema(kind):
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[kind])


@pytest.mark.parametrize("path", samples("valid"))
def test_valid_sample_passes(path):
    assert is_valid(path)


@pytest.mark.parametrize("path", samples("invalid"))
def test_invalid_sample_fails(path):
    assert not is_valid(path)


def rules(schema, at=()):
    """Yields the path of every keyword in a schema that can refuse something."""
    checks = {"additionalProperties", "const", "enum", "maximum", "minimum",
              "minLength", "oneOf", "required", "type"}  # fmt: skip
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key in checks and at[-1:] != ("properties",):
                yield (*at, key)
            yield from rules(value, (*at, key))
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from rules(value, (*at, index))


def without(schema, path):
    changed = copy.deepcopy(schema)
    parent = changed
    for key in path[:-1]:
        parent = parent[key]
    del parent[path[-1]]
    return changed


# Rules that only say more clearly what the rules around them say.
IMPLIED = {
    # What is no object would match both sides of a `oneOf`.
    ("graph", "$defs", "op", "type"),
    ("plan", "$defs", "compute", "type"),
    ("plan", "$defs", "drop", "type"),
    # `then` and `else` are stricter.
    ("solution", "properties", "peak_bytes", "anyOf", 1, "type"),
    ("solution", "properties", "cost", "type"),
}
RULES = [
    (kind, *path)
    for kind in KINDS
    for path in rules(SCHEMAS[kind])
    if (kind, *path) not in IMPLIED
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: ".".join(map(str, rule)))
def test_rule_refuses_some_sample(rule):
    kind, *path = rule
    schemas = {**SCHEMAS, kind: without(SCHEMAS[kind], path)}
    found = [sample.values[0] for sample in samples("invalid", kind)]
    assert any(is_valid(sample, schemas) for sample in found)


@pytest.mark.parametrize("kind", KINDS)
def test_every_required_field_is_known(kind):
    schema = SCHEMAS[kind]
    assert set(schema["required"]) <= set(schema["properties"])


GRAPHS = [
    pytest.param(sample.values[0], folder == "valid", id=f"{folder}-{sample.id}")
    for folder in ("valid", "invalid")
    for sample in samples(folder, "graph")
]


@pytest.mark.skipif(not PROGRAM, reason="REMATCH_PROGRAM is not set")
@pytest.mark.parametrize("path, accepted", GRAPHS)
def test_program_agrees(path, accepted):
    done = subprocess.run(
        [PROGRAM, "import", str(path)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == (0 if accepted else 2), done.stderr


@pytest.mark.skipif(not PROGRAM, reason="REMATCH_PROGRAM is not set")
def test_solution_that_the_program_writes_is_valid(tmp_path):
    graph = samples("valid", "graph")[0].values[0]
    for output in ("plan.json", "-"):
        done = subprocess.run(
            [PROGRAM, "plan", str(graph), "--budget", "100%", "-o", output],
            capture_output=True, text=True, timeout=60, cwd=tmp_path, check=True,
        )  # fmt: skip
        text = done.stdout if output == "-" else (tmp_path / output).read_text("utf-8")
        document = json.loads(text)
        assert validator("solution").is_valid(document)
        assert document["version"] == 1
        assert ("graph_file" in document) == (output != "-")


@pytest.mark.skipif(not PROGRAM, reason="REMATCH_PROGRAM is not set")
@pytest.mark.parametrize("path", samples("valid", "graph"))
def test_what_the_program_writes_is_valid(path):
    done = subprocess.run(
        [PROGRAM, "import", str(path)], capture_output=True, text=True, timeout=60
    )
    assert validator("graph").is_valid(json.loads(done.stdout))
