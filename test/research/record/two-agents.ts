/**
 * The built executable with a demo, and two agents in its empty Room: one fills it, the other knows only its address
 * and credential.
 */
import { ResearchRoomClient } from "research-room/client"
import tap from "tap"
import { held } from "../../support/contract.ts"
import { endAll, executable, newPlace, start } from "../../support/program.ts"
import { Agent } from "./agent.ts"
import { because, finding, hypothesis } from "../../support/bodies.ts"
import { losses } from "./work.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})

interface Told {
  readonly baseUrl: string
  readonly rooms: { readonly empty: { readonly roomId: string; readonly openingThreadId: string } }
  readonly credentials: Readonly<Record<"owner_all" | "member_all", { readonly token: string }>>
  readonly repositories: { readonly public: { readonly url: string; readonly commit: string } }
}

// Only the other agent knows the contents of this line.
const running = start(program, ["demo", "--json"], { ...place, env: { TMPDIR: place.folder } })
const [line] = await running.printed(/^.*\n/)
const told = JSON.parse(line) as Told

const other = new ResearchRoomClient({ baseUrl: told.baseUrl, token: told.credentials.owner_all.token, fetch: held })
export const { roomId, openingThreadId: threadId } = told.rooms.empty
export const room = { roomId, threadId }

/** What the other agent did, from its receipts: sequence in the feed, operation and target. */
export const done: { sequence: number; operation: string; id: string }[] = []
type Write = typeof other.write
export const write = (async (name, input) => {
  const receipt = await other.write(name, input)
  done.push({ sequence: receipt.activity?.sequence ?? 0, operation: receipt.operation, id: receipt.target.id })
  return receipt
}) as Write

/** Fills the Room until `until` returns true: discussion, records, and experiments with attempts. */
export async function fill(until: () => boolean): Promise<void> {
  const { url, commit } = told.repositories.public
  for (let round = 0; round < 2 || !until(); round += 1) {
    await write("post_message", { threadId, text: `Round ${round}.` })
    const { versionId } = (await write("publish_hypothesis", hypothesis(room))).result
    const { experimentId } = (
      await write("propose_experiment", { ...room, question: "Does it?", scope: "Here.", hypotheses: [versionId] })
    ).result
    await write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
    const attemptId = crypto.randomUUID()
    await write("register_attempt", {
      attemptId,
      experimentId,
      intent: "exploratory",
      expectedRevision: 2,
      expectedStatus: "claimed",
      repository: { url, commit },
      argv: ["run"],
      configuration: {},
      inputs: [],
    })
    await write("report_attempt_event", {
      attemptId,
      event: "started",
      expectedRevision: 1,
      expectedStatus: "registered",
      reportedAt: "2026-11-20T09:30:00.000Z",
    })
    await write("report_attempt_event", {
      attemptId,
      event: "succeeded",
      expectedRevision: 2,
      expectedStatus: "started",
      reportedAt: "2026-11-20T09:31:00.000Z",
      outputs: [losses],
    })
    const { result } = await write(
      "publish_finding",
      finding(room, {
        provenance: { execution: { experimentId, attemptIds: [attemptId], baselineAttemptIds: [] }, papers: [] },
      }),
    )
    await write("link_experiment_finding", {
      experimentId,
      findingVersionId: result.versionId,
      attemptId,
      towardHypothesis: [{ versionId, verdict: "supports", explanation: because }],
      towardQuestion: { verdict: "answers", explanation: because },
    })
  }
}

export const agent = new Agent(told.baseUrl, told.credentials.member_all.token)
