/**
 * Agents and what they must read: one that knows an address and a credential, one that comes back, one that lost its
 * notes. Each does what the skill says and nothing else.
 */
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { agentOperations } from "../../src/discovery/manifest.ts"
import { enumerations } from "../../src/contract/schema/enumerations.ts"
import { limits } from "../../src/contract/limits.ts"
import { type Answer, ask, type Json } from "../support/ask.ts"
import { reportedAt } from "../research/record/work.ts"
import { holds } from "../research/record/holds.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { roomId } = house.rooms.main
const { main_member_all: own, main_owner_all: others } = house.credentials

/** An agent that counts what it reads. */
class Reader {
  bytes = 0
  async get(path: string, token?: string): Promise<Answer> {
    const url = path.startsWith("http") ? path : `${house.baseUrl}${path}`
    const answer = await ask(url, { token: path.includes("/api/agent/") ? token : undefined })
    this.bytes += Buffer.byteLength(answer.text)
    return answer
  }
}
const text = (value: Json | undefined) => value as unknown as string
const number = (value: Json | undefined) => value as unknown as number
const list = (value: Json | undefined) => value as unknown as readonly Json[]
const write = (operation: string, body: object, more = "") =>
  ask(`${house.baseUrl}/api/agent/research/${operation}${more}`, { token: own.token, body })

test("a cold agent's first correct write, after at most 16 KB of reading", async (t) => {
  const reader = new Reader()
  const index = (await reader.get("/llms.txt")).text
  const skill = (await reader.get(/\[skill\]\(([^)]+)\)/.exec(index)?.[1] ?? "")).text
  const addresses = [...skill.matchAll(/`GET ([^`]+)`/g)].map(([, address = ""]) => address)
  const address = (part: string) => addresses.find((each) => each.includes(part)) ?? ""

  const identity = (await reader.get(address("/identity"), own.token)).body
  const brief = (await reader.get(address("/brief").replace("{roomId}", text(identity.room?.id)))).text
  const question = /## Open questions\n- (.+)/.exec(brief)?.[1] ?? ""
  t.ok(question.length > 0, "it finds what nobody has answered")
  // However much the Room has to say: a brief may fill its budget.
  const before = reader.bytes - Buffer.byteLength(brief) + limits.briefFirst
  const schemaOf = (operation: string) => address("research-schema").replace("NAME,NAME", operation)
  const { body: schema } = await reader.get(schemaOf("propose_experiment"))
  t.ok(reader.bytes <= 16_000, `${reader.bytes} bytes`)
  for (const { name } of agentOperations.filter(({ family }) => family === "research")) {
    const other = new Reader()
    await other.get(schemaOf(name))
    t.ok(before + other.bytes <= 16_000, `${name}: ${before + other.bytes} bytes`)
  }

  const [example] = list(schema.examples)
  const { id, openingThreadId } = identity.room as Json
  const filled = { schemaVersion: 3, requestId: crypto.randomUUID(), roomId: id, threadId: openingThreadId }
  const body = { ...example, ...filled, question, hypotheses: [] }
  const rehearsed = await write("propose_experiment", body, "?rehearse=1")
  holds(t, rehearsed.body, { rehearsed: true, warnings: [] })
  const proposed = await write("propose_experiment", body)
  t.equal(proposed.status, 200, "and it is taken the first time")
  t.same(Object.keys(example ?? {}), Object.keys(schema.properties as Json), "its example shows each property")
})

test("every address in the skill and the index answers", async (t) => {
  const client = house.client("main_member_all")
  const { threadId } = (await client.write("create_thread", { roomId, title: "To be asked for" })).result
  const requestId = crypto.randomUUID()
  await client.write("create_thread", { roomId, title: "To be asked for again" }, { id: requestId } as never)
  const [record] = (await client.read("hypotheses", { roomId })).items
  const fill: Readonly<Record<string, string>> = { roomId, threadId, versionId: record?.versionId ?? "" }
  const given: Readonly<Record<string, string>> = {
    after: "0",
    roomId,
    query: "coverage",
    operation: "create_thread",
    requestId: crypto.randomUUID(),
    limit: "5",
    kinds: "message",
    at: "3",
    wait: "0",
  }
  for (const path of ["/llms.txt", "/api/research/skill", "/api/research/skill?part=reading"]) {
    const { text: said } = await ask(`${house.baseUrl}${path}`)
    const named = [...said.matchAll(/`GET ([^`]+)`/g), ...said.matchAll(/\]\(([^)]+)\)/g)].map(
      ([, address = ""]) => address,
    )
    t.ok(named.length > 8, `${path} links to ${named.length} addresses`)
    for (const address of new Set(named)) {
      const url = address
        .replace("NAME,NAME", "propose_experiment,take_experiment")
        .replace("NAME", "propose_experiment")
        .replace(/\{(\w+)\}/g, (_, name: string) => fill[name] ?? name)
        .replace(/(\w+)=…/g, (_, name: string) => `${name}=${given[name]}`)
      const library = url.includes("/library/")
      const { status, body } = await ask(url.startsWith("http") ? url : `${house.baseUrl}${url}`, {
        ...(library ? { token: house.keys.all.token } : url.includes("/api/agent/") ? { token: own.token } : {}),
      })
      const right = status === 200 || (url.includes("/receipts") && text(body.refusal) === "unknown_receipt")
      t.ok(right, `${url}: ${status}`)
    }
  }
})

