/**
 * A Room in which three agents studied one question: which cheap change helps a small network on digits with few
 * labels? Two of them are ada's, one is grace's. Runs of 1,000 and 5,000 updates differ by a flag alone. Some findings
 * are corrected, some reproduced: at another commit, by an implementation of another's own, by the author alone. The
 * lease of an experiment lapses, and another agent takes it over. A conclusion rests on a table.
 */
import type { ResearchRoomClient, WriteInput } from "research-room/client"
import { makeRepositories } from "../../src/demo/repositories.ts"
import { type Ending, inhabit } from "./lab.ts"
import { type Own, startOwn, temporaryFolder } from "./service.ts"

type Metrics = NonNullable<WriteInput<"report_attempt_event">["metrics"]>
type Effect = NonNullable<WriteInput<"publish_finding">["effects"]>[number]
type Reproduction = NonNullable<WriteInput<"report_attempt_event">["reproduction"]>
export type StudyAgent = "http-agent" | "mcp-agent" | "python-agent"

export const sizes = [50, 100, 400] as const
type Size = (typeof sizes)[number]
const SEEDS = 10

/** The error without a change, by the number of labels. */
const baseline: Readonly<Record<Size, number>> = { 50: 0.21, 100: 0.14, 400: 0.07 }
/** By how much each change moves the error, by the number of updates and of labels. */
const truths: Readonly<Record<1000 | 5000, Readonly<Record<string, readonly [number, number, number]>>>> = {
  5000: {
    shift: [-0.0225, -0.0123, -0.0041],
    smoothing: [-0.0115, -0.0069, 0.0004],
    dropout: [0.0012, -0.0008, 0.0003],
    mixup: [-0.0094, -0.0052, -0.0015],
    cutout: [0.0087, 0.0041, 0.0009],
    wide: [-0.0013, 0.0002, -0.0004],
    ema: [-0.0031, -0.0026, -0.0011],
    cosine: [-0.0006, 0.0011, -0.0002],
    noise: [0.0145, 0.0108, 0.0062],
  },
  1000: { shift: [-0.0081, -0.0038, -0.001], smoothing: [-0.0049, -0.0012, 0.0006] },
}

/** A number between −1 and 1 that looks random and is the same each time. */
function jitter(...parts: readonly (string | number)[]): number {
  let hash = 2_166_136_261
  for (const character of parts.join("/")) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619)
  return (((hash >>> 8) % 20_001) - 10_000) / 10_000
}

/** What one run reports: the test error of the baseline and of some arms, at every size and for ten seeds. */
export function errors(
  run: string,
  updates: 1000 | 5000,
  arms: readonly string[],
  at: readonly Size[] = sizes,
  moves: Readonly<Record<string, number>> = {},
): Metrics {
  return ["baseline", ...arms].flatMap((arm) =>
    at.flatMap((labels) =>
      Array.from({ length: SEEDS }, (_, seed) => {
        const moved = (truths[updates][arm]?.[sizes.indexOf(labels)] ?? 0) + (moves[arm] ?? 0)
        const shared = 0.012 * jitter(run, labels, seed)
        const own = 0.004 * jitter(run, arm, labels, seed)
        const value = Number((baseline[labels] + moved + shared + own).toFixed(5))
        return { name: "error", split: "test", value, unit: "fraction", dimensions: { arm, labels, seed } }
      }),
    ),
  )
}

const SAID = { predicate: { type: "concept", key: "lowers" } } as const
const spoken = (wording: string) =>
  ({
    assertion: {
      wording,
      ...SAID,
      roles: [
        { role: "cause", definition: "What is changed.", value: { type: "text", value: "one cheap change" } },
        { role: "effect", definition: "What is measured.", value: { type: "text", value: "the test error" } },
      ],
    },
    concepts: { lowers: { label: "lowers", definition: "Makes the mean over seeds smaller." } },
    scope: "A network with one hidden layer on eight by eight digits.",
  }) satisfies Pick<WriteInput<"publish_finding">, "assertion" | "concepts" | "scope">

/** The table that the conclusion rests on. */
export const studyTable = {
  ...{ metric: "error", split: "test", by: ["arm", "labels"], over: "seed", against: "arm:baseline" },
} satisfies WriteInput<"post_research_checkpoint">["table"]

