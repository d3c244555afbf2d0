/**
 * A Room as it is after some weeks of use, and the requests of people and agents to it: for the parts that mix reads
 * and writes.
 */
import { join } from "node:path"
import { pathTo } from "../../../src/contract/reads/index.ts"
import { freshId, get, post, type Shot, writeShots } from "../load/shots.ts"
import { messageText } from "../writes/recipes/discussion.ts"
import { copyData } from "./demo.ts"
import { delivery, House, inTurn, type Said, times } from "./house.ts"
import { finding, hypothesis, planned, some, succeeded } from "./targets.ts"

const MESSAGES = 4_000

export interface LivedIn {
  readonly folder: string
  /** Four reads and one write, repeated. */
  readonly mixed: string
  readonly reads: string
  readonly writes: string
  /** The write with an aim, alone. */
  readonly messages: string
  /** A page of the timeline, alone. */
  readonly page: string
}

/** Sends an operation's example, with new ids each time. */
function writing<N extends "post_message" | "publish_hypothesis" | "propose_experiment" | "create_thread">(
  house: House,
  name: N,
  said: Said<N>,
): Shot {
  const { operation, params, body } = delivery(name, said, freshId)
  const path = operation.path.replace(/\{([a-zA-Z]+)\}/g, (_, id: string) => params[id] as string)
  return post(path, house.demo.credentials.member_all.token, body)
}

/** Makes the data, and the requests for it. */
export async function livedIn(demo: string, folder: string): Promise<LivedIn> {
  const house = new House(copyData(demo, folder), demo)
  const { roomId, threadId, here } = house
  const known = await house.fill(() => {
    const plans = some(() => planned(house))
    const attempts = times(400, (index) => succeeded(house, inTurn(plans, index)))
    const experimentIds = plans.map(({ experimentId }) => experimentId)
    return {
      experimentIds,
      attempts,
      hypotheses: times(200, () => hypothesis(house)),
      findings: some(() => finding(house, experimentIds[0] as string, attempts[0] as string)),
      threads: some(() => house.does("create_thread", { roomId }).result.threadId),
    }
  })
  await house.fill(() => times(MESSAGES, () => house.does("post_message", { threadId, text: messageText })))
  house.close()

  const anywhere = (index: number) => ({ after: String((index * 997) % MESSAGES) })
  const versionIds = [...known.hypotheses, ...known.findings]
  const asked = times(200, (index) =>
    inTurn(
      [
        get(pathTo("thread_timeline", { threadId }, anywhere(index))),
        get(pathTo("room_activity", { roomId }, anywhere(index))),
        get(pathTo("record", { versionId: inTurn(versionIds, index) })),
        get(pathTo("experiment", { experimentId: inTurn(known.experimentIds, index) })),
        get(pathTo("attempts", {}, { roomId, after: inTurn(known.attempts, index) })),
        get(pathTo("attempt", { attemptId: inTurn(known.attempts, index) })),
        get(pathTo("hypotheses", {}, { roomId })),
        get(pathTo("thread_research_context", { threadId: inTurn(known.threads, index) })),
      ],
      index,
    ),
  )
  const message = writing(house, "post_message", { threadId, text: messageText })
  const written = [
    message,
    message,
    message,
    writing(house, "publish_hypothesis", { ...here, premises: [], references: [] }),
    writing(house, "propose_experiment", { ...here, hypotheses: [] }),
    writing(house, "create_thread", { roomId }),
  ]
  const keep = (name: string, shots: readonly Shot[]) => {
    const file = join(folder, `${name}.json`)
    writeShots(file, shots)
    return file
  }
  return {
    folder,
    // Coprime to the sixteen connections that share the requests, so that each gets some of everything.
    mixed: keep(
      "mixed",
      times(1_995, (index) => (index % 5 === 2 ? inTurn(written, Math.floor(index / 5)) : inTurn(asked, index))),
    ),
    reads: keep("reads", asked),
    writes: keep("writes", written),
    messages: keep("messages", [message]),
    page: keep("page", [get(pathTo("thread_timeline", { threadId }, { after: String(MESSAGES / 2) }))]),
  }
}
