/** The program that travels with a crate and proves it whole where nobody can be asked. */
import { firstPreviousDigest } from "../../contract/chain.ts"
import { objectList } from "../../contract/objects.ts"
import { operations } from "../../contract/operations/index.ts"
import { kindsIn, refersIn } from "../../contract/ref.ts"
import { schemaVersions } from "../../contract/versions.ts"
import { folders } from "./contents.ts"

/** The operations whose content a crate holds: those that make an object that is exported so, or change it where every content is kept. */
const kept = operations
  .filter(({ target, body }) => {
    const exported = objectList.find(({ kind }) => kind === target)?.exported ?? null
    const isOfOneThere = refersIn(body).some(({ refers }) => refers.isSubject && kindsIn(refers).some((kind) => kind === target))
    return exported === "every" || (exported === "made" && !isOfOneThere)
  })
  .map(({ name }) => name)

/** Runs on Node as it stands, in the crate's folder or told where that is; the tests run it. */
export const verifyProgram = (): string => `// node verify.mjs [folder of the crate]
// Recomputes every digest: the chain of the feed, the content of everything accepted, and the bytes of every file.
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

const folder = process.argv[2] ?? import.meta.dirname
const read = (path) => readFileSync(join(folder, path))
const lines = (path) => read(path).toString().split("\\n").filter(Boolean).map((line) => JSON.parse(line))
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex")
const faults = []
const must = (holds, fault) => holds || faults.push(fault)

// RFC 8785 for what the record holds: members sorted by name, no white space.
const canonical = (value) => {
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (Array.isArray(value)) return "[" + value.map(canonical).join(",") + "]"
  return "{" + Object.keys(value).sort().map((name) => JSON.stringify(name) + ":" + canonical(value[name])).join(",") + "}"
}

// The feed: no entry missing, each whole, each resting on the one before.
const feed = lines("activity.jsonl")
let previous = "${firstPreviousDigest}"
for (const [index, { digest, ...entry }] of feed.entries()) {
  must(entry.sequence === index + 1 && entry.previousDigest === previous, "activity " + (index + 1) + " does not follow from the one before it")
  must(digest === "sha256:" + sha256(canonical(entry)), "activity " + (index + 1) + " does not have the digest it names")
  previous = digest
}

// The files: as many bytes as the metadata says, with the digest it names.
const files = JSON.parse(read("ro-crate-metadata.json"))["@graph"].filter((entity) => entity["@type"] === "File" && !entity["@id"].startsWith("#"))
for (const file of files) {
  must(existsSync(join(folder, file["@id"])), file["@id"] + " is missing")
  if (existsSync(join(folder, file["@id"]))) must(sha256(read(file["@id"])) === file.sha256, file["@id"] + " is not what was exported")
}

// Accepted content: what the feed says was accepted is what is here.
const accepted = new Set(files.filter((file) => /^(${Object.values(folders).join("|")})\\//.test(file["@id"])).map((file) => "sha256:" + file.sha256))
for (const attempt of lines("attempts.jsonl")) accepted.add("sha256:" + sha256(canonical(attempt.content)))
for (const { revisions } of lines("experiments.jsonl")) for (const { content } of revisions) accepted.add("sha256:" + sha256(canonical(content)))
// A message's content is made of what its entry shows.
const timelines = files.filter((file) => file["@id"].startsWith("timelines/")).flatMap((file) => lines(file["@id"]))
for (const { message, replyToEntryId } of timelines) {
  if (message === undefined) continue
  const { text, clientMessageId } = message
  accepted.add("sha256:" + sha256(canonical({ schemaVersion: ${schemaVersions.research}, clientMessageId, text, ...(replyToEntryId === null ? {} : { replyToEntryId }) })))
}
const kept = new Set(${JSON.stringify(kept)})
let contents = 0
for (const { sequence, operation, contentDigest } of feed) {
  if (!kept.has(operation)) continue
  contents += 1
  must(accepted.has(contentDigest), "the content that activity " + sequence + " accepted is not here")
}

for (const fault of faults) console.error(fault)
console.log(faults.length === 0 ? feed.length + " entries chained, " + contents + " contents and " + files.length + " files are what their digests say. The last digest is " + previous : faults.length + " faults")
process.exitCode = faults.length === 0 ? 0 : 1
`
