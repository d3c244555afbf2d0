/** Several attempts side by side: metrics as small multiples with one legend, configuration as differences only. */
import { isUuid } from "../../contract/fields.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { Refusal } from "../../contract/refusals.ts"
import { metricPlots } from "../charts/metrics.ts"
import { type Html, html, to } from "../html.ts"
import { empty, heading, label, table } from "../parts/parts.ts"
import { roomRail } from "../parts/room-frame.ts"
import type { Shown, Visit } from "../visit.ts"
import { words } from "../words.ts"
import { outcome } from "./attempts.ts"
import { metricsOf } from "./metrics.ts"

type Attempt = AnswerOf<"attempt">
/** As many as a legend can tell apart. */
const MOST = 6

/** A nested value as its leaves, each under its path. */
function leaves(value: unknown, path = ""): [string, string][] {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return [[path, typeof value === "string" ? value : JSON.stringify(value)]]
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, path === "" ? name : `${path}.${name}`))
}

/** Everything an attempt ran with, as leaves. */
const settings = (attempt: Attempt): Map<string, string> =>
  new Map([
    ["intent", words(attempt.intent)],
    ["commit", attempt.repository.commit.slice(0, 12)],
    ["command", attempt.argv.join(" ")],
    ...leaves(attempt.configuration, "configuration"),
    ...leaves(attempt.environment ?? {}, "environment"),
    ...attempt.inputs.map(({ name, material }): [string, string] => [`input ${name}`, material?.label ?? "unknown"]),
  ])

function differences(attempts: readonly Attempt[]): { differ: [string, (string | undefined)[]][]; same: number } {
  const maps = attempts.map(settings)
  const names = [...new Set(maps.flatMap((map) => [...map.keys()]))]
  const rows = names.map((name): [string, (string | undefined)[]] => [name, maps.map((map) => map.get(name))])
  const differ = rows.filter(([, values]) => new Set(values).size > 1)
  return { differ, same: rows.length - differ.length }
}

function chooser(visit: Visit, chosen: readonly Attempt[]): Html {
  const [first] = chosen
  if (first === undefined) return html``
  const { items } = visit.ask("attempts", {}, { experimentId: first.experimentId, order: "label" })
  return html`<form class="stack" action="${to("/attempts/compare")}"><fieldset class="choices"><legend>Attempts of ${first.experimentLabel}, ${MOST} at most</legend>
    ${items.map(
      (attempt) =>
        html`<label><input type="checkbox" name="ids" value="${attempt.attemptId}"${chosen.some(({ attemptId }) => attemptId === attempt.attemptId) ? html` checked` : null}>${attempt.label} ${outcome(attempt)} ${words(attempt.intent)}</label>`,
    )}</fieldset>
    <div class="buttons"><button class="quiet">Compare</button></div></form>`
}

export function comparePage(visit: Visit): Shown {
  const asked = [
    ...new Set(
      visit.url.searchParams
        .getAll("ids")
        .flatMap((given) => given.split(","))
        .filter(isUuid),
    ),
  ]
  const ids = asked.slice(0, MOST)
  if (ids.length === 0) throw new Refusal("unknown_attempt", "Name the attempts to compare.")
  const attempts = ids.map((attemptId) => visit.ask("attempt", { attemptId: attemptId.toLowerCase() }))
  const room = visit.ask("room", { roomId: attempts[0]?.roomId })
  const metrics = metricsOf(visit, attempts)
  const { differ, same } = differences(attempts)
  return {
    title: `Comparing ${attempts.map(({ label: text }) => text).join(", ")}`,
    rail: roomRail(room),
    body: html`<h1>Comparing ${attempts.length === 1 ? "an attempt" : `${attempts.length} attempts`}</h1>
${asked.length > ids.length ? html`<div class="banner warn" role="note"><p>${ids.length} of the ${asked.length} attempts that were asked for are shown: as many as one legend can tell apart. Choose others below.</p></div>` : null}
<section aria-labelledby="which">${heading(2, "which", "Which")}<p class="meta">${attempts.map((attempt) => html`<span>${label("attempt", attempt.attemptId, attempt.label)} ${outcome(attempt)}</span>`)}</p>
  <details><summary>Choose others</summary>${chooser(visit, attempts)}</details></section>
<section aria-labelledby="metrics">${heading(2, "metrics", "Metrics over steps")}${
      metrics.length === 0
        ? empty("None of them reported a metric.")
        : html`${metricPlots(metrics, attempts)}${table(
            "Last values",
            ["Metric", ...attempts.map(({ label: text }) => text)],
            metrics.map(
              (metric) =>
                html`<tr><th scope="row">${metric.name}${metric.unit === null ? null : ` in ${metric.unit}`}</th>
  ${attempts.map(({ attemptId }) => html`<td>${metric.series.find((series) => series.attemptId === attemptId)?.points.at(-1)?.value ?? "–"}</td>`)}</tr>`,
            ),
            "caption",
          )}`
    }</section>
<section aria-labelledby="settings">${heading(2, "settings", "What they ran with, where it differs")}${
      differ.length === 0
        ? html`<p class="quiet">Nothing differs.</p>`
        : table(
            "Differences",
            ["Setting", ...attempts.map(({ label: text }) => text)],
            differ.map(
              ([name, values]) =>
                html`<tr><th scope="row">${name}</th>
  ${values.map((value) => html`<td class="changed">${value === undefined ? html`<span class="quiet">not set</span>` : html`<code>${value}</code>`}</td>`)}</tr>`,
            ),
          )
    }<p class="meta">${same} other settings are the same.</p>
  </section>`,
  }
}
