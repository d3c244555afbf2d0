/**
 * The computation that the two agents run outside the service: the integral of 4 / (1 + x²) from 0 to 1, by a given
 * rule and for the numbers of intervals listed in a file. It writes one line for each, identical on every run.
 */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"

const rules: Readonly<Record<string, (x: number, width: number) => number>> = {
  midpoint: (x, width) => f(x + width / 2),
  trapezoid: (x, width) => (f(x) + f(x + width)) / 2,
}
const f = (x: number) => 4 / (1 + x * x)

const { values } = parseArgs({
  options: { rule: { type: "string", default: "" }, intervals: { type: "string", default: "" } },
})
const rule = rules[values.rule]
if (rule === undefined) throw new Error(`there is no rule ${values.rule}`)
for (const intervals of JSON.parse(readFileSync(values.intervals, "utf8")) as number[]) {
  const width = 1 / intervals
  let area = 0
  for (let index = 0; index < intervals; index++) area += width * rule(index * width, width)
  console.log(JSON.stringify({ intervals, area: area.toFixed(9), error: Math.abs(area - Math.PI).toExponential(3) }))
}
