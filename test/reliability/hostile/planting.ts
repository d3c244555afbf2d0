/** Stores costly texts, as a member may, and remembers their ids: reading them is expensive. */
import fc from "fast-check"
import type { Chance } from "../support/chance.ts"
import { type Anchors, gather, known } from "../fuzz/anchors.ts"
import { takenBy } from "../fuzz/bodies.ts"
import { type Ground, proofLines } from "../fuzz/ground.ts"
import { type Shot, soundly } from "../fuzz/shot.ts"
import { type Target, targetsWith } from "../fuzz/targets.ts"
import type { Outcome } from "../fuzz/wire.ts"
import { pathNames } from "../../../src/contract/definitions/operation.ts"
import * as bodies from "../../support/bodies.ts"
import { planted, textsFor } from "./planted.ts"
import { fire, type Note } from "./volley.ts"

/** Writes by a Room's agents and by keys: what the least privileged caller may do. */
const writing = targetsWith(({ caller, body }) => (caller === "credential" || caller === "key") && body !== null)

const filled = (target: Target, ids: Readonly<Record<string, string>>): string =>
  pathNames(target.path).reduce(
    (path, name) => path.replace(`{${name}}`, encodeURIComponent(ids[name] ?? "")),
    target.path,
  )

/** One write of a body. */
export function writeShot(
  ground: Ground,
  target: Target,
  ids: Readonly<Record<string, string>>,
  body: unknown,
  token: string,
): Shot {
  return soundly("planting", target, {
    method: target.method,
    target: filled(target, ids),
    host: ground.host,
    headers: [...proofLines(target.caller, token, ground.baseUrl, target.method), "Content-Type: application/json"],
    body: JSON.stringify(body),
  })
}

/** Bodies of every operation about existing objects, with a costly text in each text member. */
export function plantings(ground: Ground, chance: Chance, each: number): Shot[] {
  const proofs = { credential: ground.cast.credentials.main_member_all.token, key: ground.cast.keys.all.token }
  return writing.flatMap((target) => {
    const samples = fc.sample(takenBy(target, ground.agents), { seed: chance.between(0, 2 ** 31), numRuns: each })
    return samples.flatMap((body) => {
      const text = chance.of(textsFor(target.body))
      if (text === undefined) return []
      const ids = Object.fromEntries(
        pathNames(target.path).map((name) => [name, String(known(ground.agents, name)[chance.between(0, 2)] ?? "")]),
      )
      return [
        writeShot(
          ground,
          target,
          ids,
          planted(body, target.body ?? {}, text),
          proofs[target.caller as "credential" | "key"],
        ),
      ]
    })
  })
}

const named = (name: string): Target => writing.find((target) => target.name === name) as Target

/** The objects stored for each text: a Thread of its own with messages, a hypothesis, an experiment. */
export async function plant(ground: Ground, chance: Chance, some: number, note: Note): Promise<Anchors> {
  const { token, roomId } = ground.cast.credentials.member_all
  const anchors = new Map<string, unknown[]>()
  const noting: Note = (given, outcome, milliseconds) => {
    note(given, outcome, milliseconds)
    for (const receipt of receiptsIn(outcome)) gather(anchors, receipt)
  }
  const all = textsFor(null)
  const chosen =
    some >= all.length
      ? all
      : Array.from(
          { length: some },
          (_, at) => all[(chance.between(0, 3) + at * 4) % all.length] as (typeof all)[number],
        )
  const write = (name: string, ids: Record<string, string>, body: object, text: (typeof all)[number]) => {
    const target = named(name)
    return writeShot(ground, target, ids, planted(body, target.body ?? {}, text), token)
  }
  await fire(
    ground,
    chosen.map((text) => write("create_thread", {}, { ...bodies.thread(roomId), message: "" }, text)),
    4,
    noting,
  )
  const threads = known(anchors, "threadId").map(String)
  const others = threads.flatMap((threadId, at) => {
    const text = all[at % all.length] as (typeof all)[number]
    return [
      ...Array.from({ length: 4 }, () => write("post_message", { threadId }, bodies.message(), text)),
      write("publish_hypothesis", {}, bodies.action(bodies.hypothesis({ roomId, threadId })), text),
      write("propose_experiment", {}, bodies.action(bodies.proposal({ roomId, threadId })), text),
    ]
  })
  await fire(ground, others, 4, noting)
  return anchors
}

function receiptsIn({ answers }: Outcome): unknown[] {
  return answers.flatMap(({ status, body }) => {
    if (status !== 200) return []
    const { roomId, threadId, result } = JSON.parse(body.toString("utf8")) as Record<string, unknown>
    return [{ roomId, threadId }, result]
  })
}
