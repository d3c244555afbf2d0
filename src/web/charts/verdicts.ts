/** What counts for and against each hypothesis, as its tally has it: what supports to the right, what contradicts to the left. */
import { scaleLinear } from "d3-scale"
import type { EvidenceTally } from "../../contract/evidence.ts"
import { type Html, html, to } from "../html.ts"

const [WIDTH, ROW, LEFT] = [420, 22, 40]
const HEAD = 18

interface Hypothesis {
  readonly versionId: string
  readonly label: string
  readonly evidenceTally: EvidenceTally
}

/** Drawn from two hypotheses on: with one, the rows below it say the same. */
export function verdictChart(hypotheses: readonly Hypothesis[]): Html | null {
  const rows = hypotheses.map(({ versionId, label, evidenceTally }) => ({ versionId, label, ...evidenceTally }))
  const most = Math.max(...rows.map(({ supports, contradicts }) => Math.max(supports, contradicts)), 1)
  if (rows.length < 2 || rows.every(({ supports, contradicts, inconclusive }) => supports + contradicts + inconclusive === 0)) return null
  const middle = LEFT + (WIDTH - LEFT) / 2
  const x = scaleLinear([-most, most], [LEFT + 40, WIDTH - 40])
  const height = HEAD + rows.length * ROW + 4
  const told = rows
    .map(
      ({ label, supports, contradicts, inconclusive }) =>
        `${label}: ${supports} support, ${contradicts} contradict, ${inconclusive} inconclusive`,
    )
    .join("; ")
  return html`<figure><svg class="chart verdict-rows" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="group" aria-label="Verdicts per hypothesis. ${told}">
<text x="${middle - 8}" y="11" text-anchor="end">contradict</text><text x="${middle + 8}" y="11">support</text><path class="axis" d="M${middle} ${HEAD}V${height}"/>
${rows.map(({ versionId, label, supports, contradicts, inconclusive }, index) => {
  const y = HEAD + index * ROW + 4
  const bar = (from: number, until: number, tone: string) =>
    from === until
      ? null
      : html`<rect class="${tone}" x="${x(from).toFixed(1)}" y="${y}" width="${(x(until) - x(from)).toFixed(1)}" height="14"/>`
  const said = (at: number, text: string | number, anchor = "start") =>
    html`<text x="${at.toFixed(1)}" y="${y + 11}" text-anchor="${anchor}">${text}</text>`
  const none =
    supports + contradicts + inconclusive === 0
      ? "nothing counts yet"
      : supports === 0 && inconclusive > 0
        ? `${inconclusive} inconclusive`
        : null
  return html`<g><a href="${to(`/records/${versionId}`)}"><text x="0" y="${y + 11}" class="name">${label}</text></a>
      ${bar(0, supports, "p3")}${bar(-contradicts, 0, "p2")}
      ${contradicts > 0 ? said(x(-contradicts) - 5, contradicts, "end") : null}${supports > 0 ? said(x(supports) + 5, supports) : null}
      ${none === null ? null : said(middle + 5, none)}</g>`
})}</svg></figure>`
}
