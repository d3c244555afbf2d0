/** One attempt with its events, inputs, outputs and metrics. */
import { costInWords, totalOf } from "../../contract/answers/costs.ts"
import { independenceInWords } from "../../contract/answers/evidence.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { outcome } from "../parts/attempt-table.ts"
import { dotOf, dotsFigure, hasSteps, metricFigure, whole } from "./curves.ts"
import { placeInWords } from "../../research/measurements/in-words.ts"
import { address, entryPath, readPath } from "../addresses.ts"
import { type Html, html, joined, to } from "../html.ts"
import { figure, bytes, counted, words } from "../words.ts"
import { inlineMarkdown, phrase } from "../markdown.ts"
import { metricsBox, type PastedTable } from "../parts/metrics-box.ts"
import { afforded, doing } from "../parts/actions.ts"
import { findingsOf, nextAct, steps } from "../parts/guide.ts"
import { nextOfAttempt } from "../parts/next-acts.ts"
import { stateBadge, yesNo } from "../parts/marks.ts"
import {
  list,
  live,
  section,
  argv,
  digest,
  empty,
  exactTime,
  facts,
  pictures,
  fromOther,
  heading,
  jsonBlock,
  label,
  person,
  repository,
  table,
  ways,
} from "../parts/parts.ts"
import { following } from "../parts/room-frame.ts"
import type { Shown, Visit } from "../visit.ts"

type Attempt = AnswerOf<"attempt">

/** Maximum number of metrics drawn. */
const PICTURES = 6
/** Values without a step that an attempt's page draws at most. Its table has them all. */
const DOTS = 20
/** Maximum number of last values shown. The serving thread may have to make the page, so it must stay cheap. */
const VALUES = 500
/** More values by arm and seed than this are folded away. Readers want their means. */
const UNFOLDED = 50

function planMatch({ planMatch: found, planId, intendedDeviation }: Attempt): Html {
  if (found === null)
    return html`<p class="quiet">${planId === null ? "It was registered without a plan." : "It was not compared."}</p>`
  const compared =
    found.argvComparedWith === null
      ? "no arm of the plan"
      : found.argvComparedWith === "entrypoint"
        ? "the plan's entry point"
        : `arm “${found.argvComparedWith}”`
  return html`${table(
    "Comparison with the plan",
    ["What", "Compared"],
    [
      html`<tr><th scope="row">commit</th>\
<td>${yesNo(found.commitMatchesPlan, "the plan's commit", "another commit")}</td></tr>`,
      html`<tr><th scope="row">command</th>\
<td>${yesNo(found.argvMatchesPlan, `matches ${compared}`, `matches ${compared}`, "the plan names no command")}</td>\
</tr>`,
      html`<tr><th scope="row">materials</th>\
<td>${yesNo(found.materialsMatchPlan, "those the plan requires", "not those the plan requires")}</td></tr>`,
    ],
  )}
${
  found.deviations.length === 0
    ? null
    : table(
        "Deviations",
        ["Field", "Planned", "Registered"],
        found.deviations.map(
          ({ field, planned, registered }) => html`<tr><th scope="row">${words(field)}</th>
  <td><code>${JSON.stringify(planned)}</code></td><td class="changed">\
<code>${JSON.stringify(registered)}</code></td></tr>`,
        ),
        "caption",
      )
}
${intendedDeviation === null ? null : html`<p>Declared on purpose: ${phrase(intendedDeviation)}</p>`}`
}

const eventItem = (event: Attempt["events"][number]): Html =>
  html`<li>${stateBadge(event.event === "progress" ? "in_progress" : event.event, words(event.event))} \
<span class="clocks">${
    event.reportedAt === null ? null : html`happened ${exactTime(event.reportedAt)} by the registrant's clock; `
  }received ${exactTime(event.receivedAt)}</span>${event.late === true ? html` <span class="tag">late</span>` : null}
${event.message === undefined ? null : html`<p class="said" dir="auto">${inlineMarkdown(event.message)}</p>`}\
${
  event.reproduction === undefined
    ? null
    : html`<p>${stateBadge(event.reproduction.verdict)} ${phrase(event.reproduction.explanation)}</p>`
}${
  event.failure === undefined
    ? null
    : html`<p>Failed in ${event.failure.stage}: ${phrase(event.failure.explanation)}</p>`
}
${pictures(event)}<p class="meta">\
${!event.metricPoints ? null : html`<span>${counted(event.metricPoints, "metric point")}</span>`}${
  event.outputLabels === undefined || event.outputLabels.length === 0
    ? null
    : html`<span>outputs ${event.outputLabels.join(", ")}</span>`
}${event.exitCode === undefined ? null : html`<span>exit code ${event.exitCode}</span>`}</p>
  </li>`

const input = ({ name, material }: Attempt["inputs"][number]): Html =>
  html`<li><code>${name}</code>: \
