/**
 * The numbers that the demo's sentences may contain: read over HTTP from the attempts that a sentence names, and
 * recomputed.
 */
import { type ResearchRoomClient, textOf } from "research-room/client"
import { PROBLEMS, SAMPLES, WAYS } from "../../demo/problems.ts"
import { defaults } from "../../demo/simulation.ts"

interface Point {
  readonly name: string
  readonly split: string | null
  readonly step: number | null
  readonly value: number | string
  /** The arm and the seed of a value that is no point of a curve. */
  readonly place: { readonly arm: string; readonly seed: number } | null
}
export interface Run {
  readonly attemptId: string
  readonly label: string
  readonly experimentId: string
  readonly intent: string
  readonly argv: readonly string[]
  readonly points: readonly Point[]
}
/** A sentence, the labels and wordings that say what it is about, and the attempts that its object rests on. */
export interface Sentence {
  readonly where: string
  readonly text: string
  readonly about: string
  readonly runs: readonly Run[]
}

/** Reads every attempt of a Room with all its points. */
export async function runsOf(reader: ResearchRoomClient, roomId: string): Promise<Run[]> {
  const runs: Run[] = []
  for await (const { attemptId } of reader.items("attempts", { roomId })) {
    const { label, experimentId, intent, argv } = await reader.read("attempt", { attemptId })
    const points: Point[] = []
    let after: number | undefined
    for (;;) {
      const page = await reader.read("attempt_metrics", { attemptId, ...(after !== undefined && { after }) } as never)
      const { metric: name, split, step, value } = page.columns
      name.forEach((each, at) => {
        points.push({
          name: textOf(each),
          split: textOf(split[at]) ?? null,
          step: step[at] ?? null,
          value: value[at] as number | string,
          place: page.columns.dimensions[at] as Point["place"],
        })
      })
      if (!page.hasMore) break
      after = Number(page.nextCursor)
    }
    runs.push({ attemptId, label, experimentId, intent, argv: argv.map((each) => textOf(each)), points })
  }
  return runs
}

/** A run's arm: its command line without the seed. */
const armOf = ({ argv }: Run) => argv.filter((_, at) => argv[at] !== "--seed" && argv[at - 1] !== "--seed").join(" ")
const three = (value: number) => value.toFixed(3)

/**
 * The numbers with three decimals that can be computed from these runs, at the steps and for the splits that a text
 * names.
 */
function computed(runs: readonly Run[], text: string): Set<string> {
  const steps = new Set(Array.from(text.matchAll(/\bsteps? (\d+)/g), ([, step]) => Number(step)))
  const splits = /\btrain\b/.test(text) ? ["held-out", "train"] : ["held-out"]
  const found = new Set<string>()
  const groups = [
    runs,
    ...Map.groupBy(runs, armOf).values(),
    ...Map.groupBy(runs, (run) => `${run.intent} ${armOf(run)}`).values(),
    ...Map.groupBy(runs, ({ experimentId }) => experimentId).values(),
  ]
  for (const split of splits)
    for (const name of ["pass@1", "pass@64"]) {
      const means: number[] = []
      for (const group of [...groups, ...runs.map((run) => [run])]) {
        const at = (run: Run, step: number | "last") => {
          const of = run.points.filter(
            (point) => point.name === name && point.split === split && typeof point.value === "number",
          )
          return (step === "last" ? of.at(-1) : of.find((point) => point.step === step))?.value as number | undefined
        }
        for (const step of ["last" as const, 0, ...steps]) {
          const values = group.map((run) => at(run, step)).filter((value) => value !== undefined)
          if (values.length === 0 || values.length < group.length) continue
          const mean = values.reduce((sum, value) => sum + value, 0) / values.length
          found.add(three(mean))
          means.push(mean)
        }
      }
      means.forEach((one, at) => {
        for (const [beside, other] of means.entries()) if (at !== beside && one >= other) found.add(three(one - other))
      })
    }
  return found
}

/** Numbers from the set-up itself: command lines, the program's settings, memory, steps, and counts of runs. */
export function setUp(runs: readonly Run[]): Set<string> {
  const of = new Set<string>([WAYS, PROBLEMS, SAMPLES, ...Object.values(defaults)].map(String))
  for (const { argv, points } of runs) {
    for (const word of argv) if (/^[\d.]+$/.test(word)) of.add(word)
    for (const { name, step, value } of points) {
      if (value === "NaN" && step !== null) of.add(String(step))
      if (name.startsWith("memory")) of.add(String(value))
      const steps = points.at(-1)?.step ?? 0
      if (steps > defaults.steps) of.add(String(steps / defaults.steps))
      if (step !== null && typeof value === "number") of.add(String(step))
    }
  }
  for (const group of [runs, ...Map.groupBy(runs, ({ experimentId }) => experimentId).values()])
    of.add(String(group.length))
  return of
}

/** The numbers in a text, without formulas, labels and the k of pass@k. */
export const numbersIn = (text: string): string[] =>
  text
    .replace(/\$\$?[^$]*\$\$?/g, " ")
    .replace(/`[^`]*`/g, (code) => code.replace(/--/g, " "))
    .replace(/pass@\d+/g, " ")
    .replace(/\b[AFHECLPM]\d+\b/g, " ")
    .match(/\d+(?:\.\d+)?/g) ?? []

/**
 * Whether a number in a sentence can be found in, or recomputed from, the runs it is about. `given` are numbers stated
 * by predictions.
 */
export function explains(
  { text, about, runs }: Sentence,
  given: ReadonlySet<string>,
  everything: ReadonlySet<string>,
): (number: string) => boolean {
  const known = computed(runs, `${text} ${about}`)
  return (number) => (/^\d+\.\d{3}$/.test(number) ? known.has(number) : given.has(number) || everything.has(number))
}
