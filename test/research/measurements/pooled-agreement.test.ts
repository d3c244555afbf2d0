/**
 * Effects of findings, their reproductions, the difference of both, and what is pooled over reproductions and over the
 * findings of a contested hypothesis agree with SciPy and statsmodels: as served, and as their pages show them. The
 * results are kept beside this file; `PYTHON_WITH_SCIPY` names a Python to work them out again, `KEEP=1` keeps them.
 */
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import t from "tap"
import { hypothesis } from "../../support/bodies.ts"
import { openLab } from "../../support/lab.ts"
import { chance, normal } from "./layouts.ts"
import { arm, measuring } from "./measured.ts"

/** The values of an arm and of its baseline, for each seed. */
type Pairs = readonly (readonly [number, number])[]
type Numbers = Readonly<Record<string, number>>
interface Said {
  readonly effects: Readonly<Record<string, Numbers>>
  readonly between: Readonly<Record<string, Numbers>>
  readonly together: Readonly<Record<string, Numbers>>
}

const next = chance(50)
const pairs = (truth: number, seeds: number): Pairs =>
  Array.from({ length: seeds }, () => {
    const shared = 5 + 0.4 * normal(next)
    return [shared + truth + 0.25 * normal(next), shared + 0.25 * normal(next)] as const
  })
const values = {
  ...{ F1: pairs(-1, 10), F2: pairs(-0.8, 6), F3: pairs(0.7, 7) },
  ...{ first: pairs(-0.9, 6), second: pairs(-1.1, 12), third: pairs(-0.8, 5), failed: pairs(-0.2, 8) },
} satisfies Readonly<Record<string, Pairs>>
type Name = keyof typeof values
/** Who repeats what, the effects that are pooled with their reproductions, and those that a hypothesis gathers. */
const repeats = [
  ["first", "F1"],
  ["second", "F1"],
  ["third", "F2"],
  ["failed", "F3"],
] as const
const pooledOf = { F1: ["F1", "first", "second"], F2: ["F2", "third"], F3: ["F3", "failed"] } as const
const gathered = ["F1", "F2", "F3"] as const

