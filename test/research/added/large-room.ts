/** A large Room, written through the ledger like any other: for measurements, not for the tests that run each time. */
import { createHash } from "node:crypto"
import type { Operation } from "../../../src/contract/definitions/operation.ts"
import {
  type InputOf,
  operationNamed,
  type OperationName,
  type ResultOf,
} from "../../../src/contract/operations/index.ts"
import { createInstance, type Instance } from "../../../src/app/compose/instance.ts"
import { openData } from "../../../src/ledger/storage/opening.ts"
import { isoTime } from "../../../src/ledger/world.ts"

export interface Size {
  readonly threads: number
  readonly experiments: number
  readonly attempts: number
  readonly records: number
  readonly messages: number
}

export const stated: Size = { threads: 200, experiments: 1_000, attempts: 10_000, records: 2_000, messages: 10_000 }

const pin = { url: "https://git.example.org/lab/work", commit: "0123456789abcdef0123456789abcdef01234567" }
const sha256 = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`
const prose = (seed: number, words: number) =>
  Array.from({ length: words }, (_, index) => `word${((seed * 31 + index * index) % 4_000).toString(36)}`).join(" ")
const range = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Makes the Room in a new file. The same size always gives a Room of the same shape. */
export async function fill(
  file: string,
  { threads, experiments, attempts, records, messages }: Size,
): Promise<{ instance: Instance; roomId: string }> {
  const { db, world, instanceId, openReader: aside } = openData(file)
  db.exec("PRAGMA synchronous = OFF")
  const instance = createInstance({
    db,
    world,
    instanceId,
    openReader: aside,
    repositories: { check: async () => ({ ok: true }) },
  })
  const { ledger, tables } = instance
  const person = { userId: world.id(), username: "ada", grant: null }
  tables.people.insert(person.userId, person.username, "no password", false, isoTime(world.now()))

  async function does<N extends OperationName>(
    name: N,
    params: Record<string, string>,
    body: Partial<InputOf<N>>,
  ): Promise<ResultOf<N>> {
    const operation = operationNamed(name) as Operation
    const receipt = await ledger.admit({
      operation,
      actor: person,
      params,
      body: { schemaVersion: 3, [operation.delivery]: world.id(), ...body },
    })
    return (JSON.parse(receipt) as { result: ResultOf<N> }).result
  }
  /** Runs up to 50 writes at a time, so that they share a transaction as concurrent writers do. */
  async function all<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
    const made: T[] = []
    for (let next = 0; next < count; next += 50)
      made.push(...(await Promise.all(range(Math.min(50, count - next)).map((offset) => make(next + offset)))))
    return made
  }

  const { roomId, openingThreadId } = await does(
    "create_room",
    {},
    { title: "A large Room", question: "How does it scale?" },
  )
  const made = await all(threads - 1, (index) =>
    does("create_thread", {}, { roomId, title: `Thread ${prose(index, 4)}` }),
  )
  const threadIds = [openingThreadId, ...made.map(({ threadId }) => threadId)]
  const threadOf = (index: number) => threadIds[index % threadIds.length] as string
  await all(messages, (index) => does("post_message", { threadId: threadOf(index) }, { text: prose(index, 60) }))

  const { materialId } = await does("register_material", {}, { roomId, reference: sha256("input"), name: "Input" })
  const science = (index: number) => ({
    assertion: {
      wording: prose(index, 30),
      predicate: { type: "concept" as const, key: "lowers" },
      roles: range(2).map((role) => ({
        role: `role_${role}`,
        definition: prose(index + role, 10),
        value: { type: "text" as const, value: prose(index, 10) },
      })),
    },
    concepts: { lowers: { label: "lowers", definition: prose(index, 12) } },
    scope: prose(index, 15),
  })
  const where = (index: number) => ({ roomId, threadId: threadOf(index) })
  const hypotheses = await all(records / 2, (index) =>
    does(
      "publish_hypothesis",
      {},
      { kind: "hypothesis", ...where(index), ...science(index), premises: [], references: [] },
    ),
  )
  const hypothesisOf = (index: number) => (hypotheses[index % hypotheses.length] as { versionId: string }).versionId

  const work = await all(experiments, async (index) => {
    const { experimentId } = await does(
      "propose_experiment",
      {},
      { ...where(index), question: prose(index, 20), scope: prose(index, 15), hypotheses: [hypothesisOf(index)] },
    )
    await does("take_experiment", {}, { experimentId, expectedRevision: 1, expectedStatus: "open" })
    const { planId } = await does(
      "accept_plan",
      {},
      {
        experimentId,
        expectedRevision: 2,
        expectedStatus: "claimed",
        repository: pin,
        hypotheses: [hypothesisOf(index)],
        premises: [],
        intent: "confirmatory",
        requiredMaterials: [{ materialId, purpose: "It is drawn from." }],
        protocol: { summary: prose(index, 12), steps: [], arms: [{ name: "only", argv: ["node", "run.js"] }] },
      },
    )
    return { experimentId, planId }
  })
  const attemptIds = await all(attempts, async (index) => {
    const { experimentId, planId } = work[index % work.length] as (typeof work)[number]
    const attemptId = crypto.randomUUID()
    await does(
      "register_attempt",
      {},
      {
        attemptId,
        experimentId,
        planId,
        intent: "planned",
        expectedRevision: 3,
        expectedStatus: "claimed",
        repository: pin,
        argv: ["node", "run.js", "--seed", String(index)],
        configuration: { seed: index, rate: 0.001 },
        inputs: [{ materialId, name: "input" }],
      },
    )
    const reportedAt = isoTime(world.now())
    await does(
      "report_attempt_event",
      {},
      { attemptId, expectedRevision: 1, expectedStatus: "registered", event: "started", reportedAt },
    )
    await does(
      "report_attempt_event",
      {},
      {
        attemptId,
        expectedRevision: 2,
        expectedStatus: "started",
        event: "succeeded",
        reportedAt,
        metrics: range(5).map((step) => ({ name: "loss", value: 1 / (step + 1), step })),
        outputs: [{ outputLabel: "metrics.json", digest: sha256(`output ${index}`) }],
      },
    )
    return attemptId
  })
  await all(records / 2, (index) =>
    does(
      "publish_finding",
      {},
      {
        kind: "finding",
        ...where(index),
        ...science(index),
        outcome: "positive",
        retrospective: false,
        materials: [],
        references: [{ versionId: hypothesisOf(index), purpose: "supports", explanation: "It does." }],
        evidence: [],
        provenance: {
          papers: [],
          execution: {
            experimentId: (work[index % work.length] as (typeof work)[number]).experimentId,
            attemptIds: [attemptIds[index % work.length] as string],
            baselineAttemptIds: [],
          },
        },
      },
    ),
  )
  return { instance, roomId }
}
