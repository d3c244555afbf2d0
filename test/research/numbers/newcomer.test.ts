/**
 * Sentences about the Room of three agents as a newcomer writes them: tables, lists, per cent, decimal commas, ranges,
 * one run of several arms. Each is said with the right number, which is found, and with another, which is not.
 */
import t from "tap"
import { errors, openStudy, studyAnswer, studyTable } from "../../support/study.ts"
import { meanOf, sdOf } from "./measured-room.ts"

const { reader, roomId, checkpointId, agents, threadId, goOn } = await openStudy(t)
const long = errors("A1", 5000, ["shift", "smoothing"])
const mixed = errors("A2", 5000, ["dropout", "mixup", "cutout"])
const short = errors("A4", 1000, ["shift", "smoothing"])
const noisy = errors("A6", 5000, ["noise"])
/** The errors of an arm at a number of labels, by seed. */
const at = (run: typeof long, arm: string, labels: number): number[] =>
  run.flatMap(({ value, dimensions }) => (dimensions?.arm === arm && dimensions.labels === labels ? [+value] : []))
const mean = (...of: Parameters<typeof at>) => meanOf(at(...of))
const [base, shift] = [mean(long, "baseline", 50), mean(long, "shift", 50)]
const inPercent = (value: number) => (100 * value).toFixed(1)
const comma = (value: number, digits: number) => value.toFixed(digits).replace(".", ",")
/** Another number with as many digits. */
const off = (number: string) => {
  const decimals = number.split(/[.,]/)[1]?.length ?? 0
  const other = (Number(number.replace(",", ".")) + 7 * 10 ** -decimals).toFixed(decimals)
  return number.includes(",") ? other.replace(".", ",") : other
}

type Said = readonly [right: string, say: (number: string) => string, wrong?: string]
const sentences: Readonly<Record<string, Said>> = {
  "one run of several arms has means of its own": [
    base.toFixed(3),
    (n) => `With 50 labels the error fell from ${n} to ${shift.toFixed(3)} once we shifted (A1, shift vs baseline).`,
  ],
  "and their relative difference": [
    ((100 * (base - shift)) / base).toFixed(1),
    (n) => `That is a ${n}% relative drop in error for shift over the baseline at 50 labels (A1).`,
  ],
  "and their spread": [
    sdOf(at(long, "shift", 50)).toFixed(4),
    (n) => `shift 50 labels error (A1): ${shift.toFixed(4)} ± ${n}`,
  ],
  "a fraction in per cent": [
    inPercent(shift),
    (n) => `Error is ${n}% for shift with 50 labels in E1, i.e. really low.`,
  ],
  "with a decimal comma": [
    comma(100 * mean(long, "shift", 100), 2),
    (n) => `Bei 100 labels erreicht shift in A1 einen error von ${n} %.`,
  ],
  "and without per cent": [comma(shift, 4), (n) => `In A1 liegt der Fehler (error) von shift bei 50 labels bei ${n}.`],
  "a table with an arm in each row": [
    shift.toFixed(4),
    (n) => `| arm | labels | error |\n|---|--:|--:|\n| baseline | 50 | ${base.toFixed(4)} |\n| shift | 50 | ${n} |`,
  ],
  "a table with an arm in each column, after its caption": [
    shift.toFixed(4),
    (n) => `From A1:\n\n| labels | smoothing | shift |\n|---|---|---|\n| 50 | 0.1963 | ${n} |`,
  ],
  "a column of spreads": [
    sdOf(at(long, "shift", 50)).toFixed(4),
    (n) => `Errors of A1 at 50 labels:\n\n| arm | error | sd |\n|---|---|---|\n| shift | ${shift.toFixed(4)} | ${n} |`,
  ],
  "an arm whose name is a word for a spread": [
    mean(noisy, "noise", 50).toFixed(4),
    (n) => `At 50 labels the error with noise was ${n} instead of 0.2099 for the baseline (E3).`,
  ],
  "a list, where the name before a colon belongs to the number before it": [
    mean(long, "shift", 100).toFixed(4),
    (n) => `- shift, 100 labels: ${n} error (A1)`,
  ],
  // Three digits equal one of ten values often. They are found as a mean, and not as one seed's value.
  "few digits": [
    mean(short, "shift", 50).toFixed(3),
    (n) => `After 1,000 updates, in A4, shift has ${n} error for 50 labels.`,
  ],
  "the value of a seed": [
    (at(long, "shift", 400)[3] ?? 0).toFixed(4),
    (n) => `Seed 3 of shift in A1 ended at an error of ${n} with 400 labels.`,
  ],
  "a mean, which the value of one seed is not": [
    mean(long, "shift", 400).toFixed(4),
    (n) => `Shift has a mean error of ${n} with 400 labels in A1.`,
    (at(long, "shift", 400)[3] ?? 0).toFixed(4),
  ],
  "a range": [
    Math.max(...at(long, "shift", 50)).toFixed(4),
    (n) => `At 50 labels the shift errors in A1 range from ${Math.min(...at(long, "shift", 50)).toFixed(4)} to ${n}.`,
  ],
  "an arm by a form of its word, beside the other arm": [
    inPercent(base - shift),
    (n) => `Shifted digits lower the error by ${n} points compared with the baseline at 50 labels (A1).`,
  ],
  "a spread told in a whole sentence": [
    sdOf(at(long, "shift", 100)).toFixed(4),
    (n) => `The standard deviation of the error over seeds is ${n} for shift at 100 labels in A1.`,
  ],
  "per cent in German": [
    comma(100 * mean(long, "smoothing", 400), 2),
    (n) => `In A1 erreicht smoothing mit 400 labels einen error von ${n} Prozent.`,
  ],
  "an approximate number": [
    mean(mixed, "mixup", 50).toFixed(2),
    (n) => `Mixup gets an error of about ${n} at 50 labels in A2.`,
  ],
}

