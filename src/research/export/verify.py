#!/usr/bin/env python3
# python3 verify.py [folder of the crate]
# Recomputes every digest: the chain of the feed, the body of every write, all accepted content, and the bytes of every
# file. Files are read in chunks.
import hashlib
import json
import os
import re
import sys

# What the service that wrote the crate knows of its own records, as JSON.
KNOWN = {
  "folders": ["records", "plans", "links", "checkpoints", "materials", "boards"],
  "history": "history.jsonl",
  "schemaVersion": 3,
  "first": "sha256:0000000000000000000000000000000000000000000000000000000000000000",
  "shown": [
    "post_message", "publish_hypothesis", "publish_finding", "publish_cited_claim", "assert_correction",
    "assert_supersession", "assert_dispute", "assert_retraction", "post_research_checkpoint", "propose_experiment",
    "amend_experiment", "cancel_experiment", "take_experiment", "release_experiment", "report_experiment_status",
    "accept_plan", "register_attempt", "declare_board"
  ],
  "anything": ["configuration", "environment"],
  "onlySaid": [
    "Stated, not proved: people's names and ORCIDs, what programs say about themselves (client), which instance the",
    "Room belongs to, and that nothing came after the last entry."
  ]
}

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
faults = []


def must(holds, fault):
    if not holds:
        faults.append(fault)


def inside(path):
    return os.path.join(folder, path)


def digest_of_file(path):
    found = hashlib.sha256()
    with open(inside(path), "rb") as file:
        for piece in iter(lambda: file.read(65536), b""):
            found.update(piece)
    return found.hexdigest()


class Number(str):
    """A number as written in the record, where every number is in canonical form."""


def refuse(_):
    raise ValueError


def parsed(text):
    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=refuse)


def lines(path):
    """Reads the objects of a file with one per line. A line that is not an object is a fault, and counts as empty."""
    if not os.path.exists(inside(path)):
        return
    with open(inside(path), "rb") as file:
        for number, line in enumerate(file, 1):
            line = line[:-1] if line.endswith(b"\n") else line
            if line == b"":
                continue
            try:
                value = parsed(line.decode("utf-8", "replace"))
            except (ValueError, RecursionError):
                value = None
            must(isinstance(value, dict), f"{path} line {number} is not a JSON object")
            yield value if isinstance(value, dict) else {}


MISSING = object()


def quoted(text):
    written = json.dumps(text, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda half: "\\u%04x" % ord(half.group()), written)


def canonical(value):
    """Writes a value of the record in the form of RFC 8785: members sorted by name, no white space."""
    if value is MISSING:
        return ""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(quoted(name) + ":" + canonical(value[name]) for name in names) + "}"


def digest(value):
    return "sha256:" + hashlib.sha256(canonical(value).encode("utf-8")).hexdigest()


# The files: each that the metadata names must be there and have its digest.
with open(inside("ro-crate-metadata.json"), encoding="utf-8") as file:
    graph = parsed(file.read())["@graph"]
files = [entity for entity in graph if entity["@type"] == "File" and not entity["@id"].startswith("#")]
for file in files:
    is_there = os.path.exists(inside(file["@id"]))
    must(is_there, file["@id"] + " is missing")
    if is_there:
        must(digest_of_file(file["@id"]) == file.get("sha256"), file["@id"] + " is not what was exported")

# Accepted content outside the history.
accepted = {
    "sha256:" + str(file.get("sha256"))
    for file in files
    if file["@id"].split("/")[0] in KNOWN["folders"] and "/" in file["@id"]
}
for attempt in lines("attempts.jsonl"):
    accepted.add(digest(attempt.get("content", MISSING)))
for experiment in lines("experiments.jsonl"):
    for revision in experiment.get("revisions", []):
        accepted.add(digest(revision.get("content", MISSING)))
# The content of a message is rebuilt from its entry.
for file in files:
    if not file["@id"].startswith("timelines/"):
        continue
    for entry in lines(file["@id"]):
        if "message" not in entry:
            continue
        content = {"schemaVersion": Number(KNOWN["schemaVersion"])}
        content.update((name, entry["message"].get(name)) for name in ("clientMessageId", "text"))
        if "figures" in entry["message"]:
            content["figures"] = entry["message"]["figures"]
        if entry.get("replyToEntryId") is not None:
            content["replyToEntryId"] = entry["replyToEntryId"]
        accepted.add(digest(content))