test("a returning agent reads what changed, and verifies that nothing before it did", async (t) => {
  const before = (await ask(`${house.baseUrl}/api/research/rooms/${roomId}/brief`)).body
  const kept = number(before.activityWatermark)
  const last = await ask(`${house.baseUrl}/api/research/rooms/${roomId}/activity?after=${kept - 1}`)
  const digest = text(list(last.body.items)[0]?.digest)

  const { openingThreadId: threadId } = house.rooms.main
  await house.client("main_owner_all").write("post_message", { threadId, text: "While you were away." })
  const { body } = await ask(`${house.baseUrl}/api/research/rooms/${roomId}/activity?after=${kept}`)
  const [entry] = list(body.items)
  t.equal(text(entry?.operation), "post_message")
  t.equal(text(entry?.previousDigest), digest, "it continues from the earlier chain")
  t.ok(others.username !== own.username)
})

test("one that lost its notes finds its work, and the outcome that it never reported", async (t) => {
  const client = house.client("main_member_all")
  const { openingThreadId: threadId } = house.rooms.main
  const proposal = { roomId, threadId, question: "What was I doing?", scope: "Here.", hypotheses: [] }
  const { experimentId } = (await client.write("propose_experiment", proposal)).result
  await client.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const { url, commit } = house.repositories.public
  const attemptId = crypto.randomUUID()
  const expected = (await client.read("experiment", { experimentId })).affordances.expected
  const run = { argv: ["run"], configuration: {}, inputs: [], repository: { url, commit } }
  await client.write("register_attempt", { attemptId, experimentId, intent: "exploratory", ...expected, ...run })
  await client.write("report_attempt_event", {
    attemptId,
    event: "started",
    expectedRevision: 1,
    expectedStatus: "registered",
    reportedAt,
  })

  const identity = (await ask(`${house.baseUrl}/api/agent/research/identity`, { token: own.token })).body
  t.ok(
    list(identity.assignments).some((each) => text(each.experimentId) === experimentId),
    "the work is still its own",
  )
  const steps = list((await ask(`${house.baseUrl}/api/research/rooms/${text(identity.room?.id)}/next`)).body.items)
  const mine = steps.find(({ object }) => text(object?.id) === attemptId)
  t.equal(text(mine?.what), "report_outcome")
  const told = await write(text(mine?.operation), {
    schemaVersion: 3,
    requestId: crypto.randomUUID(),
    ...mine?.body,
    event: "failed",
    reportedAt,
    failure: { stage: "power", explanation: "The machine was switched off." },
  })
  t.equal(told.status, 200)
  const [attempt] = list((await ask(`${house.baseUrl}/api/research/attempts?experimentId=${experimentId}`)).body.items)
  holds(
    t,
    attempt as Json,
    { argv: ["run"], failure: { stage: "power" } } as never,
    "and the list says what came of it",
  )
})

test("the OpenAPI document of a slice describes that slice, with every schema it needs", async (t) => {
  type Document = { paths: Record<string, Record<string, { operationId: string }>>; components: { schemas: object } }
  const document = async (slice?: string) =>
    JSON.parse(
      (await ask(`${house.baseUrl}/api/openapi.json${slice === undefined ? "" : `?slice=${slice}`}`)).text,
    ) as Document
  const whole = await document()
  const seen = new Set<string>()
  for (const slice of enumerations.slice) {
    const part = await document(slice)
    for (const [path, item] of Object.entries(part.paths)) {
      seen.add(path)
      for (const [method, operation] of Object.entries(item))
        t.same(operation, whole.paths[path]?.[method], `${method} ${path}`)
    }
    const named = [...JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = ""]) => name)
    t.same(new Set(named), new Set(Object.keys(part.components.schemas)), `${slice}: its schemas and no others`)
    t.ok(JSON.stringify(part).length < JSON.stringify(whole).length / 3)
  }
  const operations = new Set(
    Object.entries(whole.paths)
      .filter(([path]) => /^\/api\/(?:agent|research)\/(?!skill|.*schema$|library\/schema)/.test(path))
      .map(([path]) => path),
  )
  t.same(
    [...operations].filter((path) => !seen.has(path)),
    [],
    "no operation of agents is missing",
  )
  t.equal((await ask(`${house.baseUrl}/api/openapi.json?slice=constructor`)).status, 422)
})
