/**
 * Every number in the demo's main Room is in the metrics of the attempts that the sentence is about, or can be
 * recomputed from them.
 */
import { startResearchRoom } from "research-room/testing"
import { textOf } from "research-room/client"
import t from "tap"
import { digestOf } from "../../../src/contract/json.ts"
import { tasks } from "../../demo/problems.ts"
import { type Settings, simulate } from "../../demo/simulation.ts"
import { explains, numbersIn, type Run, runsOf, type Sentence, setUp } from "./demo-numbers.ts"

const demo = await startResearchRoom({ deterministic: true })
t.teardown(() => demo.close())
const reader = demo.client("main_member_all", { retries: 0 })
const { roomId } = demo.rooms.main

const context = await reader.read("room_context", { roomId })
const runs = await runsOf(reader, roomId)
const byLabel = new Map(runs.map((run) => [run.label, run]))
const named = (labels: readonly string[]): Run[] => [...new Set(labels)].flatMap((label) => byLabel.get(label) ?? [])
/** The attempts behind each record, and its wording. */
const behind = new Map<string, readonly string[]>()
const wordings = new Map<string, string>()
/** The numbers that records state as margins and bounds. */
const given = new Set<string>()
const sentences: Sentence[] = []

/**
 * The attempts that a text is about: those it names, and those of the records and experiments that it or `records`
 * names.
 */
function spokenOf(text: string, records: readonly string[] = []): Run[] {
  const labels = [...(text.match(/\b[AFE]\d+\b/g) ?? []), ...records]
  const ofExperiment = (label: string) =>
    runs.filter(({ experimentId }) =>
      context.experiments.some((each) => each.experimentId === experimentId && each.label === label),
    )
  return named(
    labels.flatMap((label) => [label, ...(behind.get(label) ?? []), ...ofExperiment(label).map((run) => run.label)]),
  )
}
const says = (where: string, told: Parameters<typeof textOf>[0], records: readonly string[] = [], about = ""): void => {
  const text = textOf(told)
  if (text)
    sentences.push({
      where,
      text,
      about: `${about} ${records.map((label) => wordings.get(label)).join(" ")}`,
      runs: spokenOf(text, records),
    })
}

interface Content {
  readonly scope: string
  readonly limitations?: string
  readonly assertion: {
    readonly wording: string
    readonly roles: readonly { value: { type: string; value: string } }[]
  }
  readonly references: readonly { explanation: string }[]
  readonly premises?: readonly { explanation: string }[]
}
/** The context lists hypotheses separately. */
const published = [...context.hypotheses, ...context.publications]
for (const { versionId, label, kind } of published) {
  const record = await reader.read("record", { versionId })
  const { assertion, limitations, references, premises = [], scope } = record.content as unknown as Content
  // A correction is about the record too: it explains where a wrong number came from.
  wordings.set(label, [assertion.wording, ...record.notices.map(({ explanation }) => explanation)].join(" "))
  behind.set(
    label,
    ((record.execution as { attempts: readonly { label: string }[] } | null)?.attempts ?? []).map(
      (attempt) => attempt.label,
    ),
  )
  says(label, assertion.wording, [label])
  for (const { value } of assertion.roles) {
    if (value.type === "decimal" && kind === "hypothesis") given.add(value.value)
    else if (value.type === "decimal" || value.type === "text") says(`${label}, a role`, value.value, [label])
  }
  for (const text of [scope, limitations, ...[...references, ...premises].map(({ explanation }) => explanation)])
    says(label, text, [label])
}
for (const { finding, towardHypothesis, towardQuestion } of context.findingLinks)
  for (const { explanation } of [...towardHypothesis, towardQuestion])
    says(`${finding.label}, a verdict`, explanation, [finding.label])
for (const { threadId, title } of context.threads) {
  says("a title", title)
  for await (const entry of reader.items("thread_timeline", { threadId }))
    if (entry.message) says(`a message in ${textOf(title)}`, entry.message.text)
}
for (const { synthesis, conclusion, answer, openQuestions, citations } of await Promise.all(
  [...context.conclusions, ...context.syntheses].map(({ checkpointId }) => reader.read("checkpoint", { checkpointId })),
))
  for (const text of [synthesis, conclusion, answer, ...openQuestions])
    says(
      "a checkpoint",
      text,
      citations.map(({ label }) => label),
    )
