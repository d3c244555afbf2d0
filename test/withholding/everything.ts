/** One of every write in a Room's activity, with its own marker at every place that can be withheld. */
import { randomBytes } from "node:crypto"
import { RefusedError } from "research-room/client"
import type { Browser, ResearchRoom } from "research-room/testing"
import { canonicalJson, digestOf, type JsonObject, valueAt } from "../../src/contract/json.ts"
import { type CalledName, operationOf, type OperationName } from "../../src/contract/operations/index.ts"
import { pathNames } from "../../src/contract/definitions/operation.ts"
import { locationUri } from "../../src/contract/definitions/work.ts"
import { isPart, type Part, partsOf } from "../../src/contract/schema/parts.ts"
import { withholdable } from "../../src/contract/nouns/withholding.ts"
import { uploadFigure } from "../../src/contract/definitions/attachments.ts"
import { uploadLog } from "../../src/contract/definitions/attachments.ts"
import { png } from "../support/pictures.ts"
import { freshId } from "../support/bodies.ts"

/** A place that can be withheld, with `*` for names chosen by the writer. */
type Place = string

/** The outermost places of an operation's schema that accept any text, or names of the writer's own. */
export function placesInSchema(schema: object): Place[] {
  const titles = ({ pipe = [] }: Part) => pipe.map(({ title }) => title)
  const isFree = (part: Part) =>
    Object.is(part, locationUri) ||
    (part.type === "string" && titles(part).some((title) => title === "text" || title === "string"))
  const isAnyShape = ({ type, key }: Part) => type === "record" && !(isPart(key) && titles(key).includes("key"))
  const places = new Set([...partsOf(schema)].flatMap(({ part, at }) => (isFree(part) || isAnyShape(part) ? [at] : [])))
  return [...places].filter((at) => ![...places].some((outer) => at.startsWith(`${outer}/`)))
}

export interface Marked {
  readonly operation: OperationName
  readonly place: string
  readonly marker: string
}

