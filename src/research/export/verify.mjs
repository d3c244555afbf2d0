// node verify.mjs [folder of the crate]
// Recomputes every digest: the chain of the feed, the body of every write, all accepted content, and the bytes of every file.
// Files are read in chunks.
import { createHash } from "node:crypto"
import { closeSync, existsSync, openSync, readSync } from "node:fs"
import { join } from "node:path"

// Parameters, filled in by the export.
const KNOWN = __KNOWN__

const folder = process.argv[2] ?? import.meta.dirname
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex")
const faults = []
const must = (holds, fault) => holds || faults.push(fault)

function* pieces(path) {
  const handle = openSync(join(folder, path), "r")
  try {
    const piece = Buffer.alloc(65536)
    for (let length; (length = readSync(handle, piece)) > 0; ) yield Buffer.from(piece.subarray(0, length))
  } finally {
    closeSync(handle)
  }
}
const text = (path) => Buffer.concat([...pieces(path)]).toString()
function digestOfFile(path) {
  const hash = createHash("sha256")
  for (const piece of pieces(path)) hash.update(piece)
  return hash.digest("hex")
}

// Reads the objects of a file with one per line. A line that is not an object is a fault, and counts as an empty object.
function* lines(path) {
  if (!existsSync(join(folder, path))) return
  let number = 0
  let waiting = []
  const line = () => {
    const bytes = Buffer.concat(waiting)
    waiting = []
    number += 1
    if (bytes.length === 0) return []
    try {
      const value = JSON.parse(bytes.toString())
      if (value !== null && typeof value === "object" && !Array.isArray(value)) return [value]
    } catch {}
    must(false, path + " line " + number + " is not a JSON object")
    return [{}]
  }
  for (const piece of pieces(path)) {
    let from = 0
    for (let end; (end = piece.indexOf(10, from)) >= 0; from = end + 1) {
      waiting.push(piece.subarray(from, end))
      yield* line()
    }
    waiting.push(piece.subarray(from))
  }
  yield* line()
}

// Writes a value of the record in the form of RFC 8785: members sorted by name, no white space.
const canonical = (value) => {
  if (value === undefined) return ""
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (Array.isArray(value)) return "[" + value.map(canonical).join(",") + "]"
  return "{" + Object.keys(value).sort().map((name) => JSON.stringify(name) + ":" + canonical(value[name])).join(",") + "}"
}
const digest = (value) => "sha256:" + sha256(canonical(value))

// The files: each that the metadata names must be there and have its digest.
const files = JSON.parse(text("ro-crate-metadata.json"))["@graph"].filter((entity) => entity["@type"] === "File" && !entity["@id"].startsWith("#"))
for (const file of files) {
  const isThere = existsSync(join(folder, file["@id"]))
  must(isThere, file["@id"] + " is missing")
  if (isThere) must(digestOfFile(file["@id"]) === file.sha256, file["@id"] + " is not what was exported")
}

// Accepted content outside the history.
const accepted = new Set(files.filter((file) => file["@id"].includes("/") && KNOWN.folders.includes(file["@id"].split("/")[0])).map((file) => "sha256:" + file.sha256))
for (const { content } of lines("attempts.jsonl")) accepted.add(digest(content))
for (const { revisions = [] } of lines("experiments.jsonl")) for (const { content } of revisions) accepted.add(digest(content))
// The content of a message is rebuilt from its entry.
for (const file of files) {
  if (!file["@id"].startsWith("timelines/")) continue
  for (const { message, replyToEntryId } of lines(file["@id"])) {
    if (message === undefined) continue
    const { text, clientMessageId, figures } = message
    accepted.add(digest({ schemaVersion: KNOWN.schemaVersion, clientMessageId, text, ...(figures === undefined ? {} : { figures }), ...(replyToEntryId === null ? {} : { replyToEntryId }) }))
  }
}

