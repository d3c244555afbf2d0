/** The fixed beginning of every round: objects to contend for, and each contention once. */
import type { Intent, Maker, Wanted } from "./actions.ts"
import type { Client, Stage } from "./client.ts"

/**
 * Every client that can build a body from what it knows sends it, all at once; bodies are built before any outcome is
 * known.
 */
async function atOnce(
  stage: Stage,
  clients: readonly Client[],
  make: (maker: Maker) => Intent | undefined,
): Promise<void> {
  const made = clients.flatMap((client) => {
    const intent = make(client.maker(stage))
    return intent === undefined ? [] : [{ client, intent }]
  })
  await Promise.all(made.map(({ client, intent }) => client.write(stage, intent, client.full(stage))))
}

/** The holder of the first experiment runs an attempt, and reports twice at once from one read. */
async function report(stage: Stage, clients: readonly Client[]): Promise<void> {
  const { board } = stage
  const [taken] = board.experiments.all()
  const own = clients.filter(({ userId }) => userId === taken?.assignee)
  const [first] = own
  if (first === undefined || taken === undefined) return
  await atOnce(stage, [first], (maker) => maker.execution(taken))
  await atOnce(stage, [first], (maker) => maker.event(board.attempts.all()[0], "started"))
  await atOnce(stage, own, (maker) => maker.event(board.attempts.all()[0], "progress"))
}

export async function begin(stage: Stage, clients: readonly Client[]): Promise<void> {
  const { board } = stage
  const [first] = clients as [Client, ...Client[]]
  const things: Wanted[] = [
    "propose_experiment",
    "propose_experiment",
    "publish_hypothesis",
    "publish_finding",
    "propose_experiment",
  ]
  for (const wanted of things) await atOnce(stage, [first], (maker) => maker.make(wanted))
  await first.write(stage, first.maker(stage).make("propose_experiment") as Intent, first.full(stage), {
    rehearsal: true,
  })
  const [contended] = board.experiments.all()
  await atOnce(stage, clients, (maker) => maker.make("take_experiment", contended))
  await report(stage, clients)
  await atOnce(stage, clients, (maker) => maker.checkpoint(board.threads[0] as string))
  await atOnce(stage, clients, (maker) => maker.make("assert_supersession"))
  await Promise.all(clients.map((client) => client.twice(stage, client.maker(stage).make("post_message") as Intent)))
}