# A mark in place of a withheld part says by whom, when and why it was withheld. A later write of the feed must have
# withheld that part. In a field of any shape, the author may also have written something that looks like a mark.
withholdings = [
    write
    for write in lines(KNOWN["history"])
    if write.get("operation") == "withhold_content" and isinstance(write.get("body"), dict)
]
any_shapes = set(KNOWN["anything"])


def marks_in(value, place, is_any):
    mark = value.get("withheld") if isinstance(value, dict) and len(value) == 1 else None
    if isinstance(mark, dict) and sorted(mark) == ["at", "by", "reason"]:
        yield place, is_any, mark
    elif isinstance(value, dict):
        for name, held in value.items():
            step = name.replace("~", "~0").replace("/", "~1")
            yield from marks_in(held, f"{place}/{step}", is_any or name in any_shapes)
    elif isinstance(value, list):
        for index, held in enumerate(value):
            yield from marks_in(held, f"{place}/{index}", is_any or str(index) in any_shapes)


def whole(value):
    return int(value) if isinstance(value, Number) and re.fullmatch("[0-9]+", value) else -1


def is_explained(write, place, mark):
    given = write.get("given")
    ids = given.get("ids") if isinstance(given, dict) else None
    for by in withholdings:
        of, fields = by["body"].get("of"), by["body"].get("fields")
        if not isinstance(of, dict) or not isinstance(fields, list):
            continue
        named = of.get("entryId", of.get("versionId", MISSING))
        is_of = of.get("sequence", MISSING) == write.get("sequence") or (isinstance(ids, list) and named in ids)
        is_at = any(isinstance(field, str) and (place == field or place.startswith(field + "/")) for field in fields)
        actor = by.get("actor", MISSING)
        # A mark names the person alone, not the agent that withheld for them.
        person = {name: value for name, value in actor.items() if name != "agent"} if isinstance(actor, dict) else actor
        stated = [by.get("at", MISSING), person, by["body"].get("reason", MISSING)]
        is_by = canonical(stated) == canonical([mark["at"], mark["by"], mark["reason"]])
        if is_of and is_at and is_by and whole(by.get("sequence")) > whole(write.get("sequence")):
            return True
    return False


def is_withheld(write, name, place):
    """Whether part of a member of a write was withheld."""
    found = False
    for at, is_any, mark in list(marks_in(write.get(name), place, False)):
        explained = is_explained(write, at, mark)
        must(is_any or explained, f"activity {entries} is said to be withheld at {at}, and no write withholds that")
        found = found or explained
    return found


# The feed: no entry may be missing, each must be whole and follow the one before, and the history must have its write
# as accepted.
shown = set(KNOWN["shown"])
history = lines(KNOWN["history"])
previous = KNOWN["first"]
entries = bodies = contents = 0
unproved = []
for entry in lines("activity.jsonl"):
    own = entry.pop("digest", MISSING)
    entries += 1
    follows = entry.get("sequence") == str(entries) and entry.get("previousDigest", MISSING) == previous
    must(follows, f"activity {entries} does not follow from the one before it")
    must(own == digest(entry), f"activity {entries} does not have the digest it names")
    previous = own
    write = next(history, {})
    names = ("sequence", "operation", "at", "actor")
    is_that_write = all(canonical(write.get(name, MISSING)) == canonical(entry.get(name, MISSING)) for name in names)
    # A body with the accepted digest has nothing withheld, even if it contains something like a mark.
    is_whole = digest(write.get("body", MISSING)) == entry.get("contentDigest")
    is_gone = not is_whole and is_withheld(write, "body", "")
    is_withheld(write, "client", "/client")
    if is_gone:
        unproved.append(str(entries))
    else:
        bodies += 1
    fault = f"the history does not hold the write that activity {entries} accepted"
    must(is_that_write and (is_whole or is_gone), fault)
    if entry.get("operation") not in shown or is_gone:
        continue
    contents += 1
    must(entry.get("contentDigest") in accepted, f"the content that activity {entries} accepted is not here")
must(next(history, None) is None, "the history continues after the feed ends")

for fault in faults:
    print(fault, file=sys.stderr)
if faults:
    print(f"{len(faults)} faults")
else:
    counts = f"{entries} entries chained, {bodies} writes, {contents} contents and {len(files)} files"
    print(f"{counts} are what their digests say. The last digest is {previous}")
    if unproved:
        print(
            f"Not proved: {len(unproved)} of the writes, of which something was withheld: "
            f"nothing proves the rest of them. Entries: {', '.join(unproved)}"
        )
    print(" ".join(KNOWN["onlySaid"]))
    print("Proved only by an instance that imports the crate: the ids in paths, and the files made from the history.")
sys.exit(1 if faults else 0)