${
  material === null
    ? "unknown"
    : html`${label("material", material.materialId, material.label)}\
${fromOther(material)} ${material.name} ${stateBadge(material.obtainability)}`
}</li>`

const outputs = (items: Attempt["outputs"]): Html =>
  table(
    "Outputs",
    ["Output", "Digest", "Type and size", "Material"],
    items.map(
      (output) => html`<tr id="output-${output.outputLabel}"><th scope="row"><code>${output.outputLabel}</code></th>
    <td>${digest(output.digest)}</td>\
<td>${output.mediaType} ${output.sizeBytes === undefined ? null : bytes(output.sizeBytes)}</td>
    <td>${
      output.materialId === undefined ? null : html`<a href="${to(`/materials/${output.materialId}`)}">registered</a>`
    } ${output.description}</td>
    </tr>`,
    ),
  )

/**
 * Compares a reproduction's numbers with each original effect, and says what that counts as if it differs from its
 * verdict.
 */
function byNumbers({ verdict, repeats = [] }: NonNullable<Attempt["reproduction"]>): Html | null {
  const told = repeats.flatMap(({ versionId, comparison, verdict: counted }) => {
    if (comparison === null) return []
    const counts = counted === null || counted === verdict ? null : html` It counts as: ${stateBadge(counted)}`
    return html`<a href="${address("finding", versionId)}">By the numbers</a>: ${comparison.sentence}${counts}`
  })
  return told.length === 0 ? null : html`${joined(told, " ")}`
}

/** Renders what the attempt reproduces and with which verdict, and the attempts that reproduced it. */
function reproductions({ reproduction, reproduces, reproductions: others }: Attempt): Html | null {
  if (reproduces === null && others.length === 0) return null
  const basis =
    reproduces &&
    ("attemptId" in reproduces
      ? (["attempt", reproduces.attemptId] as const)
      : (["finding", reproduces.findingVersionId] as const))
  const repeated =
    basis &&
    html`<p>It was meant to reproduce <a href="${address(basis[0], basis[1])}">\
${basis[0] === "attempt" ? "another attempt" : "a finding"}</a>. ${
      reproduction === null
        ? "It has not reported a verdict yet."
        : html`${stateBadge(reproduction.verdict)} ${phrase(reproduction.explanation)} ${byNumbers(reproduction)}`
    }</p>`
  const by = list(
    "evidence",
    others,
    ({ attemptId, label: text, status, registrant, reproduction: result, independence, ...origin }) => {
      const said =
        result === null
          ? "It has not reported a verdict yet."
          : html`${inlineMarkdown(result.explanation)} ${byNumbers(result)}`
      return html`<li>${stateBadge(result?.verdict ?? status)}<div>${label("attempt", attemptId, text)}\
${fromOther(origin)} by ${person(registrant)}, ${independenceInWords(independence, registrant.username)}. \
<span class="explained">${said}</span></div></li>`
    },
  )
  return section(
    "reproduction",
    "Reproduction",
    live("reproduction", [repeated, by && html`<h3>Who reproduced it</h3>${by}`]),
  )
}

/** Sorts metrics so that those whose effects findings rest on come first. */
function usedFirst<M extends { readonly name: string; readonly split: string | null }>(
  metrics: readonly M[],
  effects: readonly { readonly metric: string; readonly split?: string | null }[],
): M[] {
  const rankOf = ({ name, split }: M): number => {
    const at = effects.findIndex(
      (effect) =>
        (effect.metric === name && (effect.split ?? null) === split) ||
        (effect.metric.includes(name) && (split === null || effect.metric.includes(split))),
    )
    return at === -1 ? effects.length : at
  }
  return metrics.toSorted((one, other) => rankOf(one) - rankOf(other))
}

/** Renders the values without a step: a dot for each, on one axis for each unit. */
function dotsOf(table: AnswerOf<"attempt_table">, metrics: AnswerOf<"attempt_table">["columns"]["metrics"]): Html[] {
  const lastOf = (key: string) => table.items[0]?.metrics[table.columns.metrics.findIndex((each) => each.key === key)]
  return [...Map.groupBy(metrics, ({ unit }) => unit ?? "").entries()].map(([unit, same]) =>
    dotsFigure(
      unit === "" ? "Values" : `Values in ${unit}`,
      "Metric",
      unit === "" ? "value" : unit,
      same.map(({ key }) => dotOf(key, lastOf(key)?.value)),
    ),
  )
}

/** Renders the curves of the metrics, and the last value of each metric at each combination of its dimensions. */
function metricsOf(visit: Visit, attempt: Attempt, findings: readonly AnswerOf<"record">[]): Html {
  const { attemptId, experimentId, metrics } = attempt
  const compared = visit.ask("attempt_table", {}, { attemptIds: attemptId })
  const { columns } = compared
  const inOrder = usedFirst(
    columns.metrics,
    findings.flatMap(({ effects }) => effects),
  )
  const [stepped, stepless] = [true, false].map((has) => inOrder.filter((metric) => hasSteps(compared, metric) === has))
  const isPlaced = metrics.some(({ dimensions }) => dimensions !== null)
  const isStepped = metrics.some(({ step }) => step !== null)
  const rows = metrics.slice(0, VALUES).map(
    ({ name, split, dimensions, value, unit, step }) =>
      html`<tr><th scope="row">${name}${split === null ? null : ` (${split})`}</th>\
