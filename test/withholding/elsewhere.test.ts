/** A Room with withheld text in other instances: exported, imported, upgraded, adopted; and forged. */
import { spawnSync } from "node:child_process"
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { CrateFault } from "../../src/research/import/crate-file.ts"
import { forged } from "../research/added/forged.ts"
import { unpack } from "../research/added/unpacked.ts"
import { action, hypothesis, message } from "../support/bodies.ts"
import { openLab } from "../support/lab.ts"
import { untilClean } from "../support/clean.ts"
import { type Elsewhere, elsewhere } from "../support/elsewhere.ts"
import { bytesOfOpen } from "../support/open-files.ts"
import { startOwn, temporaryFolder } from "../support/service.ts"
import { checkData } from "../../src/check/check.ts"
import { writeEverything } from "./everything.ts"

const lab = await openLab(t)
const { house: there } = lab
const exported = async (roomId: string) =>
  Buffer.from(await (await fetch(`${there.baseUrl}/api/research/rooms/${roomId}/export`)).arrayBuffer())
const withhold = async (roomId: string, more: object) => {
  const answer = await lab.at(
    "ada",
    "POST",
    `/api/rooms/${roomId}/withholdings`,
    action({ reason: "secret", explanation: "Revoked.", ...more }),
  )
  if (answer.status !== 200) throw new Error(answer.text)
}

const SECRET = "hf_kT9sQ2mV7xLpB4nR8wZ1cD6y"
const filesOf = ({ folder }: Elsewhere): string[] =>
  readdirSync(folder)
    .filter((name) => name !== "import.zip")
    .map((name) => join(folder, name))
const foundIn = (here: Elsewhere, marker: string): string[] =>
  filesOf(here).filter((path) => bytesOfOpen(path).includes(marker))

/** A Room with a message that contains the secret, and its exports before and after the withholding. */
async function leaked() {
  const { roomId, threadId } = await lab.place()
  const { entry } = await lab.grace.write("post_message", { threadId, ...message(`The token is ${SECRET}.`) } as never)
  await lab.ada.write("post_message", { threadId, ...message("Oh dear.") } as never)
  const before = await exported(roomId)
  await withhold(roomId, { of: { entryId: entry?.entryId }, fields: ["/text"] })
  return { roomId, threadId, entryId: entry?.entryId ?? "", before, after: await exported(roomId) }
}
const leak = await leaked()

const lines = (change: (line: Record<string, unknown>) => object) => (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => `${JSON.stringify(change(JSON.parse(line)))}\n`)
    .join("")

/** Runs the verification program of a crate. */
function verdict(zip: Uint8Array): { status: number | null; said: string } {
  const folder = temporaryFolder()
  unpack(zip).writeTo(folder)
  const { status, stdout, stderr } = spawnSync("python3", [join(folder, "verify.py")], { encoding: "utf8" })
  rmSync(folder, { recursive: true, force: true })
  return { status, said: `${stderr}${stdout}` }
}

async function refused(t: Test, zip: Uint8Array, because: RegExp, said = /no write withholds that/): Promise<void> {
  const here = elsewhere(t)
  t.match(verdict(zip), { status: 1, said })
  await t.rejects(here.import(zip), { constructor: CrateFault, message: because } as never, String(because))
  t.equal(here.entries(), 0, "nothing is left behind")
}

t.test("The file of another Room that cites it, made just before, is not sent to anybody any more", async (t) => {
  const [said, citing] = [await lab.place(), await lab.place()]
  const body = action(hypothesis(said))
  const { result } = await lab.ada.write("publish_hypothesis", {
    ...body,
    assertion: { ...body.assertion, wording: `The key is ${SECRET}.` },
  })
  await lab.ada.write("publish_hypothesis", {
    ...hypothesis(citing),
    premises: [{ versionId: result.versionId, explanation: "It follows from that." }],
  })
  const text = async () => [...unpack(await exported(citing.roomId)).files.values()].join("")
  const [before, again] = [await text(), await text()]
  t.ok(before.includes(SECRET) && again === before)
  await withhold(said.roomId, { of: { versionId: result.versionId }, fields: ["/assertion/wording"] })
  t.notOk((await text()).includes(SECRET), "it is made again, although the Room itself did not change")
})

t.test("Its export imports as the same Room elsewhere, and exports from there byte for byte", async (t) => {
  const here = elsewhere(t)
  await here.import(leak.after)
  t.strictSame(here.problems(), [])
  const [one, other] = [unpack(leak.after), unpack(await here.export(leak.roomId))]
  t.strictSame(
    [...other.files].filter(([path, text]) => one.files.get(path) !== text).map(([path]) => path),
    [],
  )
  t.equal(here.tables.withheld.count(), 1)
  t.match(verdict(leak.after), { status: 0, said: /^Not proved: 1 of the writes, .* Entries: 3$/m })
})

t.test(
  "The remaining fields of a withheld write cannot be proved, and every report that calls the Room proved counts " +
    "that write",
  async (t) => {
    const reply = (line: Record<string, unknown>) =>
      line.sequence === 3
        ? { ...line, body: { ...(line.body as object), clientMessageId: "01a1c4d3-13a9-73f5-8f3d-d5a42c60610b" } }
        : line
    const here = elsewhere(t)
    const other = forged(leak.after, { "history.jsonl": lines(reply) })
    const report = await here.import(other)
    t.strictSame(report.unproved, [3])
    t.match(verdict(other), { status: 0, said: /^Not proved: 1 of the writes, .* Entries: 3$/m })
    t.strictSame(checkData(here.db).unproved, [{ roomId: leak.roomId, sequence: 3 }])
    here.db.close()
    const service = await startOwn({ folder: here.folder, keeps: true })
    t.teardown(() => service.close())
    const read = (await (await fetch(`${service.baseUrl}/api/research/rooms/${leak.roomId}`)).json()) as {
      unproved: object
    }
    t.strictSame(read.unproved, { entries: 1, sequences: [3] })
    t.match(
      await (await fetch(`${service.baseUrl}/rooms/${leak.roomId}`)).text(),
      /Part of entry 3 was withheld, so its hash cannot be checked\./,
    )
  },
)

