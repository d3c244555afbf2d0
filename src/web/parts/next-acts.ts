/** The one next act for each object on the way from a hypothesis to a verdict, for who is looking. */
import { writerName } from "../../contract/answers/index.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { address } from "../addresses.ts"
import { type Html, html, to } from "../html.ts"
import { orNull, type Visit } from "../visit.ts"
import { act } from "./actions.ts"
import { findingsOf, linkedIn, type Next } from "./guide.ts"
import { actionButton, clock } from "./parts.ts"

type Experiment = AnswerOf<"experiment">
type Attempt = AnswerOf<"attempt">
type RecordRead = AnswerOf<"record">

const isRunning = ({ status }: Pick<Experiment, "status">): boolean => status === "claimed" || status === "in_progress"

/** A link to a form with several values of one name. */
const toForm = (operation: "publish_finding", given: readonly (readonly [string, string])[], text: string): Html =>
  html`<a class="button" href="${to(`/do/${operation}?${new URLSearchParams(given.map(([name, value]) => [name, value]))}`)}">${text}</a>`

/** The form of a finding with what its attempts tell already. */
function publishFinding(
  { experimentId, roomId, threadId }: Pick<Experiment, "experimentId" | "roomId" | "threadId">,
  attemptIds: readonly string[],
  planId: string | null | undefined,
): Html {
  const at = "/provenance/execution"
  return toForm(
    "publish_finding",
    [
      ["roomId", roomId],
      ["threadId", threadId],
      [`${at}/experimentId`, experimentId],
      ...attemptIds.map((attemptId) => [`${at}/attemptIds`, attemptId] as const),
      ...(planId == null ? [] : [[`${at}/planId`, planId] as const]),
    ],
    "Publish a finding",
  )
}

/** The attempts that a finding about one of them comes from: it, and those of the same person that succeeded and no finding names. */
function beside(visit: Visit, { attemptId, experimentId, registrant }: Attempt): string[] {
  const { items } = visit.ask("attempts", {}, { experimentId, status: "succeeded" })
  const others = items.filter(
    (other) => other.registrant.userId === registrant.userId && visit.tables.findings.ofAttempt(other.attemptId).length === 0,
  )
  return [...new Set([attemptId, ...others.map((other) => other.attemptId)])]
}

/** The form in which a finding says what it answers. */
const sayWhatItAnswers = (findingVersionId: string, experimentId: string | undefined, label: string): Html =>
  act("link_experiment_finding", { findingVersionId, experimentId }, `Say what ${label} answers`, "first")

/** What an experiment waits for. */
export function nextOfExperiment(visit: Visit, experiment: Experiment, links: AnswerOf<"experiment_findings">["items"]): Next | null {
  const { experimentId, status, assigneeId, assignee, lease, acceptedPlans, attempts, affordances, roomId, threadId, hypotheses } =
    experiment
  const { expectedRevision, expectedStatus } = affordances.expected
  const isMine = assigneeId !== null && assigneeId === visit.person?.userId
  const take = (text: string): Html => {
    const guard = { "/experimentId": experimentId, "/expectedRevision": String(expectedRevision), "/expectedStatus": expectedStatus }
    return actionButton("take_experiment", guard, text, { first: true })
  }
  if (status === "open") return { button: take("Take it"), why: "nobody has it. Take it to plan and run it." }
  if (lease?.lapsed === true && !isMine)
    return {
      button: take("Take it over"),
      why: html`${assignee && writerName(assignee)} held it until ${clock(lease.until)}, and the lease has lapsed.`,
    }
  if (status === "cancelled") {
    const [hypothesis] = hypotheses
    return {
      button: act("propose_experiment", { roomId, threadId, hypotheses: hypothesis?.versionId }, "Propose another experiment", "first"),
      why: "this one was called off.",
    }
  }
  const linked = linkedIn(links)
  const { unlinked, newest } = findingsOf(visit, { experimentId }, linked)
  if (unlinked !== undefined)
    return { button: sayWhatItAnswers(unlinked.versionId, experimentId, unlinked.label), why: html`${unlinked.label} answers nothing yet.` }
  const guard = { experimentId, expectedRevision, expectedStatus }
  if (isMine && acceptedPlans.length === 0 && attempts.total === 0)
    return { button: act("accept_plan", guard, "Accept a plan", "first"), why: "a plan pins the code and the arms before anything runs." }
  if (isMine && attempts.total === 0)
    return {
      button: act("register_attempt", { experimentId, intent: "planned" }, "Register an attempt", "first"),
      why: "register each run before you launch it.",
    }
  const { items } = visit.ask("attempts", {}, { experimentId })
  const running = items.find(
    (attempt) => (attempt.status === "started" || attempt.status === "registered") && attempt.registrant.userId === visit.person?.userId,
  )
  if (running !== undefined)
    return {
      button: act("report_attempt_event", { attemptId: running.attemptId }, `Report what happened to ${running.label}`, "first"),
      why: html`${running.label} has not ended yet.`,
    }
  const succeeded = items.filter((attempt) => attempt.status === "succeeded")
  if (newest === undefined && succeeded.length > 0)
    return {
      button: publishFinding(
        experiment,
        succeeded.map(({ attemptId }) => attemptId),
        acceptedPlans.at(-1)?.planId,
      ),
      why: "say what came out, also when nothing did.",
    }
  if (isMine && newest !== undefined && (status === "claimed" || status === "in_progress"))
    return {
      button: act("report_experiment_status", { ...guard, status: "completed" }, "Finish it", "first"),
      why: "its findings say what they answer.",
    }
  if (newest !== undefined)
    return { button: reproduce(experimentId, newest), why: html`reproduce ${newest.label} with your own agent or code.` }
  return { button: null, why: assignee === null ? "an attempt." : `${writerName(assignee)} has it.` }
}

