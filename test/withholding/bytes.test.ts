/**
 * Withheld text is nowhere any more. Each kind of write in a Room's activity is made with a marker at every place that
 * can be withheld; then everything is withheld, and the bytes of every file are searched for every marker.
 */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { unzipSync } from "fflate"
import tap, { test } from "tap"
import { checkData } from "../../src/check/check.ts"
import { backUp } from "../../src/check/backup.ts"
import type { Operation } from "../../src/contract/definitions/operation.ts"
import { everyOperation } from "../../src/contract/operations/index.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { isWithholdable } from "../../src/contract/nouns/withholding.ts"
import { openReadConnection, openDatabase } from "../../src/ledger/storage/opening.ts"
import { overHttp } from "../mcp/agent.ts"
import { ask } from "../support/ask.ts"
import { action } from "../support/bodies.ts"
import { openLab } from "../support/lab.ts"
import { holdToContract } from "../support/contract.ts"
import { untilClean } from "../support/clean.ts"
import { bytesOfOpen } from "../support/open-files.ts"
import { temporaryFolder } from "../support/service.ts"
import { placesInSchema, writeEverything } from "./everything.ts"

const lab = await openLab(tap)
const { house, folder: data, file } = lab
const made = await writeEverything(house, lab.ada, lab.grace)
const { roomId, markers } = made

/** The beginning of a marker is practically unique; an index that shares prefixes might keep that much of it. */
const beginningOf = (marker: string) => marker.slice(0, 14)
const foundIn = (bytes: Buffer) => {
  const text = bytes.toString("latin1").toLowerCase()
  return markers
    .filter(({ marker }) => text.includes(beginningOf(marker)))
    .map(({ operation, place }) => `${operation} ${place}`)
}
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())