t.test(
  "A newer export removes the text from an instance that has it, out of every file; " +
    "an older one does not bring it back",
  async (t) => {
    const here = elsewhere(t)
    await here.import(leak.before)
    t.not(foundIn(here, SECRET).length, 0)
    t.equal((await here.import(leak.after)).added, 1)
    t.strictSame(foundIn(here, SECRET), [])
    t.strictSame(here.problems(), [])
    t.equal((await here.import(leak.before)).added, 0)
    t.strictSame(foundIn(here, SECRET), [])
    const again = unpack(await here.export(leak.roomId))
    t.strictSame(
      [...again.files].filter(([path, text]) => unpack(leak.after).files.get(path) !== text).map(([path]) => path),
      [],
    )
  },
)

t.test("Adopted, it stays withheld, and its new owner can withhold more", async (t) => {
  const here = elsewhere(t)
  await here.accounts.add("eve", "the long password of eve")
  await here.import(leak.after, "eve")
  t.strictSame(here.problems(), [])
  const eve = here.tables.people.named("eve")
  const operation = (await import("../../src/contract/operations/index.ts")).operationOf("withhold_content")
  const receipt = JSON.parse(
    await here.ledger.admit({
      operation,
      actor: { userId: eve?.userId ?? "", username: "eve", grant: null },
      params: { roomId: leak.roomId },
      body: action({ of: { sequence: 4 }, fields: [""], reason: "other", explanation: "More." }),
    }),
  ) as { result: { fields: string[] } }
  t.strictSame(receipt.result.fields, ["/text"])
  t.strictSame(foundIn(here, "Oh dear"), [])
  t.strictSame(here.problems(), [])
})

t.test("If a withholding is cut off before its text is removed, the next start removes it", async (t) => {
  const folder = temporaryFolder()
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const here = elsewhere(t, folder)
  await here.import(leak.before)
  here.ledger.cleanse = () => Promise.reject(new Error("killed"))
  await t.rejects(here.import(leak.after), /killed/)
  t.not(foundIn(here, SECRET).length, 0)
  here.db.close()
  const service = await startOwn({ folder, keeps: true })
  await untilClean(join(folder, "research-room.db"))
  t.strictSame(foundIn(here, SECRET), [])
  t.strictSame(checkData(service.instance.db).problems, [])
  await service.close()
})

t.test("A forged withholding is refused", async (t) => {
  const { files } = unpack(leak.after)
  const history = files.get("history.jsonl") ?? ""
  const hidden = history.split("\n").find((line) => line.includes('"withheld"')) ?? ""
  const told = (JSON.parse(hidden) as { body: { text: object } }).body.text
  const change = (
    is: (line: { sequence: number; operation: string; body: Record<string, unknown> }) => boolean,
    body: object,
  ) => ({
    "history.jsonl": lines((line) =>
      is(line as never) ? { ...line, body: { ...(line.body as object), ...body } } : line,
    ),
  })
  await refused(
    t,
    forged(
      leak.after,
      change(({ sequence }) => sequence === 4, { text: told }),
    ),
    /Entry 4 .* is said to be withheld at \/text/,
  )
  await refused(
    t,
    forged(
      leak.after,
      change(({ sequence }) => sequence === 3, {
        text: { withheld: { ...(told as { withheld: object }).withheld, reason: "other" } },
      }),
    ),
    /Entry 3 .* is said to be withheld/,
  )
  await refused(
    t,
    forged(
      leak.before,
      change(({ sequence }) => sequence === 3, { text: told }),
    ),
    /Entry 3 .* is said to be withheld/,
  )
  // The withholding itself is chained like every other write.
  await refused(
    t,
    forged(
      leak.after,
      change(({ operation }) => operation === "withhold_content", { fields: [""] }),
    ),
    /Entry 5 .* is not what/,
    /the history does not hold the write that activity 5 accepted/,
  )
})

t.test("A Room with everything withheld is imported whole", async (t) => {
  const { roomId, markers } = await writeEverything(there, lab.ada, lab.grace)
  const folders = [temporaryFolder(), temporaryFolder()] as const
  t.teardown(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))
  const before = elsewhere(t, folders[0])
  await before.import(await exported(roomId))
  const { activityWatermark } = (await (await fetch(`${there.baseUrl}/api/research/rooms/${roomId}`)).json()) as {
    activityWatermark: number
  }
  const each = Array.from({ length: activityWatermark }, (_, index) =>
    withhold(roomId, { of: { sequence: index + 1 }, fields: [""] }).catch((error: Error) => {
      if (!error.message.includes("unknown_reference")) throw error
    }),
  )
  await Promise.all(each)
  await untilClean(lab.file)
  const zip = await exported(roomId)
  for (const here of [before, elsewhere(t, folders[1])]) {
    await here.import(zip)
    t.strictSame(here.problems(), [])
    const bytes = filesOf(here).map((path) => bytesOfOpen(path).toString("latin1").toLowerCase())
    const found = markers.filter(({ marker }) => bytes.some((text) => text.includes(marker.slice(0, 14))))
    t.strictSame(found, [])
    const [one, other] = [unpack(zip), unpack(await here.export(roomId))]
    t.strictSame(
      [...other.files].filter(([path, text]) => one.files.get(path) !== text).map(([path]) => path),
      [],
    )
  }
})