/** The form of an attempt that reproduces a finding. */
const reproduce = (experimentId: string | undefined, { versionId, label }: { readonly versionId: string; readonly label: string }): Html =>
  act(
    "register_attempt",
    { experimentId, intent: "reproduction", "/reproduces/findingVersionId": versionId },
    `Reproduce ${label}`,
    "first",
  )

/** What an attempt waits for. */
export function nextOfAttempt(visit: Visit, attempt: Attempt): Next | null {
  const { attemptId, label, status, registrant, experimentId, roomId, threadId, planId } = attempt
  const isMine = registrant.userId === visit.person?.userId
  if (status === "registered" || status === "started")
    return isMine
      ? { button: act("report_attempt_event", { attemptId }, `Report what happened to ${label}`, "first"), why: "it has no outcome yet." }
      : { button: null, why: `${writerName(registrant)} reports how it ended.` }
  const { newest } = findingsOf(visit, { attemptId }, new Set())
  if (newest !== undefined) {
    const linked = linkedIn(visit.ask("experiment_findings", { experimentId }).items)
    const isLinked = linked.has(newest.versionId)
    return isLinked
      ? {
          button: act(
            "register_attempt",
            { experimentId, intent: "reproduction", "/reproduces/attemptId": attemptId },
            `Reproduce ${label}`,
            "first",
          ),
          why: html`${newest.label} tells what came of it. Reproduce it with your own agent or code.`,
        }
      : {
          button: sayWhatItAnswers(newest.versionId, experimentId, newest.label),
          why: html`${newest.label} tells what came of it, and answers nothing yet.`,
        }
  }
  if (status === "succeeded")
    return {
      button: publishFinding({ experimentId, roomId, threadId }, beside(visit, attempt), planId),
      why: "say what came out, also when nothing did.",
    }
  return isMine
    ? {
        button: act("register_attempt", { experimentId, intent: "rerun", "/rerunOf": attemptId }, `Run ${label} again`, "first"),
        why: "it has no result. Run it again, or say in a finding what its failure shows.",
      }
    : {
        button: publishFinding({ experimentId, roomId, threadId }, [attemptId], planId),
        why: "it has no result. Say in a finding what its failure shows.",
      }
}

/** What a finding waits for that says what it answers: the end of its experiment, a review, a reproduction. */
function nextOfAnswering(visit: Visit, { versionId, label, execution, author, reviews = [] }: RecordRead): Next | null {
  const me = visit.person?.userId
  const experiment = execution === null ? null : orNull(() => visit.ask("experiment", { experimentId: execution.experimentId }))
  const { expectedRevision, expectedStatus } = experiment?.affordances.expected ?? {}
  if (experiment !== null && me !== undefined && experiment.assigneeId === me && isRunning(experiment))
    return {
      button: act(
        "report_experiment_status",
        { experimentId: experiment.experimentId, expectedRevision, expectedStatus, status: "completed" },
        `Finish ${experiment.label}`,
        "first",
      ),
      why: html`${label} answers it. Finish ${experiment.label}, or run more.`,
    }
  if (author.userId !== me && !reviews.some((review) => review.author.userId === me && review.withdrawn === null))
    return { button: act("submit_review", { target: versionId }, `Review ${label}`, "first"), why: "say what you checked of it." }
  return execution === null
    ? null
    : { button: reproduce(execution.experimentId, { versionId, label }), why: "reproduce it with your own agent or code." }
}

/** What a record waits for. @param related experiments that address it, newest first @param isLinked whether a finding says what it answers */
export function nextOfRecord(visit: Visit, record: RecordRead, related: AnswerOf<"experiments">["items"], isLinked: boolean): Next | null {
  const { kind, status, versionId, label, roomId, threadId, execution } = record
  if (status === "retracted" || status === "superseded") return null
  if (kind === "finding")
    return isLinked
      ? nextOfAnswering(visit, record)
      : { button: sayWhatItAnswers(versionId, execution?.experimentId, label), why: "it answers nothing yet." }
  if (kind !== "hypothesis") return null
  const open = related.find((experiment) => experiment.status === "open")
  const running = related.find(isRunning)
  if (open !== undefined)
    return {
      button: html`<a class="button" href="${address("experiment", open.experimentId)}">See ${open.label}</a>`,
      why: html`${open.label} tests it and nobody has taken it.`,
    }
  if (running !== undefined)
    return {
      button: html`<a class="button quiet" href="${address("experiment", running.experimentId)}">See ${running.label}</a>`,
      why: html`${running.assignee === null ? "a member tests" : running.assigneeId === visit.person?.userId ? "you test" : `${writerName(running.assignee)} tests`} it in ${running.label}.`,
    }
  return {
    button: act("propose_experiment", { roomId, threadId, hypotheses: versionId }, "Propose an experiment", "first"),
    why: related.length === 0 ? "nobody has tested it." : "test it another way.",
  }
}
