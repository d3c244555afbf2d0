"""Reads a Room's SQLite file with pandas, Datasette and DuckDB, and checks that each finds the same numbers in its
views."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import duckdb
import pandas
from duckdb_extensions import import_extension

file = sys.argv[1]
MEAN = "SELECT metric, avg(value) AS mean, count(*) AS n FROM {} GROUP BY metric ORDER BY metric"

connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
VIEWS = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name")]
means = pandas.read_sql(MEAN.format("measurements"), connection)
assert len(means) > 0 and means["mean"].dtype == "float64", means
counts = {view: int(pandas.read_sql(f"SELECT count(*) AS n FROM {view}", connection)["n"][0]) for view in VIEWS}
assert counts["entries"] > 0 and counts["attempts"] > 0, counts

# Beside this interpreter, whatever the PATH says.
datasette = str(Path(sys.executable).with_name("datasette"))
for view in VIEWS:
    asked = [datasette, file, "--get", f"/{Path(file).stem}/{view}.json?_shape=objects&_size=1"]
    rows = json.loads(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)["rows"]
    assert len(rows) == min(1, counts[view]), view

# From PyPI, as all else here: DuckDB would fetch its extension from its own host.
import_extension("sqlite_scanner")
duck = duckdb.connect()
duck.execute("LOAD sqlite_scanner")
duck.execute(f"ATTACH '{file}' AS room (TYPE sqlite, READ_ONLY)")
found = duck.execute(MEAN.format("room.measurements")).df()
assert found["n"].tolist() == means["n"].tolist() and abs(found["mean"] - means["mean"]).max() < 1e-12, found
for view in VIEWS:
    assert duck.execute(f"SELECT count(*) FROM room.\"{view}\"").fetchone()[0] == counts[view], view
print("pandas, Datasette and DuckDB read the Room's SQLite file alike.")
