/** Chooses the next action for each object between a hypothesis and a verdict, for the person who views its page. */
import type { ThreadSummary } from "../../contract/nouns/threads.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { withQuery, address, type Content, type Html, html, to } from "../html.ts"
import { beginning } from "../markdown.ts"
import { type Visit, orNull } from "../visit.ts"
import { type RoomLike, roleIn, act, type Given } from "./actions.ts"
import { actionButton, named } from "./parts.ts"
import { heldBy } from "./work.ts"
import { title } from "../words.ts"
import { mayTakeOver } from "../../contract/nouns/experiments.ts"
import { writerName } from "../../contract/answers/parts.ts"
import type { OperationName } from "../../contract/operations/index.ts"
import type { Next } from "./room-frame.ts"

/**
 * Returns the findings that name an experiment or an attempt, newest first. @param linked the findings that a link
 * relates to it
 */
export function findingsOf(
  visit: Visit,
  of: { readonly experimentId: string } | { readonly attemptId: string },
  linked: ReadonlySet<string>,
) {
  const { findings } = visit.tables
  const ids = "attemptId" in of ? findings.ofAttempt(of.attemptId) : findings.ofExperiment(of.experimentId)
  const found = ids.flatMap((versionId) => {
    const record = visit.record(versionId)
    if (record === null) return []
    // Not every page shows them.
    const effects = () => visit.effects(versionId)
    return [{ ...record, effects }]
  })
  const standing = found.filter(({ status }) => status !== "retracted" && status !== "superseded")
  return {
    all: found,
    newest: standing[0] ?? found[0],
    unlinked: standing.find(({ versionId }) => !linked.has(versionId)),
  }
}

export type Found = ReturnType<typeof findingsOf>

/** The findings that a link relates to the experiment. Links that were withdrawn do not count. */
export const linkedIn = (links: AnswerOf<"experiment_findings">["items"]): Set<string> =>
  new Set(links.filter(({ withdrawn }) => withdrawn == null).map(({ finding }) => finding.versionId))

// Renders the next steps of a Room from its brief, each with a button.

type Step = AnswerOf<"room_next">["items"][number]

/** The words of each kind of step. A reason of its own replaces the one from the read, which is for programs. */
const steps: Readonly<Record<string, readonly [step: string, button: string, why?: string]>> = {
  answer_dispute: ["Answer the dispute of", "Answer"],
  settle_reproduction: ["Settle the reproductions of", "Reproduce it again"],
  renew_conclusion: ["Renew a conclusion", "Renew"],
  review_conclusion: ["Review a conclusion", "Review"],
  report_outcome: ["Report how it ended:", "Report", "No outcome was reported yet."],
  repeat_baseline: ["Repeat the baseline of", "Register a run"],
  write_finding: ["Report what came of", "Publish a finding"],
  open_plan: ["Open", "Open it", "It is overdue."],
  answer_question: ["Answer a question", "Propose an experiment"],
  test_hypothesis: ["Test", "Propose an experiment", "Nobody has tested it."],
  take_experiment: ["Take", "Take it"],
  reproduce_finding: ["Reproduce", "Reproduce it", "Nobody has reported a reproduction yet."],
}

/** The words of a step. A kind without words here shows its own name. */
const wordsOf = (what: string) => steps[what] ?? [title(what), title(what)]

/** The body of a step as parameters of its form's address: members by name, nested members by pointer. */
function parametersOf(body: Step["body"], prefix = ""): [string, string][] {
  return Object.entries(body).flatMap(([name, value]): [string, string][] => {
    if (Array.isArray(value)) return value.map((each) => [prefix + name, String(each)])
    if (typeof value === "object" && value !== null) return parametersOf({ ...value }, `${prefix || "/"}${name}/`)
    return [[prefix + name, String(value)]]
  })
}

/** The button of a step. Null if the visitor is not a member. */
function button({ what, operation, body, object }: Step, visit: Visit, room: RoomLike): Content {
  const role = roleIn(visit, room)
  if ((role !== "member" && role !== "owner") || room.state === "archived") return null
  const isHeld = what === "take_experiment" && body.expectedStatus !== "open"
  const text = isHeld ? "Take it over" : wordsOf(what)[1]
  const label = html`${text}${object.label === null ? null : html`<span class="aside"> ${object.label}</span>`}`
  // Taking an experiment needs no form.
  if (what === "take_experiment")
    return actionButton(
      operation,
      Object.fromEntries(parametersOf(body).map(([name, value]) => [`/${name}`, value])),
      label,
    )
  const query = new URLSearchParams(parametersOf(body))
  return html`<a class="button quiet" href="${to(`${withQuery(`/do/${operation}`, {})}?${query}`)}">${label}</a>`
}

