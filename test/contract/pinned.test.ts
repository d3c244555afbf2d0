/**
 * What programs were written against stays as it is: every operation, read, shape, refusal, state and limit of the
 * served contract, a line each in `pinned.txt`. Whoever changes the contract on purpose writes the file anew with
 * `PIN=1 npm run tap -- test/contract/pinned.test.ts`, and its difference shows what clients will notice. Descriptions,
 * examples and the order of members may change freely.
 */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { reads } from "../../src/contract/reads/index.ts"
import { overHttp } from "../mcp/agent.ts"
import { holdLines } from "../support/pinned.ts"

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
type Members = Record<string, Json>

/** Members that are for people. */
const WORDS = new Set(["description", "summary", "title", "example", "examples", "meaning"])
/** The length of a digest in the file. */
const SHORT = 12

const members = (value: Json | undefined): Members => (value ?? {}) as Members

/** What stands at a reference to a parameter or an answer, whose names have numbers that shift. Shapes keep theirs. */
function followed(document: Members, value: Json): Json {
  const [, kind = "", name = ""] =
    /^#\/components\/(parameters|responses)\/(.+)$/.exec(String(members(value).$ref ?? "")) ?? []
  return members(members(document.components)[kind])[name] ?? value
}

/** A value without its words, with its members in order. */
function plain(document: Members, value: Json, isNames = false): Json {
  if (Array.isArray(value)) return value.map((each) => plain(document, followed(document, each)))
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => isNames || !WORDS.has(name))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, each]) => [name, plain(document, followed(document, each), name === "properties")]),
  )
}

const digest = (document: Members, value: Json) =>
  createHash("sha256")
    .update(JSON.stringify(plain(document, value)))
    .digest("hex")
    .slice(0, SHORT)

t.test("the contract is the one that programs were written against", async (t) => {
  const house = await startResearchRoom()
  t.teardown(() => house.close())
  const served = async (path: string) =>
    JSON.parse((await (await fetch(house.baseUrl + path)).text()).replaceAll(house.baseUrl, "")) as Members
  const document = await served("/api/openapi.json")
  const manifest = await served("/api/manifest")
  const agent = await overHttp(house.baseUrl, house.credentials.member_all.token)
  t.teardown(agent.close)
  const { tools } = await agent.client.listTools()
  const paths = Object.entries(members(document.paths)).flatMap(([path, item]) =>
    Object.entries(members(item)).map(([method, each]) => `${method.toUpperCase()} ${path} ${digest(document, each)}`),
  )
  const named = (kind: string, list: Json, name = "name") =>
    (list as Members[]).map((each) => `${kind} ${String(each[name])} ${digest({}, each)}`)
  const lines = [
    ...Object.entries(members(manifest.limits)).map(([name, each]) => `limit ${name} ${String(each)}`),
    ...named("operation", manifest.operations ?? []),
    ...named("read", manifest.reads ?? []),
    // Reads whose work grows with a Room are answered by a thread of their own.
    ...reads.flatMap(({ name, costly }) => (costly ? [`costly ${name}`] : [])),
    ...named("refusal", manifest.refusals ?? [], "code"),
    ...named("tool", tools as unknown as Json),
    ...["states", "enumerations", "labels", "permissions", "schemaVersions", "slices"].map(
      (name) => `${name} ${digest({}, manifest[name] ?? null)}`,
    ),
    ...paths,
    ...Object.entries(members(members(document.components).schemas)).map(
      ([name, each]) => `shape ${name} ${digest(document, each)}`,
    ),
  ].sort()
  holdLines(t, join(import.meta.dirname, "pinned.txt"), lines)
})
