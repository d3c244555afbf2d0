/** One word for one thing in all reads: a parameter or member has the same name everywhere. */
import { test } from "tap"
import { metricColumns, attemptCurves } from "../../src/contract/nouns/attempt-answers.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { partsOf } from "../../src/contract/schema/parts.ts"

test("the name of a metric is called `metric` wherever it is alone", (t) => {
  const byName = reads.filter(({ query }) => "name" in query.entries).map(({ name }) => name)
  t.strictSame(byName, [], "no read takes the name of something as a parameter")
  t.match([attemptCurves.entries, metricColumns.entries.columns.entries], [{ metric: Object }, { metric: Object }])
  t.notOk("name" in attemptCurves.entries || "name" in metricColumns.entries.columns.entries)
  t.end()
})

test("no member of an answer is a second word for another one", (t) => {
  const second: Readonly<Record<string, string>> = { namedAs: "role", asks: "question" }
  for (const { name, answer } of reads) {
    const members = new Set([...partsOf(answer)].map((part) => part.name))
    for (const [word, usual] of Object.entries(second)) t.notOk(members.has(word), `${name} says ${usual}, not ${word}`)
  }
  t.end()
})
