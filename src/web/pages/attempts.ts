/** One attempt with its events, inputs, outputs and metrics. */
import { armsInWords } from "../../contract/nouns/attempt-answers.ts"
import { costInWords, totalOf } from "../../contract/answers/costs.ts"
import { independenceInWords } from "../../contract/answers/evidence.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { verdictOfAll } from "../../research/measurements/working-out.ts"
import { outcome } from "../parts/attempt-table.ts"
import { address, entryPath, readPath, type Html, html, joined, to } from "../html.ts"
import { bytes, counted, words } from "../words.ts"
import { beginning, inlineMarkdown, phrase } from "../markdown.ts"
import { afforded, doing } from "../parts/actions.ts"
import { firstScreen, scopeLine, stands, following, nextAct, steps } from "../parts/room-frame.ts"
import { nextOfAttempt, findingsOf, type Found } from "../parts/next-acts.ts"
import { stateBadge, yesNo } from "../parts/marks.ts"
import {
  list,
  live,
  section,
  argv,
  digest,
  exactTime,
  facts,
  fold,
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
import type { Shown, Visit } from "../visit.ts"
import { measuredBy } from "./measures.ts"
import { metricsBox, type PastedTable } from "../forms/table.ts"

type Attempt = AnswerOf<"attempt">

function planMatch({ planMatch: found, planId, intendedDeviation }: Attempt): Html {
  if (found === null)
    return html`<p class="quiet">${planId === null ? "It was registered without a plan." : "It was not compared."}</p>`
  const compared =
    found.argvComparedWith === null
      ? "no arm of the plan"
      : found.argvComparedWith === "entrypoint"
        ? "the plan's entry point"
        : `arm “${found.argvComparedWith}”`
  const command = found.arms === undefined ? `matches ${compared}` : armsInWords(found.arms)
  return html`${table(
    "Comparison with the plan",
    ["What", "Compared"],
    [
      html`<tr><th scope="row">commit</th>\
<td>${yesNo(found.commitMatchesPlan, "the plan's commit", "another commit")}</td></tr>`,
      html`<tr><th scope="row">command</th>\
<td>${yesNo(found.argvMatchesPlan, command, command, "the plan names no command")}</td>\
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
    event.reportedAt === null ? null : html`happened ${exactTime(event.reportedAt)} by its own clock; `
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
  const comparisons = repeats.flatMap(({ versionId, comparison, verdict: counted }) => {
    if (comparison === null) return []
    const counts = counted === null || counted === verdict ? null : html` It counts as: ${stateBadge(counted)}`
    return html`<a href="${address("finding", versionId)}">By the numbers</a>: ${comparison.sentence}${counts}`
  })
  return comparisons.length === 0 ? null : html`${joined(comparisons, " ")}`
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

/** Whether an attempt ran what its plan says, in a few words. */
function matchInWords({ planMatch: found, planId }: Attempt): Html | string {
  if (found === null) return planId === null ? "Registered without a plan" : "Not compared with its plan"
  const { commitMatchesPlan, argvMatchesPlan, materialsMatchPlan, deviations } = found
  const isSame = [commitMatchesPlan, argvMatchesPlan, materialsMatchPlan].every((each) => each !== false)
  return yesNo(isSame && deviations.length === 0, "ran as planned", "differs from its plan")
}

/** What a reproduction counts as for each finding: by its numbers if they were compared, else by its author's word. */
function countedAs({ verdict, repeats = [] }: NonNullable<Attempt["reproduction"]>): Html[] {
  const byFinding = [...Map.groupBy(repeats, ({ versionId }) => versionId).values()]
  const counted = byFinding.map((of) => verdictOfAll(of.flatMap((each) => each.verdict ?? [])) ?? verdict)
  return [...new Set(counted.length === 0 ? [verdict] : counted)].map((each) => stateBadge(each))
}

/** How an attempt stands: its outcome, its failure, its plan, and what findings made of it. */
function verdictOf(attempt: Attempt, findings: Found["all"]): Html {
  const { reproduction, cost } = attempt
  const failure = attempt.events.findLast((event) => event.failure !== undefined)?.failure
  return stands(
    outcome(attempt),
    failure && html`Failed in ${failure.stage}: ${beginning(failure.explanation, 160)}`,
    reproduction && html`As a reproduction: ${joined(countedAs(reproduction))}`,
    matchInWords(attempt),
    findings.length === 0
      ? "No finding uses it yet."
      : html`Used by ${joined(findings.map(({ versionId, label: text }) => label("finding", versionId, text)))}`,
    cost && html`<span class="quiet">Cost ${costInWords(totalOf(cost)).join(", ")}</span>`,
  )
}

export const attemptPage = (visit: Visit): Shown => attemptShown(visit, visit.id("attemptId"))

/** The page of an attempt. @param pasted a table of values that was refused */
export function attemptShown(visit: Visit, attemptId: string, pasted?: PastedTable): Shown {
  const attempt = visit.ask("attempt", { attemptId })
  const { roomId, experimentId, rerunOf } = attempt
  const room = visit.room(roomId)
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
  const { picture, folds } = measuredBy(visit, attempt, found.all)
  const command = argv(attempt.argv)
  return {
    title: `${attempt.label} of ${attempt.experimentLabel}`,
    ...following(room),
    wide: true,
    json: readPath("attempt", { attemptId }),
    body: html`${firstScreen({
      meta: html`<span><span class="label">${attempt.label}</span> attempt</span>\
<span>of ${label("experiment", experimentId, attempt.experimentLabel)}</span><span>${words(attempt.intent)}</span>\
<span>${person(attempt.registrant)}</span><span>${exactTime(attempt.registeredAt)}</span>`,
      sentence: html`<h1>Attempt ${attempt.label}</h1>`,
      scope: scopeLine("For the question", phrase(experiment.question)),
      way,
      picture,
      verdict: verdictOf(attempt, found.all),
      next: nextAct(visit, room, nextOfAttempt(visit, attempt)),
    })}
${metricsBox(visit, attempt, pasted)}
${reproductions(attempt)}
${folds}
${fold("events", "Events", counted(attempt.events.length, "event"), [
  html`<ol class="history" id="live-events" data-live>${attempt.events.map(eventItem)}</ol>`,
  attempt.eventsTruncated ? html`<p class="meta">Older events are not shown here. Their metrics are.</p>` : null,
])}
${fold("log", "Log", attempt.log && counted(attempt.log.lines, "line"), live("log", logOf(visit, attempt)))}
${fold("match", "Compared with its plan", matchInWords(attempt), [
  planMatch(attempt),
  attempt.planId && html`<p><a href="${to(`/plans/${attempt.planId}`)}">The plan</a></p>`,
])}
${fold("ran", "What was run", command, [
  facts([
    ["Repository", repository(attempt.repository)],
    ["Command", command],
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
    ["Cost, as reported", attempt.cost && costInWords(totalOf(attempt.cost)).join(", ")],
    ["Content digest", digest(attempt.contentDigest)],
  ]),
  html`<h3>Configuration</h3>${jsonBlock(attempt.configuration)}`,
])}
${fold(
  "inputs",
  "Inputs and outputs",
  `${attempt.inputs.length} and ${attempt.outputs.length}`,
  html`${list("", attempt.inputs, input, html`<p class="quiet">No input was named.</p>`)}
<div id="live-outputs" data-live>\
${attempt.outputs.length === 0 ? html`<p class="quiet">No output was reported.</p>` : outputs(attempt.outputs)}\
${attempt.outputsTruncated ? html`<p class="meta">Older outputs are not shown here.</p>` : null}</div>`,
)}
${doing(
  visit,
  () =>
    attempt.affordances.operations.length > 0 &&
    html`<section aria-labelledby="next">${heading(2, "next", "What you can do")}<div id="live-next" data-live>\
${afforded(visit, room, attempt.affordances, { attemptId })}</div></section>`,
)}
${ways([
  ["JSON", readPath("attempt", { attemptId })],
  ["Metrics as JSON", readPath("attempt_metrics", { attemptId })],
])}`,
  }
}