/** Renders a step. @param detail replaces the read's reason */
export const stepItem = (step: Step, visit: Visit, room: RoomLike, detail?: Content): Html => {
  const { what, object, why } = step
  const [text, , own] = wordsOf(what)
  const name = object.label === null ? null : html` ${named(object.kind, object.id, object.label)}`
  return html`<li><div><strong>${text}${name}</strong> <span class="why">${detail ?? beginning(own ?? why, 90)}</span>\
</div>${button(step, visit, room)}</li>`
}

type Experiment = AnswerOf<"experiment">
type Attempt = AnswerOf<"attempt">
type RecordRead = AnswerOf<"record">

const isRunning = ({ status }: Pick<Experiment, "status">): boolean => status === "claimed" || status === "in_progress"

const first = (operation: OperationName, given: Given, text: string, why: Content): Next => ({
  button: act(operation, given, text, "first"),
  why,
})

function publishFinding(
  { experimentId, roomId, threadId }: Pick<Experiment, "experimentId" | "roomId" | "threadId">,
  attemptIds: readonly string[],
  planId: string | null | undefined,
): Html {
  const at = "/provenance/execution"
  const given = new URLSearchParams({ roomId, threadId, [`${at}/experimentId`]: experimentId })
  for (const attemptId of attemptIds) given.append(`${at}/attemptIds`, attemptId)
  if (planId != null) given.append(`${at}/planId`, planId)
  return html`<a class="button" href="${to(`/do/publish_finding?${given}`)}">Publish a finding</a>`
}

/**
 * The attempts for a finding about this attempt: it, and the same person's successful attempts that no finding names.
 */
function attemptsWith(visit: Visit, { attemptId, experimentId, registrant }: Attempt): string[] {
  // Nobody who is signed out sees the button that they fill in.
  if (visit.person === undefined) return [attemptId]
  const { items } = visit.ask("attempts", {}, { experimentId, status: "succeeded" })
  const others = items.filter(
    (other) =>
      other.registrant.userId === registrant.userId && visit.tables.findings.ofAttempt(other.attemptId).length === 0,
  )
  return [...new Set([attemptId, ...others.map((other) => other.attemptId)])]
}

const sayWhatItAnswers = (
  findingVersionId: string,
  experimentId: string | undefined,
  label: string,
  why: Content,
): Next => first("link_experiment_finding", { findingVersionId, experimentId }, `Say what ${label} answers`, why)

export function nextOfExperiment(
  visit: Visit,
  experiment: Experiment,
  links: AnswerOf<"experiment_findings">["items"],
): Next | null {
  const {
    experimentId,
    status,
    assigneeId,
    assignee,
    acceptedPlans,
    attempts,
    affordances,
    roomId,
    threadId,
    hypotheses,
  } = experiment
  const { expectedRevision, expectedStatus } = affordances.expected
  const isMine = assigneeId !== null && assigneeId === visit.person?.userId
  const take = (text: string): Html => {
    const guard = {
      "/experimentId": experimentId,
      "/expectedRevision": String(expectedRevision),
      "/expectedStatus": expectedStatus,
    }
    return actionButton("take_experiment", guard, text, { first: true })
  }
  if (status === "open") return { button: take("Take it"), why: "nobody has it. Take it to plan and run it." }
  if (mayTakeOver(experiment) && !isMine)
    return {
      button: take("Take it over"),
      why: html`it was ${heldBy(experiment)}.`,
    }
  if (status === "cancelled") {
    const given = { roomId, threadId, hypotheses: hypotheses[0]?.versionId }
    return first("propose_experiment", given, "Propose another experiment", "this one was called off.")
  }
  const linked = linkedIn(links)
  const { unlinked, newest } = findingsOf(visit, { experimentId }, linked)
  if (unlinked !== undefined)
    return sayWhatItAnswers(
      unlinked.versionId,
      experimentId,
      unlinked.label,
      html`${unlinked.label} answers nothing yet.`,
    )
  const guard = { experimentId, expectedRevision, expectedStatus }
  if (isMine && acceptedPlans.length === 0 && attempts.total === 0)
    return first("accept_plan", guard, "Pin the plan", "a plan pins the code and the arms before anything runs.")
  if (isMine && attempts.total === 0) {
    const given = { experimentId, intent: "planned" }
    return first("register_attempt", given, "Register an attempt", "register each run before you launch it.")
  }
  const { items } = visit.ask("attempts", {}, { experimentId })
  const running = items.find(
    (attempt) =>
      (attempt.status === "started" || attempt.status === "registered") &&
      attempt.registrant.userId === visit.person?.userId,
  )
  if (running !== undefined) return report(running, html`${running.label} has not ended yet.`)
  const succeeded = items.filter((attempt) => attempt.status === "succeeded")
  if (newest === undefined && succeeded.length > 0) {
    const ids = succeeded.map(({ attemptId }) => attemptId)
    return {
      button: publishFinding(experiment, ids, acceptedPlans.at(-1)?.planId),
      why: "say what came out, even if nothing did.",
    }
  }
  if (isMine && newest !== undefined && isRunning(experiment))
    return first(
      "report_experiment_status",
      { ...guard, status: "completed" },
      "Finish it",
      "its findings say what they answer.",
    )
  if (newest !== undefined)
    return reproduce(experimentId, newest, html`reproduce ${newest.label} with your own agent or code.`)
  return { button: null, why: assignee === null ? "an attempt." : `${writerName(assignee)} has it.` }
}

