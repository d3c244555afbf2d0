/** The behaviours that claim work and release it. */
import { isObject } from "../../contract/json.ts"
import { known, noSuch } from "../../contract/objects/no-such.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { namedIn } from "../../contract/schema/ref.ts"
import { type ClaimedWork, enumerations } from "../../contract/schema/enumerations.ts"
import { type OperationName, operationOf, researchWrites } from "../../contract/operations/index.ts"
import { behaviour, type FollowingStep, following } from "../../ledger/journal/behaviour.ts"
import type { Holders } from "../experiments/holders.ts"
import { type Claims, isDone } from "./claims.ts"

/** The refusal of a claim to run something that says neither by its object nor by a note what it is. */
function unnamed(): Refusal {
  const issue = { path: "/note", message: "is required without object: say what you take, an arm or a question" }
  return new Refusal("invalid_schema", `note ${issue.message}.`, { issues: [issue] })
}

export function claimOperations({ claims }: { claims: Claims }) {
  const claim_work = behaviour("claim_work", {
    subject({ body }) {
      if (body.what === "run" && body.object === undefined && body.note === undefined) throw unnamed()
      const found = claims.object(body.object ?? body.threadId ?? "")
      if (found !== undefined) return { roomId: found.roomId, threadId: found.threadId, found }
      throw body.object === undefined
        ? noSuch("thread")
        : new Refusal("unknown_record", "There is nothing with this id that can be claimed.")
    },
    references: ({ body }, { threadId }) =>
      body.threadId === undefined || body.threadId === threadId
        ? []
        : [{ path: "/threadId", message: "is not the Thread of the object" }],
    admit({ body }, { found: { id, kind, label, status } }) {
      if (!isDone(body.what, { kind, status })) return
      const current = { id, kind, label, status }
      if (kind === "experiment")
        throw new Refusal("experiment_not_open", `${label} is ${status}; there is nothing left to run.`, { current })
      const why = kind === "attempt" ? `has ended: ${status}.` : `is ${status}; there is nothing left to claim.`
      throw new Refusal("state_conflict", `${label} ${why}`, { current })
    },
    write({ actor, body: { what, minutes } }, { found }, { at, position, newId }) {
      const claimId = newId()
      const until = claims.insert({ claimId, what, minutes, historyPosition: position }, found, actor, at)
      return { target: { id: claimId, label: null }, result: { claimId, until, label: null } }
    },
  })

  const release_claim = behaviour("release_claim", {
    subject({ body }) {
      const claim = known("work_claim", claims.find(body.claimId))
      return { roomId: claim.roomId, threadId: claim.threadId, claim }
    },
    admit({ actor }, { claim: { claimId, authorId, until } }, at) {
      if (authorId !== actor.userId)
        throw new Refusal("role_required", "Only the person whose agent made a claim can release it.", {
          current: { needed: ["author"] },
        })
      if (until <= at)
        throw new Refusal("state_conflict", `The claim ended at ${until}.`, { current: { claimId, until } })
    },
    write(_call, { claim: { claimId } }, { at }) {
      claims.end(claimId, at)
      return { target: { id: claimId, label: null }, result: { claimId, until: at, label: null } }
    },
  })

  return { claim_work, release_claim }
}

/** Returns the claimable work that a write does; undefined for other writes. */
function workOf(operation: OperationName, body: unknown): ClaimedWork | undefined {
  const members = isObject(body) ? body : {}
  switch (operation) {
    case "claim_work":
      return enumerations.claimedWork.find((what) => what === members.what)
    case "propose_experiment":
    case "take_experiment":
      return "run"
    case "register_attempt":
      return members.intent === "reproduction" ? "reproduce" : "run"
    case "publish_finding":
      return "write_finding"
    case "post_research_checkpoint":
      return "write_checkpoint"
    case "submit_review":
      return "review"
    case "report_attempt_event":
      return members.reproduction === undefined ? undefined : "reproduce"
    default:
      return undefined
  }
}

/** The writes with which the work that they do is done. */
const ending: ReadonlySet<OperationName> = new Set([
  "publish_finding",
  "post_research_checkpoint",
  "submit_review",
  "report_attempt_event",
])
/** The writes that are about their Thread itself; others in it renew no claim on it. */
const inThread: ReadonlySet<OperationName> = new Set(["claim_work", "post_message", "post_research_checkpoint"])

/** The members of a body that mention what is there already, which is no work on it. */
const MENTIONING: ReadonlySet<string> = new Set(["citations", "references", "premises"])

/**
 * Renews the claims and leases of the agent that writes, ends the claim on work that the write does, and warns about
 * the claims of others.
 */
export function renewingStep({ claims, holders }: { claims: Claims; holders: Holders }): FollowingStep {
  const renewing = researchWrites.filter((name) => name !== "release_claim")
  return following(renewing, ({ operation, call, subject, change, outcome, isWorkedOn }) => {
    const roomId = outcome.roomId ?? subject.roomId
    if (roomId === null || !isWorkedOn) return []
    const threadId = outcome.threadId ?? subject.threadId
    const { actor } = call
    const isHolder = holders.anyOf(actor.userId, roomId)
    if (!isHolder && !claims.anyActive(roomId, change.at)) return []
    const body = Object.fromEntries(
      Object.entries(isObject(call.body) ? call.body : {}).filter(([member]) => !MENTIONING.has(member)),
    )
    const ids = [
      ...namedIn(operationOf(operation).body, body).map(({ id }) => id),
      outcome.target.id,
      ...(threadId == null || !inThread.has(operation) ? [] : [threadId]),
    ]
    const concerned = claims.withRelated(ids)
    if (isHolder) holders.renew(concerned, actor, change.at)
    const work = workOf(operation, call.body)
    return claims.renew(roomId, concerned, work, ending.has(operation), actor, change.at)
  })
}
