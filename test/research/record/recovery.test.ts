/**
 * The recovery order of the interface, steps 1 to 7, on the built executable: by an agent that knows a base URL and a
 * credential and has no client library, in a Room that another agent fills meanwhile. Then what became of one finding.
 */
import { ResearchRoomClient } from "research-room/client"
import tap, { type Test, test } from "tap"
import { held } from "../../support/contract.ts"
import { endAll, executable, newPlace, start } from "../../support/program.ts"
import { because, finding, hypothesis, reference } from "./bodies.ts"
import { holds } from "./holds.ts"
import { losses } from "./work.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})

interface Told {
  readonly baseUrl: string
  readonly rooms: { readonly empty: { readonly roomId: string; readonly openingThreadId: string } }
  readonly credentials: Readonly<Record<"owner_all" | "member_all", { readonly token: string }>>
  readonly repositories: { readonly public: { readonly url: string; readonly commit: string } }
}

// The other agent, and nobody else, is told what stands on this line.
const running = start(program, ["demo", "--json"], { ...place, env: { TMPDIR: place.folder } })
const [line] = await running.printed(/^.*\n/)
const told = JSON.parse(line) as Told

// JSON that the agent looks into without knowing its shape beforehand.
interface Json {
  readonly [member: string]: Json
}

/** What an agent has after it lost everything else. */
class Agent {
  readonly #baseUrl: string
  readonly #token: string
  #reads: readonly { readonly name: string; readonly path: string }[] = []

  constructor(baseUrl: string, token: string) {
    this.#baseUrl = baseUrl
    this.#token = token
  }

  /** Public reads are anonymous; those below /api/agent take the credential. */
  async get(path: string): Promise<Json> {
    const response = await held(
      `${this.#baseUrl}${path}`,
      path.startsWith("/api/agent/") ? { headers: { authorization: `Bearer ${this.#token}` } } : {},
    )
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Json
  }

  learn(manifest: Json): void {
    this.#reads = manifest.reads as unknown as readonly { name: string; path: string }[]
  }

  /** A read by its name in the manifest, with ids in its path and the rest in its query. */
  read(name: string, given: Readonly<Record<string, string | number>> = {}): Promise<Json> {
    const rest = new Map(Object.entries(given))
    const path = this.#reads
      .find((read) => read.name === name)
      ?.path.replace(/\{(\w+)\}/g, (_place, id: string) => {
        const value = String(rest.get(id))
        rest.delete(id)
        return value
      })
    if (path === undefined) throw new Error(`the manifest has no read ${name}`)
    return this.get(rest.size === 0 ? path : `${path}?${new URLSearchParams([...rest].map(([key, value]) => [key, String(value)]))}`)
  }

  /** All items of a list, page by page along `links.next`. */
  async all(name: string, given: Readonly<Record<string, string | number>> = {}): Promise<Json[]> {
    const found: Json[] = []
    for (let page = await this.read(name, given); ; ) {
      found.push(...list(page.items))
      if (!page.hasMore) return found
      page = await this.get(text(page.links?.next))
    }
  }
}
const list = (value: Json | undefined) => value as unknown as readonly Json[]
const text = (value: Json | undefined) => value as unknown as string
const number = (value: Json | undefined) => value as unknown as number

const other = new ResearchRoomClient({ baseUrl: told.baseUrl, token: told.credentials.owner_all.token, fetch: held })
const { roomId, openingThreadId: threadId } = told.rooms.empty
const room = { roomId, threadId }

/** What the other agent did, by the receipts it got: sequence in the feed, operation and target. */
const done: { sequence: number; operation: string; id: string }[] = []
type Write = typeof other.write
const write = (async (name, input) => {
  const receipt = await other.write(name, input)
  done.push({ sequence: receipt.activity?.sequence ?? 0, operation: receipt.operation, id: receipt.target.id })
  return receipt
}) as Write