function reproduce(
  experimentId: string | undefined,
  { label, ...of }: { readonly label: string } & ({ readonly versionId: string } | { readonly attemptId: string }),
  why: Content,
): Next {
  const named =
    "versionId" in of ? { "/reproduces/findingVersionId": of.versionId } : { "/reproduces/attemptId": of.attemptId }
  return first("register_attempt", { experimentId, intent: "reproduction", ...named }, `Reproduce ${label}`, why)
}

const report = ({ attemptId, label }: Pick<Attempt, "attemptId" | "label">, why: Content): Next =>
  first("report_attempt_event", { attemptId }, `Report what happened to ${label}`, why)

export function nextOfAttempt(visit: Visit, attempt: Attempt): Next | null {
  const { attemptId, label, status, registrant, experimentId, roomId, threadId, planId } = attempt
  const isMine = registrant.userId === visit.person?.userId
  if (status === "registered" || status === "started")
    return isMine
      ? report(attempt, "it has no outcome yet.")
      : { button: null, why: `${writerName(registrant)} reports how it ended.` }
  const { newest } = findingsOf(visit, { attemptId }, new Set())
  if (newest !== undefined) {
    const linked = linkedIn(visit.ask("experiment_findings", { experimentId }).items)
    return linked.has(newest.versionId)
      ? reproduce(
          experimentId,
          attempt,
          html`${newest.label} reports its result. Reproduce it with your own agent or code.`,
        )
      : sayWhatItAnswers(
          newest.versionId,
          experimentId,
          newest.label,
          html`${newest.label} reports its result, and answers nothing yet.`,
        )
  }
  const where = { experimentId, roomId, threadId }
  if (status === "succeeded")
    return {
      button: publishFinding(where, attemptsWith(visit, attempt), planId),
      why: "say what came out, even if nothing did.",
    }
  if (!isMine)
    return {
      button: publishFinding(where, [attemptId], planId),
      why: "it has no result. Say in a finding what its failure shows.",
    }
  const why = "it has no result. Run it again, or say in a finding what its failure shows."
  return first("register_attempt", { experimentId, intent: "rerun", "/rerunOf": attemptId }, `Run ${label} again`, why)
}

/** The next action for a finding that says what it answers: finish its experiment, review it, or reproduce it. */
function nextOfAnswering(
  visit: Visit,
  { versionId, label, execution, author, reviews = [] }: RecordRead,
  verdict: string,
): Next | null {
  const me = visit.person?.userId
  const experiment =
    execution === null ? null : orNull(() => visit.ask("experiment", { experimentId: execution.experimentId }))
  const { expectedRevision, expectedStatus } = experiment?.affordances.expected ?? {}
  if (experiment !== null && me !== undefined && experiment.assigneeId === me && isRunning(experiment)) {
    const given = { experimentId: experiment.experimentId, expectedRevision, expectedStatus, status: "completed" }
    const isWhole = verdict === "answers"
    const why = isWhole
      ? html`${label} answers it. Finish ${experiment.label}, or run more.`
      : html`${label} does not answer all of it. Run more, or finish ${experiment.label}.`
    return first("report_experiment_status", given, `Finish ${experiment.label}`, why)
  }
  if (author.userId !== me && !reviews.some((review) => review.author.userId === me && review.withdrawn === null))
    return first("submit_review", { target: versionId }, `Review ${label}`, "say what you checked.")
  return (
    execution && reproduce(execution.experimentId, { versionId, label }, "reproduce it with your own agent or code.")
  )
}

