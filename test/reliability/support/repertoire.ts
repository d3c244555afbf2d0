/**
 * Writes of a Room's members: discussion, records, and assertions about records. Work and the Library have files of
 * their own.
 */
import { randomBytes, randomUUID } from "node:crypto"
import { action, hypothesis, message, thread } from "../../support/bodies.ts"
import type { Chance } from "./chance.ts"
import type { Agent, Ground } from "./ground.ts"
import type { Thought } from "./journal.ts"
import type { Shelf } from "./shelf.ts"

export interface Scene {
  readonly agent: Agent
  readonly shelf: Shelf
  readonly chance: Chance
  readonly roomId: string
  readonly repository: Ground["repository"]
}

/** Makes a write; undefined if there is no object for it yet. */
export type Kind = (scene: Scene) => Thought | undefined

const lorem = "The loss at step one thousand fell with a longer ramp, and the spread over seeds fell with it. "
/** Text of a few words up to some pages: small writes share pages of the log, large ones fill many. */
export const words = (chance: Chance): string =>
  lorem.repeat(chance.oneIn(12) ? chance.between(20, 120) : chance.between(1, 6))

/** Any Thread the agent may write in. */
export const someThread = ({ agent, shelf, chance }: Scene): string =>
  chance.of(agent.threadIds ?? shelf.threads()) as string

const common = () => ({ schemaVersion: 3, requestId: randomUUID() })
const digest = () => `sha256:${randomBytes(32).toString("hex")}`

const postMessage: Kind = (scene) => {
  const threadId = someThread(scene)
  const reply = scene.chance.oneIn(4) ? scene.chance.of(scene.shelf.entries(threadId)) : undefined
  return {
    name: "post_message",
    params: { threadId },
    body: message(words(scene.chance), reply === undefined ? {} : { replyToEntryId: reply }),
  }
}

const createThread: Kind = ({ agent, chance, roomId }) => {
  if (agent.threadIds !== null) return undefined
  return { name: "create_thread", body: thread(roomId, chance.oneIn(2) ? { message: words(chance) } : {}) }
}

const publishHypothesis: Kind = (scene) => {
  const premise = scene.chance.oneIn(3) ? scene.chance.of(scene.shelf.records("hypothesis")) : undefined
  const premises = premise === undefined ? [] : [{ versionId: premise.versionId, explanation: "It rests on this." }]
  return {
    name: "publish_hypothesis",
    body: action({ ...hypothesis({ roomId: scene.roomId, threadId: someThread(scene) }), premises }),
  }
}

/** The members that the two other records share with a hypothesis. */
function asserted(scene: Scene) {
  const {
    premises: _premises,
    kind: _kind,
    ...rest
  } = action(hypothesis({ roomId: scene.roomId, threadId: someThread(scene) }))
  const cited = scene.chance.of(scene.shelf.records())
  const references =
    cited === undefined
      ? []
      : [{ versionId: cited.versionId, purpose: "related", explanation: "It speaks of the same." }]
  return { ...rest, references }
}

const publishFinding: Kind = (scene) => {
  const material = scene.chance.of(scene.shelf.materials)
  return {
    name: "publish_finding",
    body: {
      ...asserted(scene),
      kind: "finding",
      outcome: "positive",
      retrospective: true,
      evidence: [],
      provenance: { papers: ["Read in the group's notes."] },
      materials: material === undefined ? [] : [{ materialId: material.materialId, purpose: "What was measured." }],
      limitations: words(scene.chance).slice(0, 4_000),
    },
  }
}

const publishCitedClaim: Kind = (scene) => ({
  name: "publish_cited_claim",
  body: {
    ...asserted(scene),
    kind: "cited_claim",
    paper: { arxivId: "1706.03762", version: 7 },
    quote: "We varied the learning rate over the course of training.",
    locator: { section: "5.3" },
  },
})

const registerMaterial: Kind = (scene) => ({
  name: "register_material",
  body: {
    ...common(),
    roomId: scene.roomId,
    threadId: someThread(scene),
    reference: digest(),
    name: "Token counts",
    valuesDigest: digest(),
  },
})

const reportMaterialLocation: Kind = ({ shelf, chance }) => {
  const material = chance.of(shelf.materials)
  const report = {
    uri: "https://example.org/token-counts.json",
    state: chance.of(["available", "restricted", "unavailable"]),
  }
  return (
    material && { name: "report_material_location", body: { ...common(), materialId: material.materialId, ...report } }
  )
}

/** Now and then the same assertion about the same record, which is refused. */
const assertCorrection: Kind = ({ shelf, chance }) => {
  const same = chance.oneIn(3)
  const record = chance.of(same ? shelf.records().slice(-2) : shelf.records())
  const explanation = same ? "The unit was mistaken." : `The unit was mistaken in line ${chance.between(1, 9_999)}.`
  const body = {
    ...common(),
    targetVersionId: record?.versionId,
    explanation,
    correction: "Read nats where it says bits.",
  }
  return record && { name: "assert_correction", body }
}

const reuseRecord: Kind = (scene) => {
  const record = scene.chance.of(scene.shelf.records())
  return (
    record && {
      name: "reuse_record",
      params: { threadId: someThread(scene) },
      body: { ...common(), versionId: record.versionId },
    }
  )
}

/** Guarded by the Thread's watermark, which others move all the time. */
const postCheckpoint: Kind = (scene) => {
  const threadId = someThread(scene)
  const watermark = scene.shelf.watermarks.get(threadId)
  if (watermark === undefined) return undefined
  const said = {
    state: "open",
    synthesis: words(scene.chance),
    openQuestions: ["Does it hold with clipping?"],
    citations: [],
  }
  return {
    name: "post_research_checkpoint",
    body: { ...common(), threadId, expectedWatermark: watermark, coversThrough: watermark, ...said },
  }
}

/** Each kind with its weight. */
export const inRooms: readonly (readonly [Kind, number])[] = [
  [postMessage, 10],
  [createThread, 2],
  [publishHypothesis, 5],
  [publishFinding, 4],
  [publishCitedClaim, 2],
  [registerMaterial, 3],
  [reportMaterialLocation, 2],
  [assertCorrection, 2],
  [reuseRecord, 2],
  [postCheckpoint, 2],
]