export const studyAnswer =
  "Shifting the digits by a pixel helps most at every size, by 2.4 points at 50 labels and 0.3 at 400. " +
  "Smoothing helps at 50 and 100 labels; the other changes help little or not at all."

/** Plays the study. Everything it made can be read by its label. */
export async function playStudy(service: Own, repositories: ReturnType<typeof makeRepositories>) {
  const own = await inhabit(service, ["ada", "grace"])
  const { ada, grace, reader } = own
  const { result: made } = await ada.write("create_room", {
    title: "Cheap changes for few labels",
    question: "Which cheap change helps a small network on digits with few labels?",
  })
  const { roomId, openingThreadId: threadId } = made
  await ada.write("add_member", { roomId, username: "grace" })
  const agent = (who: "ada" | "grace", label: StudyAgent) => own.client(who, roomId, { label })
  const agents = {
    "http-agent": await agent("ada", "http-agent"),
    "mcp-agent": await agent("ada", "mcp-agent"),
    "python-agent": await agent("grace", "python-agent"),
  } satisfies Record<StudyAgent, ResearchRoomClient>
  const { "http-agent": http, "mcp-agent": mcp, "python-agent": python } = agents
  const { url, commit, otherCommit } = repositories.public
  let attempts = 0
  /** The ids of what was made, by label. */
  const ids = new Map<string, string>()
  const idOf = (label: string): string => {
    const id = ids.get(label)
    if (id === undefined) throw new Error(`the study has no ${label}`)
    return id
  }

  async function propose(by: ResearchRoomClient, question: string, hypotheses: readonly string[] = []) {
    const scope = "One hidden layer, ten seeds, 50, 100 and 400 labels."
    const { result } = await by.write("propose_experiment", {
      ...{ roomId, threadId, question, scope, hypotheses: hypotheses.map(idOf) },
    })
    ids.set(result.label, result.experimentId)
    return result.label
  }
  async function take(by: ResearchRoomClient, experiment: string, leaseMinutes?: number) {
    const { affordances } = await by.read("experiment", { experimentId: idOf(experiment) })
    const lease = leaseMinutes === undefined ? {} : { leaseMinutes }
    await by.write("take_experiment", { experimentId: idOf(experiment), ...affordances.expected, ...lease })
  }
  async function tell(
    by: ResearchRoomClient,
    attempt: string,
    event: WriteInput<"report_attempt_event">["event"],
    more: Partial<WriteInput<"report_attempt_event">> = {},
  ) {
    const { affordances } = await by.read("attempt", { attemptId: idOf(attempt) })
    const reportedAt = new Date(own.instance.world.now()).toISOString()
    return by.write("report_attempt_event", {
      ...{ attemptId: idOf(attempt), event, ...affordances.expected, reportedAt, ...more },
    })
  }
  /** Registers and starts a run. Its number of updates is told by a flag alone. */
  async function start(
    by: ResearchRoomClient,
    experiment: string,
    updates: 1000 | 5000,
    more: Partial<WriteInput<"register_attempt">> = {},
  ) {
    // Ids in the order of the story, so that lists by id are the same each time.
    attempts += 1
    const attemptId = `01a1a000-0000-7000-8000-${String(attempts).padStart(12, "0")}`
    const { affordances } = await by.read("experiment", { experimentId: idOf(experiment) })
    const { result } = await by.write("register_attempt", {
      ...{ attemptId, experimentId: idOf(experiment), intent: "exploratory" as const },
      ...(more.intent === "reproduction" ? {} : affordances.expected),
      ...{ repository: { url, commit }, argv: ["python", "mlp.py", "--updates", String(updates)] },
      ...{ configuration: {}, inputs: [], ...more },
    })
    ids.set(result.label, attemptId)
    await tell(by, result.label, "started")
    return result.label
  }
  async function run(by: ResearchRoomClient, experiment: string, updates: 1000 | 5000, arms: readonly string[]) {
    const attempt = await start(by, experiment, updates)
    await tell(by, attempt, "succeeded", { metrics: errors(attempt, updates, arms) })
    return attempt
  }
  /** The effects of an arm at some sizes. */
  const effects = (
    experiment: string,
    arm: string,
    at: readonly Size[] = sizes,
    more: Partial<Effect> = {},
  ): Effect[] =>
    at.map((labels) => ({
      ...{ experimentId: idOf(experiment), metric: "error", split: "test", over: "seed" },
      ...{ of: { arm }, against: { arm: "baseline" }, where: { labels }, ...more },
    }))
  async function publish(
    by: ResearchRoomClient,
    wording: string,
    attempts: readonly [experiment: string, ...attempts: string[]],
    measured: readonly Effect[],
    outcome: WriteInput<"publish_finding">["outcome"] = "positive",
  ) {
    const [experiment, ...named] = attempts
    const execution = { experimentId: idOf(experiment), attemptIds: named.map(idOf), baselineAttemptIds: [] }
    const { result } = await by.write("publish_finding", {
      ...{ kind: "finding", roomId, threadId, ...spoken(wording), outcome, retrospective: false, evidence: [] },
      ...{ provenance: { execution, papers: [] }, materials: [], references: [], effects: [...measured] },
    })
    ids.set(result.label, result.versionId)
    return result.label
  }
  async function predict(by: ResearchRoomClient, wording: string) {
    const place = { kind: "hypothesis" as const, roomId, threadId, premises: [], references: [] }
    const { result } = await by.write("publish_hypothesis", { ...place, ...spoken(wording) })
    ids.set(result.label, result.versionId)
    return result.label
  }
  async function link(
    by: ResearchRoomClient,
    finding: string,
    experiment: string,
    hypothesis: string,
    verdict: "supports" | "contradicts" | "inconclusive",
    part?: string,
  ) {
    const explanation = "Its effects say so."
    await by.write("link_experiment_finding", {
      ...{ experimentId: idOf(experiment), findingVersionId: idOf(finding) },
      towardHypothesis: [{ versionId: idOf(hypothesis), verdict, explanation, ...(part !== undefined && { part }) }],
      towardQuestion: { verdict: "answers", explanation },
    })
  }
  /** Runs a finding again and reports the verdict that is worked out of it. */
  async function reproduce(
    by: ResearchRoomClient,
    finding: string,
    experiment: string,
    arms: readonly string[],
    effect: number,
    { metrics, ...how }: { commit?: string; metrics?: Metrics; implementation?: "same" | "changed" | "own" } = {},
  ) {
    const attempt = await start(by, experiment, 5000, {
      intent: "reproduction",
      reproduces: { findingVersionId: idOf(finding) },
      repository: { url, commit: how.commit ?? commit },
    })
    const verdict: Reproduction = {
      ...{ verdict: "inconclusive", explanation: "The service works it out." },
      ...(how.implementation !== undefined && { implementation: how.implementation }),
      repeats: { versionId: idOf(finding), effect },
    }
    await tell(by, attempt, "succeeded", { metrics: metrics ?? errors(attempt, 5000, arms), reproduction: verdict })
    return attempt
  }
  const watermark = async () => (await reader.read("thread_context", { threadId })).thread.timelineWatermark

  await python.write("post_message", {
    ...{ threadId, text: "http-agent takes the long runs, mcp-agent the short ones. Seeds 0 to 9, please." },
  })
  await predict(http, "No cheap change lowers the error by more than a point at 50 labels.")
  await predict(mcp, "Label smoothing lowers the error at every size.")
  await predict(python, "Dropout lowers the error.")
  const long = await propose(http, "Which changes lower the error after 5,000 updates?", ["H1", "H2", "H3"])
  const short = await propose(mcp, "Does it show after 1,000 updates already?", ["H2"])
  const noisy = await propose(http, "What do noisy labels cost?")
  await take(http, long)
  await take(mcp, short)
  await take(http, noisy, 30)

  const first = await run(http, long, 5000, ["shift", "smoothing"])
  const second = await run(http, long, 5000, ["dropout", "mixup", "cutout"])
  const third = await run(http, long, 5000, ["wide", "ema", "cosine"])
  const quick = await run(mcp, short, 1000, ["shift", "smoothing"])
  const silent = await start(http, noisy, 5000)
  own.pass(40 * 60_000)
  await take(python, noisy)
  const taken = await run(python, noisy, 5000, ["noise"])

  await publish(http, "Shifting by a pixel lowers the error at every size.", [long, first], effects(long, "shift"))
  const low = [50, 100] as const
  await publish(http, "Smoothing lowers the error at 50 and 100 labels.", [long, first], effects(long, "smoothing"))
  await publish(mcp, "After 1,000 updates shifting helps at 50 labels.", [short, quick], effects(short, "shift"))
  await publish(mcp, "After 1,000 updates smoothing helps too.", [short, quick], effects(short, "smoothing", low))
  await publish(http, "Dropout changes nothing.", [long, second], effects(long, "dropout"), "inconclusive")
  await publish(http, "Mixup lowers the error at 50 and 100 labels.", [long, second], effects(long, "mixup", low))
  await publish(http, "Cutout raises the error.", [long, second], effects(long, "cutout"), "negative")
  const within = { within: 0.006 }
  await publish(
    http,
    "A wider layer changes less than 0.6 points.",
    [long, third],
    effects(long, "wide", sizes, within),
    "inconclusive",
  )
  await publish(python, "Noisy labels raise the error.", [noisy, taken], effects(noisy, "noise"), "negative")
  await publish(mcp, "An average of the weights lowers the error a little.", [long, third], effects(long, "ema"))

  await link(http, "F1", long, "H1", "contradicts")
  await link(http, "F2", long, "H2", "supports", "at 50 and 100 labels")
  await link(mcp, "F4", short, "H2", "supports", "after 1,000 updates")
  await link(http, "F5", long, "H3", "contradicts")

  const atOtherCommit = await reproduce(python, "F1", long, ["shift"], 0, { commit: otherCommit })
  const ownCode = await reproduce(mcp, "F1", long, ["shift"], 0, { commit: otherCommit, implementation: "own" })
  const byAuthor = await reproduce(http, "F2", long, ["smoothing"], 0)
  const wider = await reproduce(python, "F8", long, ["wide"], 0)
  const failed = errors("again", 5000, ["mixup"], [50], { mixup: 0.016 })
  const contradicting = await reproduce(python, "F6", long, ["mixup"], 0, { metrics: failed })

  await mcp.write("assert_correction", {
    ...{ targetVersionId: idOf("F4"), changes: "meaning", explanation: "At 100 labels the interval holds zero." },
    correction: "After 1,000 updates smoothing helps at 50 labels alone.",
  })
  await mcp.write("assert_correction", {
    ...{ targetVersionId: idOf("F5"), changes: "wording", explanation: "The scope was too short." },
    correction: "Dropout changes nothing at a rate of 0.2.",
  })
  await python.write("assert_dispute", {
    ...{ targetVersionId: idOf("F7"), explanation: "Squares of two pixels are a quarter of the digit." },
  })
  await mcp.write("submit_review", {
    ...{
      target: idOf("F1"),
      verdict: "agrees",
      checked: ["numbers", "rerun"],
      explanation: "I ran it in my own code.",
    },
  })
  const read = await watermark()
  const { result: concluded } = await python.write("post_research_checkpoint", {
    ...{ threadId, expectedWatermark: read, coversThrough: read, state: "concluded" },
    synthesis: "Ten seeds an arm, pairs over seeds. Shifting was run again at another commit and in other code.",
    answer: studyAnswer,
    table: studyTable,
    conclusion: "With few labels shift the digits; smooth the labels too if there are at most 100.",
    openQuestions: ["Do shifting and smoothing add up?"],
    citations: ["F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10"].map(idOf),
  })
  return {
    ...{ own, ada, grace, agents, reader, roomId, threadId, idOf, ids },
    ...{ checkpointId: concluded.checkpointId, experiments: { long, short, noisy } },
    attempts: { first, second, third, quick, silent, taken },
    reproductions: { atOtherCommit, ownCode, byAuthor, wider, contradicting },
    /** What goes on after the conclusion is done with these. */
    goOn: { ...{ propose, take, start, tell, effects, publish, reproduce, watermark }, repository: { url, commit } },
    /** A record by its label. */
    record: (label: string) => reader.read("record", { versionId: idOf(label) }),
  }
}

export type Study = Awaited<ReturnType<typeof playStudy>>

/** Starts a service, with a clock of its own if there is one, and plays the study in it; both end with the test. */
export async function openStudy(t: Ending, clock: () => number = Date.now): Promise<Study> {
  const folder = temporaryFolder()
  const repositories = makeRepositories(folder)
  const own = await startOwn({ repositories: folder, clock })
  t.teardown(() => own.close())
  return playStudy(own, repositories)
}
