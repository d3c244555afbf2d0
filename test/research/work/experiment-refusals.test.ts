/** Which step of an experiment is refused to whom, and with which code: the table of protocol.md, cell by cell. */
import type { ResearchRoomClient, WriteInput } from "research-room/client"
import t, { type Test } from "tap"
import { launch, plan } from "../../support/bodies.ts"
import { openInside, refusalOf } from "../../support/lab.ts"
import { experimentIn, exploration, type Made, planFor, type State } from "./situations.ts"

const lab = await openInside(t, { people: ["ada", "grace", "mary", "anna"] })
const room = await lab.room()
const { ada: proposer, grace: holder, mary: other, anna: both } = room

type Guard = Made["expected"]
type Send = (client: ResearchRoomClient, made: Made, guard: Guard, own: Own) => Promise<unknown>
/** A plan and an attempt of the experiment, if it has any. */
interface Own {
  readonly planId: string
  readonly attemptId: string
}

const register =
  (more: (own: Own) => Partial<WriteInput<"register_attempt">>): Send =>
  (client, { experimentId }, guard, own) =>
    client.write(
      "register_attempt",
      { attemptId: crypto.randomUUID(), experimentId, intent: "exploratory", ...guard, ...launch, ...more(own) },
      { rehearse: true },
    )
const report =
  (status: "in_progress" | "completed" | "cancelled"): Send =>
  (client, { experimentId }, guard) =>
    client.write(
      "report_experiment_status",
      { experimentId, ...guard, status, summary: "So it went." },
      { rehearse: true },
    )

const sends: Readonly<Record<string, Send>> = {
  amend: (client, { experimentId }, guard) =>
    client.write(
      "amend_experiment",
      { experimentId, ...guard, scope: "There.", explanation: "Better so." },
      { rehearse: true },
    ),
  cancel: (client, { experimentId }, guard) =>
    client.write("cancel_experiment", { experimentId, ...guard, reason: "Not worth it." }, { rehearse: true }),
  take: (client, { experimentId }, guard) =>
    client.write("take_experiment", { experimentId, ...guard }, { rehearse: true }),
  plan: (client, { experimentId }, guard) =>
    client.write("accept_plan", { experimentId, ...guard, ...plan }, { rehearse: true }),
  release: (client, { experimentId }, guard) =>
    client.write("release_experiment", { experimentId, ...guard, handoff: "Yours." }, { rehearse: true }),
  begin: report("in_progress"),
  complete: report("completed"),
  abandon: report("cancelled"),
  planned: register(({ planId }) => ({ intent: "planned", planId })),
  exploratory: register(() => ({})),
  rerun: register(({ attemptId }) => ({ intent: "rerun", rerunOf: attemptId })),
  reproduction: register(({ attemptId }) => ({ intent: "reproduction", reproduces: { attemptId } })),
}

const codes = {
  yes: null,
  held: "assignment_conflict",
  over: "experiment_not_open",
  moved: "state_conflict",
  role: "role_required",
} as const
type Word = keyof typeof codes
const states: readonly State[] = ["open", "claimed", "in_progress", "completed", "cancelled"]
const callers = { proposer, holder, other, both }

/**
 * Sent with the values just read. In the rows `both`, the proposer also holds the work: cells where nobody else holds
 * it.
 */
const fresh: Readonly<Record<string, Partial<Record<keyof typeof callers, string>>>> = {
  //                          open claimed in_progress completed cancelled
  amend: {
    proposer: "        yes  held    held        over      over",
    holder: "role role role role role",
    other: "role role role role role",
    both: "yes over over over over",
  },
  cancel: {
    proposer: "       yes  held    held        over      over",
    holder: "role role role role role",
    other: "role role role role role",
    both: "yes over over over over",
  },
  take: {
    proposer: "         yes  held    held        over      over",
    holder: "yes over over over over",
    other: "yes held held over over",
    both: "yes over over over over",
  },
  plan: {
    proposer: "         held held    held        over      over",
    holder: "held yes yes over over",
    other: "held held held over over",
    both: "held yes yes over over",
  },
  release: {
    proposer: "      held held    held        over      over",
    holder: "held yes yes over over",
    other: "held held held over over",
    both: "held yes yes over over",
  },
  begin: {
    proposer: "        held held    held        over      over",
    holder: "held yes moved over over",
    other: "held held held over over",
    both: "held yes moved over over",
  },
  complete: {
    proposer: "     held held    held        over      over",
    holder: "held yes yes over over",
    other: "held held held over over",
    both: "held yes yes over over",
  },
  abandon: {
    proposer: "      held held    held        over      over",
    holder: "held yes yes over over",
    other: "held held held over over",
    both: "held yes yes over over",
  },
  exploratory: {
    proposer: "  held held    held        over      over",
    holder: "held yes yes over over",
    other: "held held held over over",
    both: "held yes yes over over",
  },
  planned: {
    proposer: "      held held    held        over      over",
    holder: "held yes yes over over",
    other: "held held held over over",
    both: "held yes yes over over",
  },
  rerun: {
    proposer: "        held held    held        over      over",
    holder: "held yes yes over over",
    other: "held held held over over",
    both: "held yes yes over over",
  },
  reproduction: {
    proposer: " yes  yes     yes         yes       yes",
    holder: "yes yes yes yes yes",
    other: "yes yes yes yes yes",
    both: "yes yes yes yes yes",
  },
}
/** Sent with another revision or a wrong status. Every other fault is reported before that one. */
const stale: Readonly<Record<string, Partial<Record<keyof typeof callers, string>>>> = {
  amend: {
    proposer: "        moved held   held        over      over",
    other: "role role role role role",
    both: "moved moved moved over over",
  },
  cancel: {
    proposer: "       moved held   held        over      over",
    other: "role role role role role",
    both: "moved moved moved over over",
  },
  take: {
    proposer: "         moved held   held        over      over",
    holder: "moved moved moved over over",
    other: "moved held held over over",
  },
  plan: { proposer: "         held held    held        over      over", holder: "held moved moved over over" },
  release: { proposer: "      held held    held        over      over", holder: "held moved moved over over" },
  begin: { proposer: "        held held    held        over      over", holder: "held moved moved over over" },
  complete: { proposer: "     held held    held        over      over", holder: "held moved moved over over" },
  exploratory: { proposer: "  held held    held        over      over", holder: "held moved moved over over" },
  planned: { proposer: "      held held    held        over      over", holder: "held moved moved over over" },
  rerun: { proposer: "        held held    held        over      over", holder: "held moved moved over over" },
  reproduction: { proposer: " moved moved  moved       moved     moved", holder: "moved moved moved moved moved" },
}