${isPlaced ? html`<td>${placeInWords(dimensions ?? {})}</td>` : null}
  <td>${typeof value === "number" ? figure(value) : value} ${unit}</td>\
${isStepped ? html`<td>${step?.toLocaleString("en")}</td>` : null}</tr>`,
  )
  const values = table(
    "Last values",
    ["Metric", ...(isPlaced ? ["Where"] : []), "Value", ...(isStepped ? ["Step"] : [])],
    rows,
    "caption",
  )
  const first = metrics.find(({ dimensions }) => dimensions !== null)
  const drawn = stepped?.slice(0, PICTURES) ?? []
  const [dotted, beyond] = [(stepless ?? []).slice(0, DOTS), Math.max(0, (stepless ?? []).length - DOTS)]
  return html`${dotsOf(compared, dotted)}${
    beyond === 0 ? null : html`<p class="meta">These are the first ${DOTS} values without a step.</p>`
  }<div class="pair">\
${drawn.map((metric, place) => metricFigure(visit, metric, compared, undefined, whole, place))}</div>${
    stepped === undefined || stepped.length <= drawn.length
      ? null
      : html`<p class="meta">${drawn.length} of its \
${columns.metricsTruncated ? "first " : ""}${stepped.length} \
metrics over steps are drawn. <a href="${to(`/attempts/compare?ids=${attemptId}`)}">Draw others</a></p>`
  }${
    first === undefined
      ? null
      : html`<p class="meta"><a href="${to(`/attempts/compare?ids=${attemptId}`)}">Means and intervals by group</a> \
<a href="${to(
          readPath(
            "experiment_measurements",
            { experimentId },
            { metric: first.name, split: first.split ?? undefined, format: "csv" },
          ),
        )}">${first.name} of the experiment as CSV</a></p>`
  }${
    isPlaced && rows.length > UNFOLDED
      ? html`<details><summary>Its last ${counted(rows.length, "value")}</summary>${values}</details>`
      : values
  }${
    attempt.metricsTruncated || metrics.length > VALUES
      ? html`<p class="meta">These are the first ones by name. \
<a href="${to(readPath("attempt_metrics", { attemptId }, { format: "csv" }))}">All points as CSV</a></p>`
      : null
  }`
}

/** How many of a log's last lines the page shows. */
const LAST = 40
/** What begins the report of an error in most programs. */
const ERRORS = ["Traceback (most recent call last)", "Error:"]

/** Renders the last lines of the log; of a failed attempt also where the log first tells of an error. */
function logOf(visit: Visit, { attemptId, log, session, status }: Attempt): Html | null {
  if (log === null && session === null) return null
  const whole = (kind: "attempt_log" | "attempt_session") =>
    to(readPath(kind, { attemptId }, { format: "text", lines: 1_000 }))
  const numbered = (lines: AnswerOf<"attempt_log">["lines"]) =>
    html`<pre class="log" tabindex="0">${lines.map(({ line, text }) => `${line}  ${text}\n`).join("")}</pre>`
  const has = (text: string) => visit.ask("attempt_log", { attemptId }, { grep: text, lines: 1 }).lines[0]
  const error = log === null || status !== "failed" ? undefined : ERRORS.map(has).find((line) => line !== undefined)
  const failed =
    error &&
    html`<h3>Where it failed first: line ${error.line}</h3>${numbered(
      visit.ask("attempt_log", { attemptId }, { from: Math.max(1, error.line - 3), lines: 20 }).lines,
    )}`
  return html`${failed}${
    log &&
    html`<h3>The last ${counted(Math.min(LAST, log.lines), "line")} of ${log.lines.toLocaleString("en")}</h3>${numbered(
      visit.ask("attempt_log", { attemptId }, { tail: LAST }).lines,
    )}<p class="meta"><a href="${whole("attempt_log")}" accesskey="l">The whole log</a><span>${bytes(log.bytes)}</span>\
${log.cut && html`<span>${counted(log.cut.lines, "line")} in its middle were left out</span>`}${digest(log.digest)}</p>`
  }${
    session &&
    html`<p class="meta"><a href="${whole("attempt_session")}">The session of its agent</a>\
<span>${session.format}</span><span>${counted(session.lines, "line")}</span></p>`
  }`
}

export const attemptPage = (visit: Visit): Shown => attemptShown(visit, visit.id("attemptId"))

/** The page of an attempt. @param pasted a table of values that was refused */
export function attemptShown(visit: Visit, attemptId: string, pasted?: PastedTable): Shown {
  const attempt = visit.ask("attempt", { attemptId })
  const { roomId, experimentId, rerunOf } = attempt
  const room = visit.ask("room", { roomId })
  const next = nextAct(visit, room, nextOfAttempt(visit, attempt))
  const experiment = visit.ask("experiment", { experimentId })
  const plan = experiment.acceptedPlans.find((each) => each.planId === attempt.planId)
  const [hypothesis] = experiment.hypotheses
  const found = findingsOf(visit, { attemptId }, new Set())
  const { newest } = found
  const way = steps("attempt", {
    hypothesis: hypothesis && { id: hypothesis.versionId, label: hypothesis.label },
    experiment: { id: experimentId, label: attempt.experimentLabel },
    plan: plan && { id: plan.planId, label: plan.label },
    attempt: { id: attemptId, label: attempt.label },
    finding: newest && { id: newest.versionId, label: newest.label },
  })
  return {
    title: `${attempt.label} of ${attempt.experimentLabel}`,
    ...following(room),
    json: readPath("attempt", { attemptId }),
    body: html`<p class="meta"><span><span class="label">${attempt.label}</span> attempt</span>\
