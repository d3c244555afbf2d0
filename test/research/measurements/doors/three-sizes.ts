/**
 * A typical experiment for this service's measurements: seven arms, ten seeds and three numbers of labels, measured
 * once by ada and again by grace with other code. Only the way of reporting values differs, so that the reads can be
 * compared.
 */
import { ResearchRoomClient, type WriteInput } from "research-room/client"
import { held } from "../../../support/contract.ts"
import { because, finding, hypothesis } from "../../../support/bodies.ts"
import type { Lab } from "../../../support/lab.ts"

export const ARMS = ["baseline", "shift", "smoothing", "mixup", "dropout", "two heads", "averaging"] as const
export const LABELS = [50, 100, 400] as const
export const SEEDS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const
type Arm = (typeof ARMS)[number]

export interface Cell {
  readonly arm: Arm
  readonly labels: number
  readonly seed: number
  readonly error: number
}

/** Deterministic noise from −1 to 1. */
function noise(...parts: readonly number[]): number {
  const rolled = Math.sin(parts.reduce((sum, part, at) => sum + part * (12.9898 + 65.2 * at), 1)) * 43_758.5453
  return 2 * (rolled - Math.floor(rolled)) - 1
}
/** The percentage that an arm adds to the error: a shift helps with few labels, the others little or not at all. */
const added = (arm: number, labels: number): number => (arm === 1 ? -160 / labels : -0.05 * arm)

/** The values of a complete run, ada's or grace's. */
export const cellsOf = (run: 0 | 1): Cell[] =>
  LABELS.flatMap((labels) =>
    SEEDS.flatMap((seed) =>
      ARMS.map((arm, at) => {
        const error =
          4 +
          80 / Math.sqrt(labels) +
          added(at, labels) +
          0.5 * noise(labels, seed, run) +
          0.4 * noise(at, labels, seed, run)
        return { arm, labels, seed, error: Number(error.toFixed(3)) }
      }),
    ),
  )

/** What is to be reported: one attempt with all of its values. */
export interface Asked {
  readonly baseUrl: string
  readonly experimentId: string
  readonly repository: { readonly url: string; readonly commit: string }
  /** The attempt that this one reproduces. */
  readonly reproduces?: string
  readonly cells: readonly Cell[]
  readonly by: "ada" | "grace"
  readonly token: string
  readonly client: ResearchRoomClient
}
/** Reports an attempt and its values. @returns its id */
export type Door = (asked: Asked) => Promise<string>

/** The body of a registration, for ways of reporting that send it themselves. */
export const registration = ({ experimentId, repository, reproduces }: Asked) => ({
  ...{
    attemptId: crypto.randomUUID(),
    experimentId,
    repository,
    argv: ["python", "train.py"],
    configuration: {},
    inputs: [],
  },
  ...(reproduces === undefined
    ? { intent: "exploratory" as const }
    : { intent: "reproduction" as const, reproduces: { attemptId: reproduces } }),
})

const permissions = ["post_thread", "publish_records", "manage_own_experiments"] as const
const QUESTION = "At which number of labels does which arm lower the error?"

/** Runs the whole story in a new Room, reporting its attempts in one way. */
export async function tellThreeSizes({ house, ada: owner, grace: member, reader }: Lab, door: Door) {
  const { baseUrl, repositories, people } = house
  const { url, commit, otherCommit } = repositories.public
  const { roomId, openingThreadId: threadId } = (
    await owner.write("create_room", { title: "Seven arms at three sizes", question: QUESTION })
  ).result
  await owner.write("add_member", { roomId, username: people.member.username })
  const grant = { roomId, label: "an agent", permissions: [...permissions] }
  const tokens = {
    ada: (await owner.write("issue_credential", grant)).result.token ?? "",
    grace: (await member.write("issue_credential", grant)).result.token ?? "",
  }
  const client = (token: string) => new ResearchRoomClient({ baseUrl, token, fetch: held, retries: 0 })
  const by = { ada: client(tokens.ada), grace: client(tokens.grace) }
  const { ada, grace } = by
  const place = { roomId, threadId }
  const { versionId } = (
    await ada.write("publish_hypothesis", hypothesis(place, {}, "A shift lowers the error with 50 labels."))
  ).result
  const { experimentId } = (
    await ada.write("propose_experiment", {
      ...place,
      question: QUESTION,
      scope: "One small model.",
      hypotheses: [versionId],
    })
  ).result
  await ada.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })

  const run = (who: "ada" | "grace", reproduces?: string) =>
    door({
      ...{ baseUrl, experimentId, by: who, token: tokens[who], client: by[who], cells: cellsOf(who === "ada" ? 0 : 1) },
      ...{
        repository: { url, commit: who === "ada" ? commit : otherCommit },
        ...(reproduces !== undefined && { reproduces }),
      },
    })
  const effect = (
    arm: Arm,
    labels: number,
    more: object = {},
  ): NonNullable<WriteInput<"publish_finding">["effects"]>[number] => ({
    ...{ experimentId, metric: "error", over: "seed", of: { arm }, against: { arm: "baseline" }, where: { labels } },
    ...more,
  })
  const publish = async (
    who: ResearchRoomClient,
    wording: string,
    attemptId: string,
    effects: ReturnType<typeof effect>[],
  ) => {
    const provenance = { execution: { experimentId, attemptIds: [attemptId], baselineAttemptIds: [] }, papers: [] }
    return (await who.write("publish_finding", finding(place, { effects, provenance }, wording))).result.versionId
  }
  const first = await run("ada")
  const found = await publish(ada, "A shift lowers the error the more, the fewer the labels.", first, [
    ...LABELS.map((labels) => effect("shift", labels)),
    effect("smoothing", 400),
  ])
  await ada.write("link_experiment_finding", {
    ...{ experimentId, findingVersionId: found },
    towardQuestion: { verdict: "answers", explanation: because },
    towardHypothesis: [{ versionId, verdict: "supports", explanation: "By the first effect." }],
  })
  const again = await run("grace", first)
  const repeats = { versionId: found, effect: 0 }
  const foundAgain = await publish(grace, "With other code a shift lowers the error at 50 labels too.", again, [
    effect("shift", 50, { repeats }),
  ])
  return {
    roomId,
    threadId,
    experimentId,
    hypothesis: versionId,
    findings: [found, foundAgain],
    attempts: [first, again],
    reader,
  }
}

export type Told = Awaited<ReturnType<typeof tellThreeSizes>>

/** Queries whose answers must not depend on the way of reporting, as a user would write them. */
export const questions = { metric: "error", by: ["arm", "labels"], over: "seed", against: "arm:baseline" } as const
