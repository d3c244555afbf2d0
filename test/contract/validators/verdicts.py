"""Validates bodies with a Python validator: verdicts.py LIBRARY < lines > lines.

A line is {"name", "schema", "bodies": [text, …]}; the answer is {"name", "taken": [true, …]}, or {"name", "error"} if
the validator rejects the schema. With --probe it only prints the version of the library, if it is installed.
"""

import json
import sys
from importlib.metadata import version

library = sys.argv[1]
if library == "jsonschema":
    from jsonschema import Draft202012Validator

    def compiled(schema):
        Draft202012Validator.check_schema(schema)
        return Draft202012Validator(schema).is_valid
else:
    import jsonschema_rs

    def compiled(schema):
        return jsonschema_rs.Draft202012Validator(schema).is_valid


if "--probe" in sys.argv:
    print(version(library))
    sys.exit()

for line in sys.stdin:
    subject = json.loads(line)
    try:
        takes = compiled(subject["schema"])
        told = {"taken": [takes(json.loads(body)) for body in subject["bodies"]]}
    except Exception as error:  # any error is reported
        told = {"error": f"{type(error).__name__}: {error}"[:500]}
    print(json.dumps({"name": subject["name"], **told}), flush=True)