/** Fills the Room until it is told to stop: discussion, records, and experiments with attempts. */
async function fill(until: () => boolean): Promise<void> {
  const { url, commit } = told.repositories.public
  for (let round = 0; round < 2 || !until(); round += 1) {
    await write("post_message", { threadId, text: `Round ${round}.` })
    const { versionId } = (await write("publish_hypothesis", hypothesis(room))).result
    const { experimentId } = (await write("propose_experiment", { ...room, question: "Does it?", scope: "Here.", hypotheses: [versionId] }))
      .result
    await write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
    const attemptId = crypto.randomUUID()
    await write("register_attempt", {
      attemptId,
      experimentId,
      intent: "exploratory",
      expectedRevision: 2,
      expectedStatus: "claimed",
      repository: { url, commit },
      argv: ["run"],
      configuration: {},
      inputs: [],
    })
    await write("report_attempt_event", {
      attemptId,
      event: "started",
      expectedRevision: 1,
      expectedStatus: "registered",
      reportedAt: "2026-11-20T09:30:00.000Z",
    })
    await write("report_attempt_event", {
      attemptId,
      event: "succeeded",
      expectedRevision: 2,
      expectedStatus: "started",
      reportedAt: "2026-11-20T09:31:00.000Z",
      outputs: [losses],
    })
    const { result } = await write(
      "publish_finding",
      finding(room, { provenance: { execution: { experimentId, attemptIds: [attemptId], baselineAttemptIds: [] }, papers: [] } }),
    )
    await write("link_experiment_finding", {
      experimentId,
      findingVersionId: result.versionId,
      attemptId,
      towardHypothesis: [{ versionId, verdict: "supports", explanation: because }],
      towardQuestion: { verdict: "answers", explanation: because },
    })
  }
}

const agent = new Agent(told.baseUrl, told.credentials.member_all.token)

test("steps 1 to 7: the agent finds out where it is, and knows everything in the end", async (t) => {
  let recovered = false
  const filling = fill(() => recovered)
  while (done.length < 9) await new Promise((resolve) => setTimeout(resolve, 5))

  const ready = await agent.get("/api/health/ready")
  const manifest = await agent.get("/api/manifest")
  t.strictSame(
    [ready.status, ready.protocolVersion, ready.instanceId],
    ["ready", manifest.protocolVersion, manifest.instanceId],
    "1: the service is ready, and the manifest is its own",
  )
  t.strictSame(await agent.get("/.well-known/service.json"), manifest)
  agent.learn(manifest)
  const steps = list(manifest.bootstrap).map(({ path }) => text(path))
  t.strictSame(
    steps.slice(2),
    [
      "/api/agent/research/identity",
      "/api/research/rooms",
      "/api/research/rooms/{roomId}/research-context",
      "/api/research/rooms/{roomId}/activity",
      "/api/research/attempts",
      "/api/research/threads/{threadId}/timeline",
    ],
    "and tells the rest of the way",
  )

  const identity = await agent.read("identity")
  holds(
    t,
    identity,
    {
      username: "grace",
      grants: ["post_thread", "publish_records", "manage_own_experiments"],
      room: { id: roomId, archived: false },
      assignments: [],
    },
    "2: whom it speaks for, and in which Room",
  )

  const title = text(identity.room?.title)
  const named = list((await agent.read("rooms", { query: title })).items)
  t.strictSame(
    named.map((each) => each.roomId),
    [identity.room?.id],
    "3: the Room by its title, had it not been named",
  )

  const context = await agent.read("room_context", { roomId: text(identity.room?.id) })
  const watermark = number(context.activityWatermark)
  t.ok(watermark >= 9 && list(context.experiments).length > 0, `4: the Room as a whole, at ${watermark}`)

  while (done.length < 36) await new Promise((resolve) => setTimeout(resolve, 5))
  recovered = true
  await filling
  const changes = await agent.all("room_activity", { roomId, after: watermark })
  const last = number(changes.at(-1)?.sequence)
  t.strictSame(
    changes.map(({ sequence }) => number(sequence)),
    Array.from({ length: last - watermark }, (_, index) => watermark + 1 + index),
    "5: every change after it, each once",
  )
  const seen = changes.map(({ sequence, operation, target }) => ({
    sequence: number(sequence),
    operation: text(operation),
    id: text(target?.id),
  }))
  t.strictSame(
    seen,
    done.filter(({ sequence }) => sequence > watermark),
    "and they are what the other agent did since",
  )

  const later = await agent.read("room_context", { roomId })
  for (const [name, operation, id] of [
    ["experiments", "propose_experiment", "experimentId"],
    ["hypotheses", "publish_hypothesis", "versionId"],
    ["findingLinks", "link_experiment_finding", "linkId"],
  ] as const) {
    const added = seen.filter((change) => change.operation === operation).map((change) => change.id)
    t.strictSame(
      list(later[name]).map((item) => text(item[id])),
      [...list(context[name]).map((item) => text(item[id])), ...added],
      `the ${name} of then and the changes are the ${name} of now`,
    )
  }
  t.equal(later.activityWatermark, last as never)

  const attempts = await agent.all("attempts", { roomId, limit: 50 })
  const registered = done.filter(({ operation }) => operation === "register_attempt").map(({ id }) => id)
  t.strictSame(attempts.map(({ attemptId }) => text(attemptId)).sort(), registered.sort(), "6: every attempt")
  t.ok(attempts.every(({ status, outcome }) => text(status) === "succeeded" && text(outcome) === "succeeded"))

  const entries = await agent.all("thread_timeline", { threadId, after: 0, kinds: "message,publication,link_experiment_finding" })
  const spoken = ["post_message", "publish_hypothesis", "publish_finding", "link_experiment_finding"]
  const told = done.filter(({ operation }) => spoken.includes(operation)).map(({ id }) => id)
  t.strictSame(
    entries.map(({ entryId, card }) => text(card?.linkId ?? card?.versionId ?? entryId)),
    told,
    "7: the discussion, in order",
  )
  const whole = await agent.all("thread_timeline", { threadId, after: 0 })
  t.equal(whole.length, done.length, "and without kinds the receipts too")
})