for await (const link of reader.items("room_links", { roomId })) {
  const { correction, explanation } = link.content as { correction?: string; explanation: string }
  for (const text of [correction, explanation, link.withdrawn?.explanation])
    says(link.label, text, [link.target.label], explanation)
}
for (const { attemptId, label } of runs) {
  const attempt = await reader.read("attempt", { attemptId })
  const reproduced =
    attempt.reproduces !== null && "attemptId" in attempt.reproduces ? attempt.reproduces.attemptId : null
  const both = [label, ...runs.filter((run) => run.attemptId === reproduced).map((run) => run.label)]
  for (const text of [
    attempt.intendedDeviation,
    attempt.reproduction?.explanation,
    ...attempt.events.map(({ failure }) => failure?.explanation),
  ])
    says(label, text, both)
}
for (const { experimentId, label } of context.experiments)
  for await (const { content } of reader.items("experiment_history", { experimentId })) {
    const { question, scope, explanation, reason, summary, handoff, protocol } = content as Record<string, string> & {
      protocol?: { summary: string; successCriteria: string[] }
    }
    for (const text of [
      question,
      scope,
      explanation,
      reason,
      summary,
      handoff,
      protocol?.summary,
      ...(protocol?.successCriteria ?? []),
    ])
      says(label, text, [label])
  }
// A planned size that was never run and the exit code of a killed run appear only in the words of plans and events.
const everything = setUp(runs)
for (const { wording } of context.hypotheses)
  for (const size of textOf(wording)
    .match(/groups of (\d+)/)
    ?.slice(1) ?? [])
    everything.add(size)

t.test("each number in each sentence can be found or recomputed", (t) => {
  let checked = 0
  for (const sentence of sentences) {
    const isKnown = explains(sentence, given, everything)
    for (const number of numbersIn(sentence.text)) {
      checked += 1
      if (!isKnown(number))
        t.fail(`${sentence.where}: ${number} in "${sentence.text}", beside ${sentence.runs.map(({ label }) => label)}`)
    }
  }
  t.ok(checked > 150, `${checked} numbers in ${sentences.length} sentences`)
  t.end()
})

t.test("most numbers that are slightly wrong would be noticed", (t) => {
  let moved = 0
  let missed = 0
  for (const sentence of sentences) {
    const isKnown = explains(sentence, given, everything)
    for (const number of numbersIn(sentence.text).filter((each) => /^\d+\.\d{3}$/.test(each)))
      for (const by of [-0.011, 0.007, 0.09]) {
        moved += 1
        if (isKnown((Number(number) + by).toFixed(3))) missed += 1
      }
  }
  t.ok(moved > 100, `${moved} altered numbers`)
  t.ok(missed < moved / 6, `${missed} of them would pass unnoticed`)
  t.end()
})

t.test("the service itself finds each number of each finding and conclusion, in every Room", async (t) => {
  let numbers = 0
  const { items } = await reader.read("rooms", {})
  for (const { roomId: room, title } of items) {
    const { publications, conclusions, syntheses } = await reader.read("room_context", { roomId: room })
    const checks = [
      ...publications
        .filter(({ kind }) => kind === "finding")
        .map(async ({ versionId, label }) => {
          const { numbersCheck } = await reader.read("record", { versionId })
          return { where: label, numbersCheck }
        }),
      ...[...conclusions, ...syntheses].map(async ({ checkpointId }) => {
        const { numbersCheck } = await reader.read("checkpoint", { checkpointId })
        return { where: "a checkpoint", numbersCheck }
      }),
    ]
    for (const { where, numbersCheck } of await Promise.all(checks)) {
      numbers += numbersCheck?.numbers ?? 0
      t.match(numbersCheck, { unknown: 0, mayBe: 0, unread: 0, unresolved: [] }, `${textOf(title)}, ${where}`)
    }
  }
  t.ok(numbers > 60, `${numbers} numbers`)
})

/** Runs the toy simulation with the flags of a command line. */
const toyOf = (flags: readonly string[]) =>
  simulate(
    Object.fromEntries(
      flags.flatMap((flag, at) => (flag.startsWith("--") ? [[flag.slice(2), Number(flags[at + 1])]] : [])),
    ),
  )

