/**
 * Statements about a Room whose numbers are known, in many forms: right ones, and the same with a digit, a sign, a
 * unit, an arm, a metric, a seed or a label altered. They are the same each time.
 */
import { limits } from "../../../src/contract/limits.ts"
import { chanceOf, type MeasuredRoom, meanOf, type Run, sdOf, type Trial } from "./measured-room.ts"

export const alterations = ["digit", "sign", "unit", "arm", "metric", "seed", "label"] as const
export type Alteration = (typeof alterations)[number]

export interface Statement {
  readonly text: string
  /** The number that is judged, as it stands in the text. */
  readonly number: string
  readonly altered: Alteration | null
  /** The finding or attempts that the statement belongs to. */
  readonly versionId?: string
  readonly attemptIds?: readonly string[]
  /** Where a right number belongs. */
  readonly place: {
    readonly kind: string
    readonly label: string | null
    readonly metric?: string
    readonly arm?: string
  }
}

type Name = "error" | "loss" | "latency"

/** A claim before it is put into words. */
interface Claim {
  readonly trial: Trial
  readonly metric: Name
  readonly arm: string
  readonly other: string
  readonly run: Run
  readonly seed: number
  readonly label: string
}
/** A form of words. `write` puts a claim into words with a number as it is printed. */
interface Form {
  readonly kind: "mean" | "metric" | "effect" | "count" | "setting"
  readonly may: readonly Alteration[]
  value(claim: Claim): number
  print(value: number, claim: Claim): string
  write(number: string, claim: Claim): string
  readonly owns?: "finding" | "attempts"
  label(claim: Claim): string | null
}

const valuesOf = ({ trial, metric, arm }: Pick<Claim, "trial" | "metric" | "arm">): number[] =>
  trial.runs.filter((run) => run.arm === arm).map(({ values }) => values[metric] ?? Number.NaN)
const mean = (claim: Claim): number => meanOf(valuesOf(claim))
const difference = (claim: Claim): number => mean(claim) - mean({ ...claim, arm: claim.other })
const own = ({ run, metric }: Claim): number => run.values[metric] ?? Number.NaN
const experiment = ({ trial }: Claim): string => trial.label
const attempt = ({ run }: Claim): string => run.label

const digitsOf: Readonly<Record<Name, number>> = { error: 4, loss: 3, latency: 2 }
const plain = (value: number, { metric }: Claim): string =>
  value.toFixed(digitsOf[metric]) + (metric === "latency" ? " ms" : "")
const signed = (value: number, claim: Claim): string => `${value < 0 ? "−" : "+"}${plain(Math.abs(value), claim)}`
const inPercent = (value: number, claim: Claim): string =>
  claim.metric === "error" ? `${(100 * value).toFixed(2)} %` : plain(value, claim)