/** What every read says of a finding, and of a record that rests on it. */
async function says(t: Test, found: string, above: string, status: string, kinds: readonly string[], what: string): Promise<void> {
  const standing = { status, notices: kinds.map((kind) => ({ kind })) }
  const with_ = (items: Json | undefined, id = "versionId") => list(items).filter((item) => text(item[id]) === found)
  const [record, context, publications, cards, resting] = [
    await agent.read("record", { versionId: found }),
    await agent.read("room_context", { roomId }),
    await agent.read("room_publications", { roomId, limit: 20 }),
    await agent.all("thread_timeline", { threadId, kinds: "publication,link_experiment_finding" }),
    await agent.read("record", { versionId: above }),
  ]
  holds(t, record, standing, `${what}: the record`)
  holds(t, with_(publications.items), [standing], `${what}: the list`)
  holds(t, with_(context.publications), [standing], `${what}: the context`)
  holds(
    t,
    list(context.findingLinks)
      .map((link) => link.finding as Json)
      .filter((item) => text(item.versionId) === found),
    [standing],
    `${what}: its relation to an experiment`,
  )
  holds(
    t,
    cards.map(({ card }) => card as Json).filter((card) => text(card.versionId) === found),
    [standing, standing],
    `${what}: its cards`,
  )
  holds(t, resting.references, [{ versionId: found, ...standing }], `${what}: a reference to it`)
  const falls = ["retracted", "superseded", "disputed"].includes(status)
  holds(
    t,
    resting.warnings,
    falls ? [{ code: `rests_on_${status}`, versionId: found, direct: true }] : [],
    `${what}: what rests on it is ${falls ? "" : "not "}warned`,
  )
  const links = await agent.all("room_links", { roomId, targetVersionId: found })
  holds(
    t,
    links,
    kinds.map((kind) => ({ kind, status, target: { versionId: found, status } })),
    `${what}: the links`,
  )
}

test("a retraction, a supersession and two corrections of one finding, in this order and in the other", async (t) => {
  const { experimentId } = (await write("propose_experiment", { ...room, question: "Does it?", scope: "Here.", hypotheses: [] })).result
  const replacement = (await write("publish_finding", finding(room))).result.versionId
  const assertions = [
    ["retracts", (targetVersionId: string) => write("assert_retraction", { targetVersionId, explanation: because })],
    [
      "supersedes",
      (targetVersionId: string) =>
        write("assert_supersession", { targetVersionId, replacementVersionId: replacement, explanation: because }),
    ],
    [
      "corrects",
      (targetVersionId: string) => write("assert_correction", { targetVersionId, explanation: because, correction: "Read 7 for 8." }),
    ],
    [
      "corrects",
      (targetVersionId: string) =>
        write("assert_correction", { targetVersionId, explanation: "For another reason.", correction: "Read nats for bits." }),
    ],
  ] as const
  for (const [order, statuses] of [
    [assertions, ["retracted", "retracted", "retracted", "retracted"]],
    [assertions.toReversed(), ["corrected", "corrected", "superseded", "retracted"]],
  ] as const) {
    const found = (await write("publish_finding", finding(room))).result.versionId
    const above = (await write("publish_hypothesis", hypothesis(room, { references: [reference(found)] }))).result.versionId
    await write("link_experiment_finding", {
      experimentId,
      findingVersionId: found,
      towardHypothesis: [],
      towardQuestion: { verdict: "answers", explanation: because },
    })
    await says(t, found, above, "current", [], "nothing said")
    for (const [index, [kind, assert]] of order.entries()) {
      await assert(found)
      await says(
        t,
        found,
        above,
        statuses[index] ?? "",
        order.slice(0, index + 1).map(([each]) => each),
        `${index + 1}, ${kind}`,
      )
    }
    const { notices } = await agent.read("record", { versionId: found })
    const corrections = ["Read 7 for 8.", "Read nats for bits."]
    t.strictSame(
      list(notices)
        .map(({ correction }) => correction)
        .filter((correction) => correction !== null),
      order === assertions ? corrections : corrections.toReversed(),
      "both corrections stand, in their order, and nothing ranks them",
    )
  }
})