// A mark in place of a withheld part says by whom, when and why it was withheld. A later write of the feed must have withheld that
// part. In a field of any shape, the author may also have written something that looks like a mark.
const withholdings = []
for (const write of lines(KNOWN.history)) if (write.operation === "withhold_content") withholdings.push(write)
const members = (value) => (value !== null && typeof value === "object" ? Object.entries(value) : [])
const isMark = (value) => !Array.isArray(value) && members(value).length === 1 && canonical(members(value.withheld).map(([name]) => name).sort()) === '["at","by","reason"]'
const anyShapes = new Set(KNOWN.anything)
function* marksIn(value, place, isAny) {
  if (isMark(value)) yield { place, isAny, mark: value.withheld }
  else for (const [name, held] of members(value)) yield* marksIn(held, place + "/" + name.replaceAll("~", "~0").replaceAll("/", "~1"), isAny || anyShapes.has(name))
}
const isExplained = ({ sequence, given }, { place, mark }) =>
  withholdings.some((by) => {
    const { of = {}, fields, reason } = by.body ?? {}
    const id = of?.entryId ?? of?.versionId
    const isOf = of?.sequence === sequence || (id !== undefined && Array.isArray(given?.ids) && given.ids.includes(id))
    const isAt = Array.isArray(fields) && fields.some((field) => place === field || place.startsWith(field + "/"))
    // A mark names the person alone, not the agent that withheld for them.
    const { agent, ...person } = Object(by.actor)
    return isOf && isAt && by.sequence > sequence && canonical([by.at, person, reason]) === canonical([mark.at, mark.by, mark.reason])
  })
// Whether part of a member of a write was withheld.
const isWithheld = (write, name, place) => {
  const marks = [...marksIn(write[name], place, false)]
  const explained = marks.filter((each) => isExplained(write, each))
  for (const each of marks) must(each.isAny || explained.includes(each), "activity " + entries + " is said to be withheld at " + each.place + ", and no write withholds that")
  return explained.length > 0
}

// The feed: no entry may be missing, each must be whole and follow the one before, and the history must have its write as accepted.
const shown = new Set(KNOWN.shown)
const history = lines(KNOWN.history)
let previous = KNOWN.first
let entries = 0
let bodies = 0
let contents = 0
const unproved = []
for (const { digest: own, ...entry } of lines("activity.jsonl")) {
  entries += 1
  must(entry.sequence === entries && entry.previousDigest === previous, "activity " + entries + " does not follow from the one before it")
  must(own === digest(entry), "activity " + entries + " does not have the digest it names")
  previous = own
  const write = history.next().value ?? {}
  const isThatWrite = ["sequence", "operation", "at", "actor"].every((name) => canonical(write[name]) === canonical(entry[name]))
  // A body with the accepted digest has nothing withheld, even if it contains something like a mark.
  const isWhole = digest(write.body) === entry.contentDigest
  const isGone = !isWhole && isWithheld(write, "body", "")
  isWithheld(write, "client", "/client")
  if (isGone) unproved.push(entries)
  else bodies += 1
  must(isThatWrite && (isWhole || isGone), "the history does not hold the write that activity " + entries + " accepted")
  if (!shown.has(entry.operation) || isGone) continue
  contents += 1
  must(accepted.has(entry.contentDigest), "the content that activity " + entries + " accepted is not here")
}
must(history.next().done, "the history continues after the feed ends")

for (const fault of faults) console.error(fault)
if (faults.length > 0) console.log(faults.length + " faults")
else {
  console.log(entries + " entries chained, " + bodies + " writes, " + contents + " contents and " + files.length + " files are what their digests say. The last digest is " + previous)
  if (unproved.length > 0)
    console.log("Not proved: " + unproved.length + " of the writes, of which something was withheld: nothing proves the rest of them. Entries: " + unproved.join(", "))
  for (const line of KNOWN.onlySaid) console.log(line)
}
process.exitCode = faults.length === 0 ? 0 : 1