/** Makes every write in one Room, as ada, who owns it, and as grace. */
export async function writeEverything(house: ResearchRoom, ada: Browser, grace: Browser) {
  const markers: Marked[] = []
  const newMarker = () => `mk${randomBytes(15).toString("hex")}`

  const client = { client: { name: "a", version: "a", model: "a", sessionId: "a", runId: "a" } }

  /** A body with a marker at each of its places. */
  function marked<N extends OperationName>(name: N, said: object): Record<string, unknown> {
    const operation = operationOf(name)
    const ids = pathNames(operation.path)
    const body: Record<string, unknown> = structuredClone({ ...said })
    const own = Object.fromEntries(Object.entries(body).filter(([member]) => !ids.includes(member))) as JsonObject
    for (const place of withholdable(operation, own)) {
      // A log is withheld by its digest, which no text can stand for.
      if (place.endsWith("/digest")) continue
      const value = valueAt(own, place)
      const marker = newMarker()
      const names = place
        .slice(1)
        .split("/")
        .map((each) => each.replaceAll("~1", "/").replaceAll("~0", "~"))
      const last = names.pop() ?? ""
      const holder = names.reduce<Record<string, unknown>>(
        (within, each) => within[each] as Record<string, unknown>,
        body,
      )
      holder[last] =
        typeof value === "object"
          ? last === "environment"
            ? { token: marker, [marker]: marker }
            : { seed: 1, token: marker, [marker]: [marker] }
          : last === "location" || last === "uri"
            ? `https://example.org/${marker}`
            : `${marker} and more of it`
      markers.push({ operation: name, place: place.replaceAll(/\/(?:\d+)(?=\/|$)/g, "/*"), marker })
    }
    return body
  }

  async function send<N extends OperationName>(who: Browser, name: N & CalledName, said: object, isMarked = true) {
    const operation = operationOf(name)
    const body = isMarked ? marked(name, { ...said, ...(operation.surface === "agent" && client) }) : said
    try {
      return (await who.write(name, body as never)) as unknown as {
        result: Record<string, string>
        entry: { entryId: string; sequence: number } | null
      }
    } catch (error) {
      throw error instanceof RefusedError
        ? new Error(`${name}: ${error.message} ${JSON.stringify(error.issues)}`)
        : error
    }
  }

  /** Uploads an attachment, and returns its digest. */
  async function uploaded(path: string, mediaType: string, body: Uint8Array<ArrayBuffer>): Promise<string> {
    const response = await fetch(`${house.baseUrl}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${house.credentials.owner_all.token}`, "content-type": mediaType },
      body,
    })
    return ((await response.json()) as { digest: string }).digest
  }
  const figures = [{ digest: await uploaded(uploadFigure.path, "image/png", new Uint8Array(png())), alt: "x" }]
  const session = {
    digest: await uploaded(uploadLog.path, "text/plain", new TextEncoder().encode("What the agent did.\n")),
    format: "x",
  }
  const { roomId = "", openingThreadId: threadId = "" } = (
    await send(ada, "create_room", { title: "x", question: "x" })
  ).result
  await send(ada, "amend_room", { roomId, title: "x", question: "x" })
  await send(ada, "add_member", { roomId, username: house.people.member.username })
  await send(ada, "archive_room", { roomId, reason: "x" })
  await send(ada, "restore_room", { roomId, reason: "x" })
  const where = { roomId, threadId }
  await send(grace, "create_thread", { roomId, title: "x", message: "x" })
  await send(grace, "post_message", { threadId, clientMessageId: freshId(), text: "x", figures })

  const role = (name: string, value: object) => ({ role: name, definition: "x", value })
  const science = {
    ...where,
    assertion: {
      wording: "x",
      predicate: { type: "concept", key: "lowers" },
      roles: [role("one", { type: "text", value: "x" }), role("two", { type: "decimal", value: "1.5", unit: "x" })],
    },
    concepts: { lowers: { label: "x", definition: "x" } },
    scope: "x",
  }
  const h1 = (await send(grace, "publish_hypothesis", { kind: "hypothesis", ...science, premises: [], references: [] }))
    .result.versionId
  const h2 = (
    await send(grace, "publish_hypothesis", {
      kind: "hypothesis",
      ...science,
      premises: [{ versionId: h1, explanation: "x" }],
      references: [{ versionId: h1, purpose: "supports", explanation: "x" }],
    })
  ).result.versionId
  await send(grace, "reuse_record", { threadId, versionId: h1, note: "x" })
  const claim = (
    await send(grace, "publish_cited_claim", {
      kind: "cited_claim",
      ...science,
      paper: { arxivId: "1706.03762" },
      quote: "x",
      locator: { section: "x", page: "x", figure: "x" },
      references: [{ versionId: h1, purpose: "related", explanation: "x" }],
    })
  ).result.versionId
  const material = (
    await send(grace, "register_material", {
      ...where,
      reference: `sha256:${"a".repeat(64)}`,
      name: "x",
      description: "x",
      mediaType: "x",
      location: "x",
    })
  ).result.materialId
  await send(ada, "report_material_location", { materialId: material, uri: "x", state: "available", explanation: "x" })

  const protocol = {
    summary: "x",
    steps: ["x"],
    entrypoint: { argv: ["x", "x"] },
    arms: [{ name: "x", argv: ["x"], description: "x" }],
    configuration: { seed: 1 },
    successCriteria: ["x"],
  }
  const open = { ...where, question: "x", scope: "x", hypotheses: [h1], suggestedProtocol: protocol }
  const dropped = (await send(grace, "propose_experiment", open)).result.experimentId
  const exp = (expectedRevision: number, expectedStatus: string) => ({ expectedRevision, expectedStatus })
  await send(grace, "cancel_experiment", { experimentId: dropped, ...exp(1, "open"), reason: "x" })
  const experimentId = (await send(grace, "propose_experiment", open)).result.experimentId
  await send(grace, "amend_experiment", {
    experimentId,
    ...exp(1, "open"),
    question: "x",
    scope: "x",
    suggestedProtocol: protocol,
    explanation: "x",
  })
  await send(grace, "take_experiment", { experimentId, ...exp(2, "open") })
  await send(grace, "release_experiment", { experimentId, ...exp(3, "claimed"), handoff: "x" })
  await send(grace, "take_experiment", { experimentId, ...exp(4, "open") })
  const { url, commit } = house.repositories.public
  const repository = { url, commit }
  const planId = (
    await send(grace, "accept_plan", {
      experimentId,
      ...exp(5, "claimed"),
      repository,
      hypotheses: [h1],
      premises: [{ versionId: h1, explanation: "x" }],
      protocol,
      intent: "confirmatory",
      requiredMaterials: [{ materialId: material, purpose: "x" }],
    })
  ).result.planId
  const run = {
    experimentId,
    repository,
    argv: ["x", "x"],
    configuration: { seed: 1 },
    environment: { python: "x" },
    inputs: [{ materialId: material, name: "x" }],
  }
  const attempt = async (more: object) => {
    const attemptId = freshId()
    await send(grace, "register_attempt", { ...run, attemptId, intendedDeviation: "x", ...more })
    return attemptId
  }
  const tell = (attemptId: string, revision: number, status: string, event: string, more: object = {}) =>
    send(grace, "report_attempt_event", {
      attemptId,
      ...exp(revision, status),
      event,
      reportedAt: new Date(Date.now() - 5_000).toISOString(),
      message: "x",
      ...more,
    })
  const output = { outputLabel: "x", digest: `sha256:${"b".repeat(64)}`, mediaType: "x", description: "x" }
  const metrics = [
    { name: "x", value: 1.5, unit: "x", step: 1, split: "x", dimensions: { arm: "x" } },
    { name: "x", value: "NaN", split: "x" },
  ]
  const planned = await attempt({ intent: "planned", planId, ...exp(6, "claimed") })
  await tell(planned, 1, "registered", "started")
  await tell(planned, 2, "started", "progress", { metrics, session })
  await tell(planned, 3, "started", "succeeded", { metrics, outputs: [output], exitCode: 0, figures })
  const failed = await attempt({ intent: "exploratory", ...exp(6, "claimed") })
  await tell(failed, 1, "registered", "started")
  await tell(failed, 2, "started", "failed", { failure: { stage: "x", explanation: "x" } })
  const again = await attempt({ intent: "reproduction", reproduces: { attemptId: planned } })
  await tell(again, 1, "registered", "started")
  await tell(again, 2, "started", "succeeded", { reproduction: { verdict: "reproduces", explanation: "x" } })

  const digest = `sha256:${"b".repeat(64)}`
  const finding = (
    await send(grace, "publish_finding", {
      kind: "finding",
      ...science,
      outcome: "negative",
      retrospective: false,
      evidence: [
        { kind: "attempt_output", attemptId: planned, outputLabel: "x", digest, explanation: "x" },
        { kind: "attempt_outcome", attemptId: failed, explanation: "x" },
        { kind: "material", materialId: material, explanation: "x" },
        { kind: "record", versionId: h1, explanation: "x" },
        { kind: "paper", arxivId: "1706.03762", locator: { section: "x", page: "x", figure: "x" }, quote: "x" },
      ],
      provenance: {
        execution: { experimentId, planId, attemptIds: [planned, again], baselineAttemptIds: [failed] },
        papers: ["x"],
      },
      materials: [{ materialId: material, purpose: "x" }],
      references: [{ versionId: h1, purpose: "supports", explanation: "x" }],
      limitations: "x",
      figures,
    })
  ).result.versionId
  const linkId = (
    await send(ada, "link_experiment_finding", {
      experimentId,
      findingVersionId: finding,
      attemptId: planned,
      towardHypothesis: [{ versionId: h1, verdict: "contradicts", explanation: "x" }],
      towardQuestion: { verdict: "answers", explanation: "x" },
    })
  ).result.linkId
  await send(ada, "assert_correction", { targetVersionId: finding, explanation: "x", correction: "x" })
  await send(ada, "assert_dispute", { targetVersionId: h1, explanation: "x", evidence: [finding] })
  await send(ada, "assert_supersession", { targetVersionId: h2, explanation: "x", replacementVersionId: h1 })
  await send(grace, "assert_retraction", { targetVersionId: claim, explanation: "x" })
  await send(ada, "withdraw_link", { linkId, explanation: "x" })
  const { claimId } = (await send(ada, "claim_work", { object: experimentId, what: "run", minutes: 30, note: "x" }))
    .result
  await send(ada, "release_claim", { claimId })
  await send(ada, "claim_work", { object: h1, what: "review", minutes: 30, note: "x", for: "x" })
  const { timelineWatermark } = (await grace.read("thread_research_context", { threadId })) as {
    timelineWatermark: number
  }
  const { checkpointId } = (
    await send(ada, "post_research_checkpoint", {
      threadId,
      expectedWatermark: timelineWatermark,
      coversThrough: timelineWatermark,
      state: "concluded",
      synthesis: "x",
      openQuestions: ["x"],
      conclusion: "x",
      citations: [h1],
      figures,
    })
  ).result
  await send(ada, "submit_review", { target: finding, verdict: "objects", checked: ["wording"], explanation: "x" })
  await send(grace, "submit_review", { target: checkpointId, verdict: "agrees", checked: [], explanation: "x" })
  const { client: opener, ...opening } = marked("open_plan", { protocol, salt: "0".repeat(32), ...client })
  const sealed = {
    digest: digestOf(canonicalJson(opening as JsonObject)),
    opensAt: new Date(Date.now() + 86_400_000).toISOString(),
  }
  const { planId: sealedId } = (
    await send(grace, "accept_plan", {
      ...{
        experimentId,
        ...exp(6, "claimed"),
        repository,
        hypotheses: [],
        premises: [],
        intent: "exploratory",
        requiredMaterials: [],
        sealed,
      },
    })
  ).result
  await send(grace, "open_plan", { planId: sealedId, ...opening, client: opener }, false)
  await send(grace, "declare_board", {
    ...{
      ...where,
      title: "x",
      metric: "x",
      split: "x",
      direction: "lower",
      by: ["arm"],
      over: "seed",
      where: { size: "x" },
    },
    ...{ baseline: { arm: "x" }, evaluator: { repository, argv: ["x"] }, data: [digest] },
  })
  await send(grace, "report_experiment_status", {
    experimentId,
    ...exp(7, "claimed"),
    status: "completed",
    summary: "x",
  })
  const { entry } = await send(grace, "post_message", { threadId, clientMessageId: freshId(), text: "x" })
  const { owner, member } = house.people
  await send(ada, "transfer_room", { roomId, userId: member.userId, reason: "x" })
  await send(grace, "transfer_room", { roomId, userId: owner.userId, reason: "x" })
  await send(ada, "withhold_content", {
    roomId,
    of: { entryId: entry?.entryId },
    fields: ["/text"],
    reason: "other",
    explanation: "x",
  })
  return {
    roomId,
    threadId,
    experimentId,
    planId,
    material,
    finding,
    h1,
    linkId,
    planned,
    failed,
    checkpointId,
    markers,
  }
}