const ALL: readonly Alteration[] = ["digit", "unit", "arm", "metric", "label"]
const forms: readonly Form[] = [
  {
    kind: "mean",
    may: ALL,
    value: mean,
    print: plain,
    label: experiment,
    write: (number, { trial, metric, arm }) => `In ${trial.label}, ${arm} reached a mean ${metric} of ${number}.`,
  },
  {
    kind: "mean",
    may: ALL,
    value: mean,
    print: inPercent,
    label: experiment,
    write: (number, { trial, metric, arm }) => `The ${metric} of ${arm} was ${number} on average (${trial.label}).`,
  },
  {
    kind: "mean",
    may: ["digit", "arm", "metric"],
    value: mean,
    print: plain,
    label: () => null,
    owns: "attempts",
    write: (number, { metric, arm, trial }) =>
      `With ${arm}, the mean ${metric} over ${trial.runs.length / trial.arms.length} seeds is ${number}.`,
  },
  {
    kind: "mean",
    may: ALL,
    value: mean,
    label: experiment,
    print: (value, claim) => plain(value, claim),
    write: (number, claim) =>
      `${claim.trial.label}: ${claim.metric} ${number} ± ` +
      `${sdOf(valuesOf(claim)).toFixed(digitsOf[claim.metric])} with ${claim.arm}.`,
  },
  {
    kind: "mean",
    may: ALL,
    value: mean,
    print: plain,
    label: experiment,
    write: (number, claim) => {
      const { trial, metric, arm, other } = claim
      const beside = plain(mean({ ...claim, arm: other }), claim)
      return `${trial.label} compared two arms. The ${metric} was ${beside} for ${other} and ${number} for ${arm}.`
    },
  },
  {
    kind: "mean",
    may: ["digit", "arm"],
    value: mean,
    print: plain,
    label: experiment,
    write: (number, claim) => {
      const { trial, metric, arm, other } = claim
      const beside = plain(mean({ ...claim, arm: other }), claim)
      return `${arm} and ${other} had a ${metric} of ${number} and ${beside} in ${trial.label}.`
    },
  },
  {
    kind: "metric",
    may: ["digit", "unit", "metric", "label"],
    value: own,
    print: plain,
    label: attempt,
    write: (number, { label, metric }) => `${label} ended with ${metric} ${number}.`,
  },
  {
    kind: "metric",
    may: ["digit", "metric", "label"],
    value: own,
    print: inPercent,
    label: attempt,
    write: (number, { label, metric, arm }) => `The ${metric} of ${label} (${arm}) is ${number}.`,
  },
  {
    kind: "metric",
    may: ["digit", "seed", "arm", "metric"],
    value: own,
    print: plain,
    label: attempt,
    write: (number, { seed, metric, arm, trial }) =>
      `At seed ${seed}, ${arm} has a ${metric} of ${number} in ${trial.label}.`,
  },
  {
    kind: "metric",
    may: ["digit", "seed", "metric"],
    value: own,
    print: plain,
    label: attempt,
    owns: "attempts",
    write: (number, { seed, metric, arm }) => `Seed ${seed} of ${arm} gave a ${metric} of ${number}.`,
  },
  {
    kind: "effect",
    may: ["digit", "sign", "arm", "metric"],
    value: difference,
    print: signed,
    label: experiment,
    write: (number, { trial, metric, arm, other }) =>
      `In ${trial.label}, the difference of ${arm} from ${other} in ${metric} is ${number}.`,
  },
  {
    kind: "effect",
    may: ["digit", "sign", "arm", "metric"],
    value: difference,
    label: experiment,
    print: (value, claim) => `${plain(Math.abs(value), claim)} ${value < 0 ? "lower" : "higher"}`,
    write: (number, { trial, metric, arm, other }) =>
      `In ${trial.label}, the ${metric} of ${arm} is ${number} than that of ${other}.`,
  },
  {
    kind: "effect",
    may: ["digit", "sign"],
    label: ({ trial }) => trial.finding.label,
    owns: "finding",
    value: ({ trial }) =>
      difference({ trial, metric: "error", arm: trial.arms[1] ?? "", other: trial.arms[0] ?? "" } as Claim),
    print: (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(4)}`,
    write: (number, { trial }) => `The error of ${trial.arms[1]} against ${trial.arms[0]}: ${number}.`,
  },
  {
    kind: "effect",
    may: ["digit", "label"],
    label: ({ trial }) => trial.finding.label,
    value: ({ trial }) =>
      difference({ trial, metric: "error", arm: trial.arms[1] ?? "", other: trial.arms[0] ?? "" } as Claim),
    print: (value) => `${(100 * Math.abs(value)).toFixed(2)} points`,
    write: (number, { trial, label }) =>
      `${label.startsWith("F") ? label : trial.finding.label} found that ${trial.arms[1]} changes the error ` +
      `by ${number}.`,
  },
  {
    kind: "count",
    may: ["digit"],
    label: experiment,
    value: ({ trial }) => trial.runs.length,
    print: (value) => `${value} attempts`,
    write: (number, { trial }) => `${trial.label} has ${number}.`,
  },
  {
    kind: "setting",
    may: ["digit"],
    label: null as never,
    value: ({ trial }) => trial.rate,
    print: (value) => String(value),
    write: (number, { trial }) => `${trial.label} used a learning rate of ${number}.`,
  },
]

const pick = <T>(chance: () => number, items: readonly T[]): T => items[Math.floor(chance() * items.length)] as T
const otherThan = <T>(chance: () => number, items: readonly T[], one: T): T =>
  pick(
    chance,
    items.filter((item) => item !== one),
  ) ?? one

/** Changes one digit behind the first. */
function withDigit(chance: () => number, number: string): string {
  const places = [...number.matchAll(/[0-9]/g)].map(({ index }) => index).slice(-3)
  const at = pick(chance, places)
  return `${number.slice(0, at)}${(Number(number[at]) + 1 + Math.floor(chance() * 8)) % 10}${number.slice(at + 1)}`
}

const UNITS: Readonly<Record<string, string>> = { ms: "s", "%": "ms" }
function withUnit(number: string): string {
  for (const [unit, other] of Object.entries(UNITS))
    if (number.endsWith(unit)) return number.slice(0, -unit.length) + other
  return `${number} %`
}
const withSign = (number: string): string =>
  number.startsWith("+")
    ? `−${number.slice(1)}`
    : number.startsWith("−")
      ? `+${number.slice(1)}`
      : number.includes("lower")
        ? number.replace("lower", "higher")
        : number.replace("higher", "lower")

/** The attempts that a text is said to be about: as many as a request may name, those of its arms first. */
function ownOf({ trial, arm, other }: Claim): string[] {
  const rank = (run: { readonly arm: string }) => (run.arm === arm || run.arm === other ? 0 : 1)
  const inOrder = trial.runs.toSorted((one, two) => rank(one) - rank(two))
  return inOrder.slice(0, limits.executionAttempts).map(({ attemptId }) => attemptId)
}

/** Makes statements about a Room, half of them altered. */
export function statementsAbout({ trials }: MeasuredRoom, count: number, seed: number): Statement[] {
  const chance = chanceOf(seed)
  const made: Statement[] = []
  for (let at = 0; made.length < count; at += 1) {
    const form = forms[at % forms.length] as Form
    const trial = pick(chance, trials)
    const arm = pick(chance, trial.arms)
    const run = pick(
      chance,
      trial.runs.filter((each) => each.arm === arm),
    )
    const metric = pick(chance, ["error", "loss", "latency"] as const)
    const claim: Claim = {
      ...{ trial, metric, arm, other: otherThan(chance, trial.arms, arm), run, seed: run.seed, label: run.label },
    }
    const value = form.value(claim)
    const number = form.print(value, claim)
    const context = {
      ...(form.owns === "finding" && { versionId: trial.finding.versionId }),
      ...(form.owns === "attempts" && { attemptIds: ownOf(claim) }),
    }
    const label = form.label === null ? null : form.label(claim)
    const place = { kind: form.kind, label, ...(/mean|metric/.test(form.kind) && { metric, arm }) }
    const common = { ...context, place }
    if (made.length % 2 === 0) {
      made.push({ ...common, text: form.write(number, claim), number, altered: null })
      continue
    }
    const altered = pick(chance, form.may)
    const changed = alter(chance, altered, number, claim, trials, form)
    // An alteration that happens to be true, or cannot be made, is none.
    if (changed === undefined) continue
    made.push({ ...common, ...changed, altered })
  }
  return made
}

function alter(
  chance: () => number,
  how: Alteration,
  number: string,
  claim: Claim,
  trials: readonly Trial[],
  form: Form,
) {
  const { trial } = claim
  if (how === "digit") {
    const changed = withDigit(chance, number)
    return changed === number ? undefined : { number: changed, text: form.write(changed, claim) }
  }
  if (how === "sign" || how === "unit") {
    const changed = how === "sign" ? withSign(number) : withUnit(number)
    return { number: changed, text: form.write(changed, claim) }
  }
  const other =
    how === "arm"
      ? { ...claim, arm: otherThan(chance, trial.arms, claim.arm) }
      : how === "metric"
        ? { ...claim, metric: otherThan(chance, ["error", "loss", "latency"] as const, claim.metric) }
        : how === "seed"
          ? {
              ...claim,
              seed: otherThan(
                chance,
                trial.runs.map(({ seed }) => seed),
                claim.seed,
              ),
            }
          : undefined
  const moved = other ?? labelled(chance, claim, trials, form)
  if (moved === undefined) return undefined
  const run = trial.runs.find(({ arm, seed }) => arm === moved.arm && seed === moved.seed) ?? moved.run
  const truth = {
    ...moved,
    ...(how !== "label" && { run }),
    other: moved.arm === claim.other ? claim.arm : claim.other,
  }
  if (form.print(form.value(truth), truth) === number) return undefined
  return { number, text: form.write(number, truth) }
}

/** Another label in the same place. */
function labelled(chance: () => number, claim: Claim, trials: readonly Trial[], form: Form): Claim | undefined {
  const isAttempt = form.kind === "metric"
  if (isAttempt) {
    const run = otherThan(chance, claim.trial.runs, claim.run)
    return { ...claim, run, label: run.label }
  }
  const trial = otherThan(chance, trials, claim.trial)
  return trial === claim.trial ? undefined : { ...claim, trial, label: trial.finding.label }
}