test("every place of every operation has a marker", (t) => {
  const written = new Set(markers.map(({ operation, place }) => `${operation} ${place}`))
  const wanted = everyOperation.filter(isWithholdable).flatMap((operation: Operation) =>
    placesInSchema(operation.body)
      .filter((place) => !place.startsWith("/client") || operation.surface === "agent")
      // An effect, a correction or a board repeats what an attempt reported, and those places have markers. The text of
      // a dimension is among numbers and booleans, and cannot be withheld yet. A table is stored as the metrics in it.
      .filter((place) => !/^\/(?:effects|corrects|metrics\/\*\/dimensions|where|baseline|table)\//.test(place))
      // Repeats of the baseline name an arm of the plan, which has its marker.
      .filter((place) => !place.endsWith("/baselineRepeats/arm"))
      .map((place) => [operation.name, place] as const),
  )
  const key = (place: string) => place.replaceAll(/\/(?:lowers|python)(?=\/|$)/g, "/*")
  const has = new Set([...written].map(key))
  const missing = wanted.map(([name, place]) => `${name} ${place}`).filter((each) => !has.has(each))
  t.strictSame(missing, [], `${written.size} kinds of place`)
  t.ok(markers.every(({ marker }) => marker.length >= 24))
  t.end()
})

/** The paths that a reader loaded before, with their tags. */
const loaded = [
  `/threads/${made.threadId}`,
  `/records/${made.h1}`,
  `/rooms/${roomId}/feed.atom`,
  `/rooms/${roomId}/feed.json`,
  `/api/research/records/${made.h1}`,
  `/api/research/threads/${made.threadId}/messages`,
]
const tags = new Map<string, string>()
const again = (path: string) => fetch(`${house.baseUrl}${path}`, { headers: { "if-none-match": tags.get(path) ?? "" } })

test("before, all of them are in the data", async (t) => {
  const here = new Set(filesOf(data).flatMap((path) => foundIn(bytesOfOpen(path))))
  t.equal(here.size, new Set(markers.map(({ operation, place }) => `${operation} ${place}`)).size)
  await ask(`${house.baseUrl}/api/research/rooms/${roomId}/brief?at=30`)
  for (const path of loaded) {
    const response = await fetch(`${house.baseUrl}${path}`)
    tags.set(path, response.headers.get("etag") ?? "")
    t.not(foundIn(Buffer.from(await response.text())).length, 0, `${path} contains markers`)
    if (tags.get(path) !== "") t.equal((await again(path)).status, 304, `${path} is unchanged`)
  }
})

test("everything is withheld, and no file contains its bytes", async (t) => {
  const watermark = (
    (await ask(`${house.baseUrl}/api/research/rooms/${roomId}`)).body as never as { activityWatermark: number }
  ).activityWatermark
  const each = Array.from({ length: watermark }, async (_, index) => {
    const body = action({
      of: { sequence: index + 1 },
      fields: [""],
      reason: "personal_data",
      explanation: "All of it.",
    })
    const answer = await lab.at("ada", "POST", `/api/rooms/${roomId}/withholdings`, body)
    if (answer.status !== 200 && !(String(answer.body.refusal) === "unknown_reference"))
      t.fail(`entry ${index + 1}: ${JSON.stringify(answer.body)}`)
  })
  // All at once: writes accepted together are rewritten together.
  await Promise.all(each)
  await untilClean(file)
  const backup = join(data, "after.db")
  const aside = openReadConnection(file)
  t.strictSame(checkData(aside).problems, [], "check finds no problem")
  aside.close()
  const beside = openDatabase(file)
  backUp(beside, backup)
  beside.close()
  for (const path of filesOf(data)) t.strictSame(foundIn(bytesOfOpen(path)), [], path)
})

test("the tags of answers loaded before no longer match", async (t) => {
  for (const path of loaded) {
    const response = await again(path)
    t.equal(response.status, 200, `${path} ${tags.get(path) === "" ? "has no tag" : "has another tag"}`)
    t.strictSame(foundIn(Buffer.from(await response.text())), [], path)
  }
})

test("nor can an agent read it over MCP", async (t) => {
  const agent = await overHttp(house.baseUrl, house.credentials.member_all.token)
  const asked: readonly (readonly [string, object])[] = [
    ["brief", { roomId }],
    ["search", { query: "more" }],
    ["similar", { roomId, text: "and more of it" }],
    ["read", { name: "record", parameters: { versionId: made.h1 } }],
    ["read", { name: "thread_messages", parameters: { threadId: made.threadId } }],
    ["read", { name: "room_activity", parameters: { roomId, limit: 20, include: ["summary", "content"] } }],
  ]
  for (const [tool, input] of asked) {
    const { text, isError } = await agent.call(tool, input)
    t.notOk(isError, `${tool}: ${text.slice(0, 300)}`)
    t.strictSame(foundIn(Buffer.from(text)), [], tool)
    t.notMatch(text, /[\ufdd0-\ufdef]/, `${tool} holds no mark`)
  }
  await agent.close()
})

test("nor is it in any answer, page or export", async (t) => {
  const { threadId, experimentId, planId, material, finding, h1, linkId, planned, failed } = made
  const watermark = 20
  const api = [
    `/rooms/${roomId}`,
    `/rooms?query=mk`,
    `/rooms/${roomId}/threads`,
    `/rooms/${roomId}/research-context`,
    `/rooms/${roomId}/brief`,
    `/rooms/${roomId}/next`,
    `/rooms/${roomId}/activity?include=summary,content,write`,
    `/rooms/${roomId}/provenance`,
    `/rooms/${roomId}/materials`,
    `/rooms/${roomId}/links`,
    `/rooms/${roomId}/publications`,
    `/rooms/${roomId}/brief?format=markdown`,
    `/threads/${threadId}/context`,
    `/threads/${threadId}/messages`,
    `/threads/${threadId}/timeline?after=0`,
    `/threads/${threadId}/research-context`,
    `/threads/${threadId}/records`,
    `/threads/${threadId}/brief`,
    `/hypotheses?roomId=${roomId}`,
    `/hypotheses/${h1}`,
    `/experiments?roomId=${roomId}`,
    `/experiments/${experimentId}`,
    `/experiments/${experimentId}/history`,
    `/experiments/${experimentId}/findings`,
    `/plans/${planId}`,
    `/proposals/${experimentId}`,
    `/attempts?roomId=${roomId}`,
    `/attempts/${planned}`,
    `/attempts/${failed}`,
    `/attempts/${planned}/metrics`,
    `/materials/${material}`,
    `/links/${linkId}`,
    `/records/${finding}`,
    `/records/${h1}`,
    `/records/${h1}/evidence`,
    `/records/${h1}/uses`,
    `/records/${h1}/concepts/lowers`,
    `/concepts`,
    `/search?query=and%20more`,
    `/rooms/${roomId}/similar?like=${h1}`,
    `/records/${h1}/case`,
    `/records/${finding}/case`,
    `/checkpoints/${made.checkpointId}`,
    `/checkpoints/${made.checkpointId}/case`,
    `/experiments/${experimentId}/findings`,
    `/materials?reference=sha256:${"a".repeat(64)}`,
    `/papers/1706.03762/publications`,
    `/publications`,
    `/records/${finding}/citation`,
    `/rooms/${roomId}/citation`,
    `/rooms/${roomId}/failures`,
    `/attempt-table?roomId=${roomId}`,
    `/rooms/${roomId}/brief?at=${watermark}`,
    `/records/${h1}?at=${watermark}`,
  ]
  const pages = [
    `/rooms/${roomId}`,
    `/threads/${threadId}`,
    `/records/${h1}`,
    `/records/${finding}`,
    `/experiments/${experimentId}`,
    `/plans/${planId}`,
    `/attempts/${planned}`,
    `/attempts/${failed}`,
    `/materials/${material}`,
    `/links/${linkId}`,
    `/rooms/${roomId}/feed.atom`,
    `/rooms/${roomId}/feed.json`,
    `/threads/${threadId}/feed.atom`,
    `/threads/${threadId}.md`,
  ]
  const document = (await ask(`${house.baseUrl}/api/openapi.json`)).body as object
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, "openapi")
  const seen = new Set<string>()
  let told = 0
  for (const path of [...api.map((each) => `/api/research${each}`), ...pages]) {
    const response = await fetch(`${house.baseUrl}${path}`)
    const text = await response.text()
    if (response.status === 200) told += 1
    const { pathname } = new URL(response.url)
    const type = response.headers.get("content-type") ?? ""
    if (path.startsWith("/api/") && response.status === 200) {
      t.doesNotThrow(() => holdToContract("GET", pathname, response, text), `${path} is what its definition says`)
      const route = reads.find((each) =>
        new RegExp(`^${each.path.replaceAll(/\{[a-zA-Z]+\}/g, "[^/]+")}$`).test(pathname),
      )
      if (route !== undefined && type.startsWith("application/json")) {
        const at = `/paths/${route.path.replaceAll("/", "~1")}/get/responses/200/content/application~1json/schema`
        const takes = ajv.compile({ $ref: `openapi#${encodeURI(at)}` })
        t.ok(takes(JSON.parse(text)), `${path} matches the document: ${ajv.errorsText(takes.errors)}`)
        if (text.includes('{"withheld":{')) seen.add(route.name)
      }
    }
    t.strictSame(foundIn(Buffer.from(text)), [], `${response.status} ${path}`)
    t.notMatch(text, /[\ufdd0-\ufdef]/, `${path} holds no mark`)
  }
  t.ok(told > 55, `${told} of them answer`)
  t.ok(seen.size > 20, `${seen.size} reads show something withheld`)

  const zip = new Uint8Array(await (await fetch(`${house.baseUrl}/api/research/rooms/${roomId}/export`)).arrayBuffer())
  const folder = temporaryFolder()
  for (const [name, bytes] of Object.entries(unzipSync(zip))) {
    t.strictSame(foundIn(Buffer.from(bytes)), [], name)
    t.notMatch(Buffer.from(bytes).toString(), /[\ufdd0-\ufdef]/, `${name} holds no mark`)
    mkdirSync(join(folder, name, ".."), { recursive: true })
    if (!name.endsWith("/")) writeFileSync(join(folder, name), bytes)
  }
  const verified = spawnSync("python3", [join(folder, "verify.py")], { encoding: "utf8" })
  t.match(
    verified,
    { status: 0, stdout: /Not proved: \d+ of the writes, of which something was withheld/ },
    verified.stderr,
  )
  rmSync(folder, { recursive: true, force: true })
})