const kept = resolve(import.meta.dirname, "scipy-pooled.json")
const python = process.env.PYTHON_WITH_SCIPY
function asked(program: string): string {
  const together = [...Object.values(pooledOf), gathered]
  const input = JSON.stringify({ effects: values, between: repeats, together })
  const script = resolve(import.meta.dirname, "../../../build/reach/with-scipy.py")
  const { stdout, stderr, status } = spawnSync(program, [script], { input, encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
  return stdout
}
const fresh = python === undefined ? undefined : asked(python)
if (fresh !== undefined && process.env.KEEP === "1") writeFileSync(kept, `${fresh}\n`)
const said: Said = JSON.parse(fresh ?? readFileSync(kept, "utf8"))

const lab = await openLab(t)
const room = await lab.room()
const lines = await measuring(lab, room)
const metricsOf = (name: Name) => [
  ...arm(
    "shift",
    values[name].map(([own]) => own),
  ),
  ...arm(
    "baseline",
    values[name].map(([, base]) => base),
  ),
]
const { versionId } = (await room.ada.write("publish_hypothesis", hypothesis(room))).result
const found = new Map<string, string>()
for (const [name, verdict] of [
  ["F1", "supports"],
  ["F2", "supports"],
  ["F3", "contradicts"],
] as const) {
  const attempt = await lines.attempt(metricsOf(name))
  const { result } = await lines.publish(name === "F2" ? room.grace : room.ada, [attempt])
  found.set(name, result.versionId)
  await room.ada.write("link_experiment_finding", {
    ...{ experimentId: lines.experimentId, findingVersionId: result.versionId },
    towardHypothesis: [{ versionId, verdict, explanation: "So." }],
    towardQuestion: { verdict: "answers", explanation: "So." },
  })
}
const attempts = new Map<string, string>()
for (const [own, first] of repeats) {
  const findingVersionId = found.get(first) ?? ""
  const { attemptId } = await lines.reproduce(room.mary, { findingVersionId }, metricsOf(own), {
    ...{ verdict: "inconclusive", explanation: "The service works it out." },
    repeats: { versionId: findingVersionId, effect: 0 },
  })
  attempts.set(own, attemptId)
}

let figures = 0
/** The members in which an answer differs from SciPy's by more than one part in 1e9. */
const differing = (ours: object | null | undefined, theirs: Numbers | undefined): string[] =>
  Object.entries(theirs ?? { nothing: 0 }).flatMap(([name, value]) => {
    const own: unknown = Reflect.get(ours ?? {}, name)
    figures += 1
    return typeof own === "number" && Math.abs(own - value) <= 1e-9 * Math.max(1, Math.abs(value))
      ? []
      : [`${name}: ${String(own)} is not ${value}`]
  })
/** The same without the number of values, which an effect tells otherwise. */
const estimated = ({ n: _n, ...rest }: Numbers = {}): Numbers => rest

/** The figures that a page shows after a word, each with half a unit of its last decimal. */
async function shown(path: string, word: RegExp): Promise<readonly (readonly [number, number])[]> {
  const page = await (await fetch(`${lab.house.baseUrl}${path}`)).text()
  const [, ...texts] =
    word.exec(
      page
        .replaceAll(/<svg[^]*?<\/svg>|<[^>]+>/g, " ")
        .replaceAll("−", "-")
        .replaceAll(/\s+/g, " "),
    ) ?? []
  return texts.map((text) => [Number(text), 0.5000001 * 10 ** -(text.split(".")[1] ?? "").length] as const)
}
const TOGETHER = /Together (-?[\d.]+) (?:, told apart, )?(-?[\d.]+) to (-?[\d.]+)/

/** The figures of a page that are not SciPy's, rounded. */
const misshown = (ours: Awaited<ReturnType<typeof shown>>, theirs: Numbers | undefined): string[] =>
  ["estimate", "low", "high"].flatMap((name, index) => {
    const [value = Number.NaN, half = 0] = ours[index] ?? []
    figures += 1
    return Math.abs(value - (theirs?.[name] ?? Number.NaN)) <= half
      ? []
      : [`${name}: ${value} is not ${theirs?.[name]}`]
  })

for (const name of gathered)
  t.test(`${name}: its effect, its reproductions, and both pooled`, async (t) => {
    const { effects = [] } = await lab.reader.read("record", { versionId: found.get(name) ?? "" })
    const [effect] = effects
    t.same(differing(effect, estimated(said.effects[name])), [])
    const own = repeats.filter(([, first]) => first === name)
    t.same(
      own.flatMap(([by]) =>
        differing(
          effect?.reproductions.find((each) => each.by.id === attempts.get(by)),
          said.effects[by],
        ),
      ),
      [],
    )
    t.equal(effect?.reproductions.length, own.length)
    const together = said.together[pooledOf[name].join(" ")]
    const { tau2: _tau2, q: _q, ...pooled } = together ?? {}
    t.same(differing(effect?.pooled, pooled), [])
    t.same(misshown(await shown(`/records/${found.get(name)}`, TOGETHER), together), [], "on its page")
  })

t.test("the difference of a reproduction and what it repeats is Welch's, and decides the verdict", async (t) => {
  const verdicts: Record<string, unknown> = {}
  for (const [own, first] of repeats) {
    const { reproduction } = await lab.reader.read("attempt", { attemptId: attempts.get(own) ?? "" })
    const [repeated] = [reproduction?.repeats ?? []].flat()
    t.same(differing(repeated?.comparison?.difference, said.between[`${own} ${first}`]), [], own)
    verdicts[own] = repeated?.verdict
  }
  t.same(verdicts, {
    ...{ first: "reproduces", second: "reproduces", third: "reproduces", failed: "does_not_reproduce" },
  })
})

t.test("a contested hypothesis pools the effects of all its findings", async (t) => {
  const { verdict } = await lab.reader.read("record", { versionId })
  t.equal(verdict, "contested")
  const { contrasts } = await lab.reader.read("record_effects", { versionId })
  const [contrast] = contrasts
  t.same(
    gathered.flatMap((name, index) => differing(contrast?.estimates[index], said.effects[name])),
    [],
  )
  const together = said.together[gathered.join(" ")]
  t.same(differing(contrast?.pooled, together), [])
  t.same(misshown(await shown(`/records/${versionId}`, TOGETHER), together), [], "on its page")
})

t.test("enough was compared", (t) => {
  t.ok(figures > 80, `${figures} figures`)
  t.end()
})
