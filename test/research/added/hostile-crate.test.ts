/** A crate from a stranger: its contents are not trusted until their names, sizes and digests are proved. */
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { strToU8, zipSync } from "fflate"
import { startResearchRoom } from "research-room/testing"
import t, { type Test } from "tap"
import { type CrateBounds, crateBounds, CrateFault, openCrate } from "../../../src/research/import/crate-file.ts"
import { provedWrites } from "../../../src/research/import/writes.ts"
import { folderFor } from "../../support/service.ts"
import { bytesOf, unpack } from "./unpacked.ts"

const room = await startResearchRoom()
t.teardown(() => room.close())
const zip = Buffer.from(
  await bytesOf(await room.client("member_all").download("room_export", { roomId: room.rooms.archived.roomId })),
)
const { files } = unpack(zip)
const folder = folderFor(t)
let made = 0

/** Writes a crate's bytes to a file and opens it. */
async function opened(bytes: Uint8Array, bounds: Partial<CrateBounds> = {}) {
  const file = join(folder, `${made++}.zip`)
  writeFileSync(file, bytes)
  return openCrate(file, { ...crateBounds, ...bounds })
}
const zipped = (changed: Readonly<Record<string, string | null>>, level: 0 | 9 = 9) => {
  const all = new Map<string, string | null>([...files, ...Object.entries(changed)])
  return zipSync(
    Object.fromEntries([...all].flatMap(([path, text]) => (text === null ? [] : [[path, strToU8(text)]]))),
    { level },
  )
}
/** The same bytes with each occurrence of a name replaced by another of the same length. */
const renamed = (from: string, to: string) => Buffer.from(zip.toString("latin1").replaceAll(from, to), "latin1")
const refused = (t: Test, work: Promise<unknown>, because: RegExp) =>
  t.rejects(work, { constructor: CrateFault, message: because } as never, String(because))

t.test("An intact crate is read line by line", async (t) => {
  const crate = await opened(zip)
  const values: unknown[] = []
  for await (const { number, value } of crate.lines("history.jsonl")) {
    values.push(value)
    t.equal(number, values.length)
  }
  t.strictSame(values, unpack(zip).lines("history.jsonl"))
  crate.close()
})

t.test("A file that was changed, removed or added is reported by name", async (t) => {
  for (const [path, text] of files) {
    if (path.startsWith("ro-crate-")) continue
    const other = text.replace(/[a-z]/, (letter) => (letter === "x" ? "y" : "x"))
    if (other !== text)
      await refused(
        t,
        opened(zipped({ [path]: other })),
        new RegExp(`^${path} in the crate is not what its metadata says`),
      )
    await refused(t, opened(zipped({ [path]: `${text} ` })), new RegExp(`^${path} in the crate is not as long as`))
    await refused(
      t,
      opened(zipped({ [path]: null })),
      new RegExp(`^${path} is in the metadata of the crate and not in`),
    )
  }
  await refused(t, opened(zipped({ "more.txt": "more" })), /^more\.txt is in the crate and not in its metadata/)
  await refused(t, opened(zipped({ "ro-crate-metadata.json": null })), /not a crate/)
  await refused(t, opened(zipped({ "ro-crate-metadata.json": "{}" })), /does not describe a crate/)
})

t.test("A crate cut off at any point is refused", async (t) => {
  for (let part = 0; part < 20; part++)
    await refused(t, opened(zip.subarray(0, Math.floor((zip.length * part) / 20))), /not a complete zip file/)
  await refused(t, opened(zip.subarray(0, -1)), /not a complete zip file/)
})

t.test("Paths that leave the folder, and duplicate names, are refused", async (t) => {
  await refused(t, opened(renamed("people.jsonl", "../ple.jsonl")), /not a complete zip file \(.*relative path/)
  await refused(t, opened(renamed("people.jsonl", "/eople.jsonl")), /not a complete zip file \(.*absolute path/)
  await refused(t, opened(renamed("people.jsonl", "..\\ple.jsonl")), /not a complete zip file \(.*invalid characters/)
  await refused(t, opened(renamed("records.jsonl", "threads.jsonl")), /^threads\.jsonl is in the crate twice/)
})

t.test("A crate that would unpack to more than the limit is refused before it is unpacked", async (t) => {
  await refused(
    t,
    opened(zipped({ "bomb.txt": "0".repeat(8 << 20) }), { ratio: 100 }),
    /^bomb\.txt in the crate would unpack to 8388608 bytes/,
  )
  await refused(t, opened(zip, { total: 1_000 }), /would unpack to more than 1000 bytes/)
  await refused(t, opened(zip, { files: 3 }), /more than 3 files/)
  await refused(t, opened(zip, { metadata: 100 }), /ro-crate-metadata\.json is over 100 bytes/)
  const crate = await opened(zip, { line: 50 })
  t.teardown(() => crate.close())
  await refused(t, crate.lines("history.jsonl").next(), /^history\.jsonl line 1 is over 50 bytes/)
})

t.test("A crate without a history was made by an earlier version", async (t) => {
  const crate = await opened(zip)
  t.teardown(() => crate.close())
  await refused(
    t,
    crate.lines("not-there.jsonl").next(),
    /The crate has no not-there\.jsonl: it was made by an earlier version/,
  )
})

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
/** A forger who knows that files have digests recomputes them. */
function forged(path: string, text: string) {
  const metadata = JSON.parse(files.get("ro-crate-metadata.json") as string) as { "@graph": Record<string, unknown>[] }
  const graph = metadata["@graph"].map((each) =>
    each["@id"] === path ? { ...each, sha256: sha256(text), contentSize: String(Buffer.byteLength(text)) } : each,
  )
  return zipped({ [path]: text, "ro-crate-metadata.json": JSON.stringify({ ...metadata, "@graph": graph }) })
}
async function proved(bytes: Uint8Array): Promise<number> {
  const crate = await opened(bytes)
  try {
    let count = 0
    for await (const { sequence } of provedWrites(crate, room.rooms.archived.roomId)) count = sequence
    return count
  } finally {
    crate.close()
  }
}

t.test("Each line of the history and of the feed is proved, and a changed line is named", async (t) => {
  const history = (files.get("history.jsonl") as string).trimEnd().split("\n")
  t.equal(await proved(zip), history.length)
  for (const path of ["history.jsonl", "activity.jsonl"]) {
    const lines = (files.get(path) as string).trimEnd().split("\n")
    for (const [index, line] of lines.entries()) {
      const where = new RegExp(`^Entry ${index + 1} of the (?:history|activity) `)
      const others = [
        line.replace(/"username":"[a-z]/, '"username":"x'),
        line.replace(/"at":"20/, '"at":"19'),
        line.replace(/"operation":"/, '"operation":"un'),
        line.replace(/"sequence":[0-9]+/, '"sequence":99'),
        "[]",
        ...(path === "history.jsonl" ? [line.replace(/"body":\{/, '"body":{"added":1,')] : []),
      ]
      for (const other of others) {
        const text = `${[...lines.slice(0, index), other, ...lines.slice(index + 1)].join("\n")}\n`
        await refused(t, proved(forged(path, text)), where)
      }
      const without = lines.filter((_, place) => place !== index)
      await refused(
        t,
        proved(forged(path, without.map((each) => `${each}\n`).join(""))),
        /^Entry|^The history (?:ends|continues)/,
      )
    }
    await refused(t, proved(forged(path, lines.join("\n"))), new RegExp(`^${path} is cut off at line ${lines.length}`))
  }
})