<span>of ${label("experiment", experimentId, attempt.experimentLabel)}</span><span>${words(attempt.intent)}</span>\
<span>${person(attempt.registrant)}</span></p>
<h1>Attempt ${attempt.label} <span id="live-outcome" data-live>${outcome(attempt)}</span></h1>
<div id="live-way" data-live>${way}${next}</div>
${section(
  "metrics",
  "Metrics",
  [
    live(
      "metrics",
      attempt.metrics.length === 0 ? empty("No metric was reported.") : metricsOf(visit, attempt, found.all),
    ),
    metricsBox(visit, attempt, pasted),
  ],
  html`<a href="${to(`/rooms/${roomId}/attempts?experimentId=${experimentId}`)}">Compare with others</a>`,
)}
${reproductions(attempt)}
<section aria-labelledby="events">${heading(2, "events", "Events")}<ol class="history" id="live-events" data-live>\
${attempt.events.map(eventItem)}</ol>
  ${
    attempt.eventsTruncated ? html`<p class="meta">Older events are not shown here. Their metrics are.</p>` : null
  }</section>
${section("log", "Log", live("log", logOf(visit, attempt)))}
${section(
  "match",
  "Compared with its plan",
  planMatch(attempt),
  attempt.planId && html`<a href="${to(`/plans/${attempt.planId}`)}">the plan</a>`,
)}
<section aria-labelledby="ran">${heading(2, "ran", "What was run")}${facts([
      ["Repository", repository(attempt.repository)],
      ["Command", argv(attempt.argv)],
      ["Reruns", rerunOf && html`<a href="${to(`/attempts/${rerunOf}`)}">an earlier attempt</a>`],
      [
        "Environment",
        attempt.environment && Object.entries(attempt.environment).map(([name, value]) => html`${name}: ${value}<br>`),
      ],
      [
        "Registered",
        html`${exactTime(attempt.registeredAt)} <a href="${to(entryPath(attempt.threadId, attempt.entryId))}">its \
place in the Thread</a>`,
      ],
      ["Cost, according to its registrant", attempt.cost && costInWords(totalOf(attempt.cost)).join(", ")],
      ["Content digest", digest(attempt.contentDigest)],
    ])}<h3>Configuration</h3>${jsonBlock(attempt.configuration)}</section>
<section aria-labelledby="inputs">${heading(2, "inputs", "Inputs and outputs")}\
${list("", attempt.inputs, input, html`<p class="quiet">No input was named.</p>`)}
<div id="live-outputs" data-live>\
${attempt.outputs.length === 0 ? html`<p class="quiet">No output was reported.</p>` : outputs(attempt.outputs)}\
${attempt.outputsTruncated ? html`<p class="meta">Older outputs are not shown here.</p>` : null}</div></section>
${doing(
  visit,
  () =>
    html`<section aria-labelledby="next">${heading(2, "next", "What you can do")}<div id="live-next" data-live>${next}\
${afforded(visit, room, attempt.affordances, { attemptId })}</div></section>`,
)}
${ways([
  ["JSON", readPath("attempt", { attemptId })],
  ["Metrics as JSON", readPath("attempt_metrics", { attemptId })],
])}`,
  }
}