t.test("each run of the toy, repeated with its own command line, measures what was reported", async (t) => {
  const made = runs.filter(({ argv }) => argv[1] === "toy.js")
  t.ok(made.length > 30, `${made.length} runs`)
  for (const { attemptId, label, argv, points } of made) {
    const { points: again } = toyOf(argv)
    const row = ({ name, split, step, value }: Omit<Run["points"][number], "place">) =>
      `${step} ${split} ${name} ${value}`
    const curve = points.filter(({ step }) => step !== null)
    t.strictSame(curve.map(row).sort(), again.map(row).sort(), label)
    const { outputs } = await reader.read("attempt", { attemptId })
    for (const { outputLabel, digest } of outputs)
      if (textOf(outputLabel) === "metrics.json") t.equal(digest, digestOf(JSON.stringify(again)), label)
  }
  const materials = await reader.read("room_materials", { roomId })
  t.ok(
    materials.items.some(({ reference }) => reference === digestOf(JSON.stringify(tasks))),
    "the problems are those of the toy",
  )
})

/** What a run of the toy has at a step of its curve, or at its end. */
function heldOut(argv: readonly string[], name: string, step?: number): number {
  const points = toyOf(argv).points.filter((point) => point.split === "held-out" && point.name === name)
  return Number((step === undefined ? points.at(-1) : points.find((point) => point.step === step))?.value)
}

t.test("each value by arm and seed is what its run has at that moment", (t) => {
  const untrained = ["node", "toy.js", "--steps", "0"]
  let checked = 0
  for (const { label, argv, points } of runs.filter((run) => run.argv[1] === "toy.js"))
    for (const { name, value, place } of points) {
      if (place === null) continue
      checked += 1
      const seed = argv.includes("--seed") ? Number(argv[argv.indexOf("--seed") + 1]) : 1
      t.equal(place.seed, seed, `${label}, its seed`)
      const metric = name.replace("held-out ", "")
      const lost = () => heldOut(argv, "pass@64", 160) - heldOut(argv, "pass@64")
      const own =
        name === "lost after step 160"
          ? Number(lost().toFixed(4))
          : place.arm === "base policy"
            ? heldOut(untrained, metric)
            : place.arm === "GRPO to step 80"
              ? heldOut(argv, metric, 80)
              : place.arm === "80 shown"
                ? heldOut(argv, metric, 0)
                : heldOut(argv, metric)
      t.equal(value, own, `${label}, ${name} of ${place.arm}`)
    }
  t.ok(checked > 150, `${checked} values`)
  t.end()
})

t.test("each finding rests on a measured effect, and each checkpoint has an answer and a table", async (t) => {
  const findings = context.publications.filter(({ kind }) => kind === "finding")
  t.equal(findings.length, 10)
  for (const { versionId, label } of findings) {
    const { effects } = await reader.read("record", { versionId })
    t.ok(effects.length > 0, label)
    t.ok(
      effects.every(({ estimate, isStale }) => estimate !== null && !isStale),
      `${label}: the figures hold`,
    )
  }
  const checkpoints = [...context.conclusions, ...context.syntheses]
  t.equal(checkpoints.length, 3)
  for (const { checkpointId } of checkpoints) {
    const { answer, table } = await reader.read("checkpoint", { checkpointId })
    t.ok(answer, "its answer")
    t.ok(table !== null && table.groups.length > 3 && table.moved.length === 0, "its table, of which nothing moved")
  }
})

t.test("and so does each arm in the Room of numbers, at each seed", async (t) => {
  const arms: Record<string, Partial<Settings>> = {
    plain: {},
    penalty: { kl: 0.2 },
    early: { steps: 120 },
    "groups of 10": { group: 10 },
  }
  const { items } = await reader.read("rooms", {})
  const numbers = items.find(({ title }) => textOf(title) === "By how much, and how sure?")
  let checked = 0
  for await (const { attemptId } of reader.items("attempts", { roomId: numbers?.roomId ?? "" })) {
    const { columns } = await reader.read("attempt_metrics", { attemptId })
    for (const [at, value] of columns.value.entries()) {
      const { arm = "", seed } = columns.dimensions[at] as { arm?: string; seed: number }
      const { points } = simulate({ ...arms[arm], seed })
      t.equal(
        value,
        points.findLast(({ name, split }) => name === "pass@64" && split === "held-out")?.value,
        `${arm}, seed ${seed}`,
      )
      checked += 1
    }
  }
  t.equal(checked, 52)
})