const see = (
  { experimentId, label }: Pick<Experiment, "experimentId" | "label">,
  look: string,
  why: Content,
): Next => ({
  button: html`<a class="${look}" href="${address("experiment", experimentId)}">See ${label}</a>`,
  why,
})

/**
 * The next action for a record. @param related experiments that address it, newest first @param verdict how far a
 * finding answers its question; undefined if it does not say so
 */
export function nextOfRecord(
  visit: Visit,
  record: RecordRead,
  related: AnswerOf<"experiments">["items"],
  verdict: string | undefined,
): Next | null {
  const { kind, status, versionId, label, roomId, threadId, execution } = record
  const replacement = record.notices.findLast(
    ({ replacementVersionId, withdrawn }) => replacementVersionId !== null && withdrawn === undefined,
  )?.replacementVersionId
  if (replacement != null)
    return {
      button: html`<a class="button" href="${to(`/records/${replacement}`)}">Read what replaces it</a>`,
      why: html`${label} was replaced.`,
    }
  if (status === "retracted" || status === "superseded") return null
  if (kind === "cited_claim") {
    const given = { roomId, threadId, "/premises/0/versionId": versionId }
    return first("publish_hypothesis", given, "Propose a hypothesis", html`say what follows if ${label} holds here.`)
  }
  if (kind === "finding")
    return verdict === undefined && execution !== null
      ? sayWhatItAnswers(versionId, execution.experimentId, label, "it answers nothing yet.")
      : nextOfAnswering(visit, record, verdict ?? "answers")
  if (kind !== "hypothesis") return null
  const open = related.find((experiment) => experiment.status === "open")
  const running = related.find(isRunning)
  if (open !== undefined) return see(open, "button", html`${open.label} tests it and nobody has taken it.`)
  if (running !== undefined) {
    const { assignee, assigneeId, label } = running
    const who =
      assignee === null
        ? "a member tests"
        : assigneeId === visit.person?.userId
          ? "you test"
          : `${writerName(assignee)} tests`
    return see(running, "button quiet", html`${who} it in ${label}.`)
  }
  const why = related.length === 0 ? "nobody has tested it." : "test it another way."
  return first("propose_experiment", { roomId, threadId, hypotheses: versionId }, "Propose an experiment", why)
}

/** The next action for a checkpoint: renew it, review it, or answer what it left open. */
export function nextOfCheckpoint(
  visit: Visit,
  { checkpointId, roomId, threadId, author, state, selected, stale, reviews, openQuestions }: AnswerOf<"checkpoint">,
  { timelineWatermark, selectedCheckpointId }: ThreadSummary,
): Next | null {
  const me = visit.person?.userId
  if (!selected)
    return {
      button: html`<a class="button" href="${to(`/checkpoints/${selectedCheckpointId ?? ""}`)}">Read the newer one</a>`,
      why: "this one was replaced.",
    }
  const moved = { expectedWatermark: timelineWatermark, coversThrough: timelineWatermark }
  if (stale)
    return first(
      "post_research_checkpoint",
      { threadId, ...moved, state: "concluded" },
      "Renew",
      "there has been news since.",
    )
  if (author.userId !== me && !reviews.some((review) => review.author.userId === me && review.withdrawn === null))
    return first("submit_review", { target: checkpointId }, "Review it", "say what you checked.")
  const [question] = openQuestions
  if (question !== undefined)
    return first("propose_experiment", { roomId, threadId, question }, "Propose an experiment", "a question is open.")
  if (state === "concluded") return null
  return first(
    "post_research_checkpoint",
    { threadId, ...moved, state: "concluded" },
    "Conclude",
    "it is not concluded yet.",
  )
}

export const nextOfMaterial = ({ materialId, locations }: AnswerOf<"material">): Next => {
  const why = locations.length === 0 ? "nobody has said where to get it." : "say whether it is still available there."
  return first("report_material_location", { materialId }, "Report a location", why)
}

/** The next action for a link: to answer it. */
export function nextOfLink(link: AnswerOf<"link">): Next {
  const { threadId, entryId: replyToEntryId } = link.kind === "finding_link" ? link.card : link
  const isUnanswered =
    (link.kind === "disputes" || (link.kind === "review" && link.verdict !== "agrees")) &&
    link.withdrawn === null &&
    link.answered === null
  const why = isUnanswered ? "it waits for an answer." : "say what you think of it."
  return first("post_message", { threadId, replyToEntryId }, "Reply", why)
}