for (const [name, [right, say, wrong = off(right)]] of Object.entries(sentences))
  t.test(name, async (t) => {
    for (const number of [right, wrong]) {
      const text = say(number)
      const place = text.lastIndexOf(number)
      const { numbers } = await reader.read("check_text", { roomId, text })
      const { state } = numbers.find(({ start, end }) => start <= place && place < end) ?? {}
      if (number === right) t.equal(state, "resolves", text)
      else t.match(state, /^(?:unknown|may_be)$/, text)
    }
  })

t.test("a conclusion's numbers are found in the table that it rests on, and altered ones are not", async (t) => {
  const { numbersCheck } = await reader.read("checkpoint", { checkpointId })
  t.match(numbersCheck, { numbers: 7, resolve: 2, settings: 5, unresolved: [] })
  const read = await goOn.watermark()
  const rehearsed = (answer: string) =>
    agents["python-agent"].write(
      "post_research_checkpoint",
      {
        ...{ threadId, expectedWatermark: read, coversThrough: read, state: "concluded", table: studyTable, answer },
        ...{ synthesis: "As before.", conclusion: "Shift the digits.", openQuestions: [], citations: [] },
      },
      { rehearse: true },
    )
  const unresolved = async (answer: string) =>
    (await rehearsed(answer)).warnings.flatMap((each) => (each.code === "number_unresolved" ? [each.text] : []))
  t.strictSame(await unresolved(studyAnswer), [])
  t.strictSame(await unresolved(studyAnswer.replace("2.4", "2.7").replace("0.3", "0.8")), ["2.7 points", "0.8"])
  t.strictSame(await unresolved(studyAnswer.replace("400", "300")), ["0.3", "300"])
  t.strictSame(await unresolved(studyAnswer.replace("Shifting", "Smoothing")), ["2.4 points", "0.3"])
})
