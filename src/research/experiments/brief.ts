/** What experiments add to a brief: the work that is open or held, and what experiments and plans wait for. */
import { mayTakeOver, termsInWords } from "../../contract/nouns/experiments.ts"
import { writerName } from "../../contract/answers/parts.ts"
import type { Protocol } from "../../contract/definitions/work.ts"
import { parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { pathTo } from "../../contract/reads/index.ts"
import { oneLine, shortened } from "../../contract/text.ts"
import { type BriefItem, type BriefSources, inPlace, quoted, type Step, stepOf } from "../../ledger/domains/brief.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { HOLDING, isLost, lostInWords, type Terms, withTerms } from "./holders.ts"

type Shown = Pick<BriefItem<"work">, "experimentId" | "label" | "question" | "assignee" | "agent">
interface Work extends Terms, Shown {
  readonly status: "open" | "claimed" | "in_progress"
  readonly revision: number
  readonly lastSign: string
}
/** An experiment whose arms are being run: how often each succeeded, and the protocol of its newest plan. */
interface Compared extends Pick<Work, "experimentId" | "label" | "status" | "revision"> {
  readonly ran: Stored<readonly { readonly arm: string; readonly runs: number; readonly attemptId: string }[]>
  readonly planId: string | null
  readonly protocol: Stored<Protocol> | null
  /** Whether its values stand for several seeds. */
  readonly isSeeded: number
}
type Unwritten = Pick<Work, "experimentId" | "label" | "question"> & { readonly threadId: string }
type SealedPlan = { readonly [C in "planId" | "label" | "acceptor" | "opensAt"]: string }

const SIGHT = limits.briefSight
/** Values of an experiment among which a seed is looked for. */
const SEEDS = 100
const DAY = 86_400_000

// One query for each status, from its index. A single sorted query would read all live experiments of a Room.
const LIVE = ["in_progress", "claimed", "open"]
  .map(
    (status) =>
      `SELECT experiment_id FROM (SELECT e.experiment_id
        FROM experiments e
        WHERE e.status = '${status}' AND e.status IN ('open', 'claimed', 'in_progress') AND e.{place} = +?
        ORDER BY e.experiment_id
        LIMIT ${SIGHT})`,
  )
  .join(" UNION ALL ")

/** The last sign of work whose holder has been silent for too long; otherwise null. */
const silentSince = ({ status, lastSign }: Work, now: number): string | null =>
  status !== "open" && now - Date.parse(lastSign) > limits.silentDays * DAY ? lastSign : null

/** The run of a baseline that a plan asks for, or without which nobody knows what one run of each arm differs by. */
function repeatOf({ experimentId, label, revision, status, ran, planId, protocol, isSeeded }: Compared): Step[] {
  const runs = parse(ran)
  const { baselineRepeats: asked, arms = [] } = protocol === null ? {} : parse(protocol)
  const baseline = asked?.arm ?? arms.find(({ name }) => runs.some(({ arm }) => arm === name))?.name
  const first = runs.find(({ arm }) => arm === baseline)
  const expected = { experimentId, expectedRevision: revision, expectedStatus: status }
  const body =
    first === undefined
      ? { ...expected, intent: "planned", planId }
      : { ...expected, intent: "rerun", rerunOf: first.attemptId }
  const because = (why: string): Step[] => [stepOf("repeat_baseline", experimentId, label, why, body)]
  if (asked !== undefined && (first?.runs ?? 0) < asked.runs)
    return because(
      `Its plan asks for ${asked.runs} runs of ${asked.arm} before anything else; ${first?.runs ?? 0} succeeded.`,
    )
  if (first === undefined || runs.length < 2 || isSeeded === 1 || runs.some((each) => each.runs > 1)) return []
  return because(
    `It compares ${runs.length} arms with one run each. Another run of ${baseline} would tell what the same code and ` +
      "settings differ by.",
  )
}

function findingOf({ experimentId: id, label, threadId, question }: Unwritten, roomId: string): Step {
  const why = `Its attempts have ended, and no finding reports them: ${quoted(question)}`
  const provenance = { execution: { experimentId: id }, papers: [] }
  return stepOf("write_finding", id, label, why, { kind: "finding", roomId, threadId, provenance })
}

const openingOf = ({ planId, label, acceptor, opensAt }: SealedPlan): Step =>
  stepOf("open_plan", planId, label, `${acceptor} was to open it by ${opensAt}.`, { planId })

function takingOf(work: Work): Step {
  const { experimentId, label, question, status, revision, assignee, agent } = work
  const held = assignee !== null && lostInWords({ username: assignee, agent }, work)
  const why = `${held || "It is open"}: ${quoted(question)}`
  const body = { experimentId, expectedRevision: revision, expectedStatus: status }
  return stepOf("take_experiment", experimentId, label, why, body)
}

export function experimentsInBrief({ db }: { readonly db: Db }) {
  const live = inPlace<Work>(
    db,
    `SELECT e.experiment_id AS experimentId, e.label, e.question, e.status, e.revision, p.username AS assignee,
        ${HOLDING},
       max(e.updated_at, coalesce((SELECT max(a.updated_at) FROM attempts a WHERE a.experiment_id = e.experiment_id),
         '')) AS lastSign
     FROM experiments e LEFT JOIN people p ON p.user_id = e.assignee_id
     WHERE e.experiment_id IN (${LIVE}) ORDER BY e.status = 'open', e.experiment_id LIMIT ${SIGHT}`,
  )
  const sealed = inPlace<SealedPlan>(
    db,
    `SELECT n.plan_id AS planId, n.label, p.username AS acceptor, n.opens_at AS opensAt
     FROM plans n
      JOIN people p ON p.user_id = n.accepted_by
      WHERE n.opens_at IS NOT NULL AND n.opened_position IS NULL AND n.{place} = +?
      ORDER BY n.opens_at
      LIMIT ${SIGHT}`,
  )
  // The experiments that are held, with how often each arm of theirs ran.
  const compared = inPlace<Compared>(
    db,
    `SELECT e.experiment_id AS experimentId, e.label, e.status, e.revision, n.plan_id AS planId,
       ${contentOf("n")} -> '$.protocol' AS protocol,
       (SELECT json_group_array(json_object('arm', g.arm, 'runs', g.runs, 'attemptId', g.attempt_id))
         FROM (SELECT a.plan_match ->> '$.argvComparedWith' AS arm, count(*) AS runs,
             min(a.attempt_id) AS attempt_id
           FROM attempts a
           WHERE a.experiment_id = e.experiment_id AND a.status = 'succeeded'
           GROUP BY arm
           HAVING arm IS NOT NULL
           ORDER BY min(a.attempt_id)
           LIMIT ${limits.protocolArms}) g) AS ran,
       EXISTS (SELECT 1
         FROM (SELECT l.dimensions_id
           FROM attempts a
           JOIN attempt_last_metrics l ON l.attempt_id = a.attempt_id
           WHERE a.experiment_id = e.experiment_id
           LIMIT ${SEEDS}) l
         JOIN dimension_sets s USING (dimensions_id)
         WHERE s.dimensions ->> '$.seed' IS NOT NULL) AS isSeeded
     FROM experiments e
     LEFT JOIN plans n ON n.plan_id = (SELECT p.plan_id
       FROM plans p
       WHERE p.experiment_id = e.experiment_id
       ORDER BY p.plan_id DESC
       LIMIT 1)
     WHERE e.experiment_id IN (${LIVE}) AND e.status <> 'open'
     ORDER BY e.experiment_id`,
  )
  // The experiments whose attempts have ended and that no finding names. Reproductions speak for what they reproduce,
  // and need no finding.
  const unwritten = inPlace<Unwritten>(
    db,
    `SELECT e.experiment_id AS experimentId, e.label, e.thread_id AS threadId, e.question FROM experiments e
     WHERE e.{place} = +? AND e.status IN ('claimed', 'in_progress', 'completed')
       AND EXISTS (SELECT 1 FROM attempts a WHERE a.experiment_id = e.experiment_id
         AND a.status IN ('succeeded', 'failed') AND a.intent <> 'reproduction')
       AND NOT EXISTS (SELECT 1 FROM attempt_counts c WHERE c.experiment_id = e.experiment_id
         AND c.status IN ('registered', 'started') AND c.attempts > 0)
       AND NOT EXISTS (SELECT 1 FROM findings f WHERE f.experiment_id = e.experiment_id)
     ORDER BY e.experiment_id DESC LIMIT ${SIGHT}`,
  )
  return {
    // Held but silent, then held, then open, oldest first, because it has waited longest.
    work: {
      title: "Work",
      line: ({ label, question, status, assignee, agent, silentSince, experimentId, ...terms }) =>
        `${label} (${status.replaceAll("_", " ")}` +
        `${assignee === null ? "" : `, ${writerName({ username: assignee, agent })}`}${termsInWords(terms)}` +
        `${silentSince === null ? "" : `, silent since ${silentSince.slice(0, 10)}`}): ` +
        `${oneLine(question)} ${experimentId}`,
      link: ({ roomId }) => pathTo("experiments", {}, { roomId }),
      read(place) {
        const rows = live(place)
        const at = (now: number) => {
          const shown = rows.map((row) => {
            const { revision: _revision, lastSign: _sign, ...each } = row
            return { ...withTerms(each, now), silentSince: silentSince(row, now) }
          })
          const { idle = [], busy = [] } = Object.groupBy(shown, (each) =>
            each.silentSince !== null || mayTakeOver(each) ? "idle" : "busy",
          )
          return (most: number) =>
            [...idle, ...busy].map((each) => ({ ...each, question: shortened(each.question, most) }))
        }
        return {
          items: () => ({ at }),
          steps: (now) => rows.filter((row) => row.status === "open" || isLost(row, now)).map(takingOf),
        }
      },
    },
    experiments: {
      read(place) {
        const runs = compared(place).flatMap(repeatOf)
        const findings = unwritten(place).map((row) => findingOf(row, place.roomId))
        const plans = sealed(place)
        const due = (now: number) => plans.filter(({ opensAt }) => Date.parse(opensAt) <= now).map(openingOf)
        return { steps: (now) => [...runs, ...findings, ...due(now)] }
      },
    },
  } satisfies Partial<BriefSources>
}