/** Makes an experiment in a state, with a plan and an attempt on the way if the state allows them. */
async function situation(state: State, byBoth: boolean): Promise<{ made: Made; own: Own }> {
  const [asks, client] = byBoth ? [both, both] : [proposer, holder]
  const claimed = await experimentIn("claimed", room, asks, client)
  const { planId, made } = await planFor(claimed, client)
  const attemptId = await exploration(made, client)
  const { experimentId, expected } = made
  if (state === "claimed") return { made, own: { planId, attemptId } }
  const moved =
    state === "open"
      ? await client.write("release_experiment", { experimentId, ...expected, handoff: "Anybody's." })
      : await client.write("report_experiment_status", {
          experimentId,
          ...expected,
          status: state,
          summary: "As it went.",
        })
  return {
    made: { experimentId, expected: { expectedRevision: moved.result.revision, expectedStatus: state } },
    own: { planId, attemptId },
  }
}

const words = (row: string) => row.trim().split(/\s+/) as Word[]

async function holdTable(t: Test, table: typeof fresh, guards: (made: Made) => readonly Guard[]): Promise<void> {
  for (const state of states) {
    const made = { alone: await situation(state, true), shared: await situation(state, false) }
    for (const [step, rows] of Object.entries(table)) {
      for (const [caller, row] of Object.entries(rows) as [keyof typeof callers, string][]) {
        const { made: experiment, own } = caller === "both" ? made.alone : made.shared
        const word = words(row)[states.indexOf(state)] as Word
        for (const guard of guards(experiment)) {
          const sent = (sends[step] as Send)(callers[caller], experiment, guard, own)
          const name = `${step} of ${state} work by ${caller}`
          if (codes[word] === null) t.match(await sent, { rehearsed: true } as object, name)
          else await holdRefusal(t, sent, word, experiment, name)
        }
      }
    }
    for (const {
      made: { experimentId, expected },
    } of Object.values(made)) {
      const now = await other.read("experiment", { experimentId })
      t.same(now.affordances.expected, expected, `none of these writes changed the ${state} experiment`)
    }
  }
}

/** Checks a refusal: its code, its status, and the current experiment that it shows. */
async function holdRefusal(
  t: Test,
  sent: Promise<unknown>,
  word: Word,
  { experimentId, expected }: Made,
  name: string,
): Promise<void> {
  const refused = await refusalOf(sent)
  const told = {
    refusal: refused.refusal,
    status: refused.status,
    committed: refused.committed,
    retryable: refused.retryable,
  }
  t.same(told, { refusal: codes[word], status: word === "role" ? 403 : 409, committed: false, retryable: false }, name)
  t.match(
    refused.current,
    {
      experimentId,
      status: expected.expectedStatus,
      revision: expected.expectedRevision,
      expected,
      ...(word === "role" && { needed: ["proposer"] }),
    },
    `${name}: current`,
  )
}

t.test("with the values just read", (t) => holdTable(t, fresh, ({ expected }) => [expected]))

// shows: A take asks for the revision and status that were read.
// shows: 409 for other content under a used id, stale expectations, a watermark that moved, an existing follow-up
//   Thread.
// shows: skill: guarded
t.test("with another revision, or a wrong status", (t) =>
  holdTable(t, stale, ({ expected }) => [
    { ...expected, expectedRevision: expected.expectedRevision - 1 },
    { ...expected, expectedRevision: expected.expectedRevision + 1 },
    { ...expected, expectedStatus: expected.expectedStatus === "open" ? "claimed" : "open" },
  ]),
)

// shows: A conflict shows the current state, and a draft is kept.
t.test("current names the holder", async (t) => {
  const made = await experimentIn("claimed", room, proposer, holder)
  const refused = await refusalOf(
    other.write("take_experiment", { experimentId: made.experimentId, expectedRevision: 1, expectedStatus: "open" }),
  )
  t.same(refused.current, {
    experimentId: made.experimentId,
    label: refused.current?.label,
    status: "claimed",
    revision: 2,
    assigneeId: lab.people.grace.userId,
    expected: made.expected,
  })
  t.match(refused.current?.label, /^E\d+$/)
})
