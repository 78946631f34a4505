"""NDJSON support for schemathesis: serialises lines, generates them, and checks that every returned
line matches one of the two schemas of the API document."""

import json

import jsonschema_rs
import schemathesis
from hypothesis import strategies as st

STREAM = "/v1/queries/stream"


@schemathesis.serializer("application/x-ndjson")
def lines(ctx, value):
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@schemathesis.hook
def before_generate_body(ctx, strategy):
    """Generates streams of valid queries mixed with invalid lines."""
    if ctx.operation.path != STREAM:
        return strategy
    one = ctx.operation.schema["/v1/queries"]["POST"].as_strategy()
    query = one.map(lambda case: json.dumps(case.body) if isinstance(case.body, dict) else "")
    line = st.one_of(query, query, strategy.filter(lambda line: isinstance(line, str)))
    ends = st.sampled_from(["\n", "\r\n", "\n\n", ""])
    return st.builds(lambda some, end: "\n".join(some) + end, st.lists(line, max_size=8), ends)


@schemathesis.check
def every_line_is_described(ctx, response, case):
    if case.operation.path != STREAM or response.status_code != 200:
        return
    root = case.operation.schema.raw_schema
    kinds = [jsonschema_rs.validator_for(schema_of(root, name)) for name in ("ResultBody", "RefusalBody")]
    for line in response.content.split(b"\n"):
        if line and not any(kind.is_valid(json.loads(line)) for kind in kinds):
            raise AssertionError(f"a line that matches no schema: {line[:300]!r}")


def schema_of(root, name):
    """Returns a schema of the document with the schemas it refers to."""
    return {**root["components"]["schemas"][name], "components": root["components"]}
