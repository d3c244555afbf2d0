/**
 * An agent comes to the Room of the study and does what the three agents did there: it is addressed by its name
 * without `@`, wants a table of measurements to answer, and concludes while others write.
 */
import type { Spent } from "../walk/context.ts"
import { players } from "./players.ts"
import type { StudyRoom } from "./room.ts"

export interface Arrived {
  readonly door: string
  /** Up to the first right write, with everything that was read before. */
  readonly firstWrite: Spent
  readonly whole: Spent
  /** What is wrong with what it wrote, as the record has it. */
  readonly faults: readonly string[]
}

/**
 * The most bytes up to the first right write: all that the agent sends and reads; and with headers and the frames of
 * MCP, which it does not see, at the wire.
 */
export const arrivingAim = { bytes: 30_000, wire: 30_000 } as const
export const isCheap = ({ firstWrite: { bytes, wire } }: Arrived): boolean =>
  bytes <= arrivingAim.bytes && wire <= arrivingAim.wire

const asked = { metric: "error", split: "test", by: ["arm", "labels"], over: "seed", against: "arm:baseline" }

/** What the record says of smoothing at 100 labels after 5,000 updates. */
async function smoothing({ reader, roomId }: StudyRoom): Promise<string> {
  const { groups } = await reader.read("room_measurements", { roomId, ...asked })
  const group = groups.find(
    ({ key, settings }) => key.arm === "smoothing" && key.labels === 100 && settings.updates === 5000,
  )
  const isDistinct = group?.contrast?.corrected?.isDistinct === true
  return `${group?.contrast?.estimate.toFixed(4).replace("-", "−")}, ${isDistinct ? "told apart" : "not told apart"}`
}

async function play(study: StudyRoom, door: string): Promise<Arrived> {
  const open = players[door]
  if (open === undefined) throw new Error(`there is no door ${door}`)
  const { threadId, agents } = study
  const name = `${door.toLowerCase()}-newcomer`
  const question = `${name}, how much does smoothing change the error at 100 labels, 5,000 updates? Is it told apart?`
  const given = await study.agent(name)
  const { targetId: asking } = await agents["python-agent"].write("post_message", { threadId, text: question })

  const player = await open(given)
  const { context } = player
  await player.arrive()
  await player.browse()
  await player.read("room_brief", { format: "markdown", budget: 4000 })
  const inbox = await player.read("inbox", { format: "lines" })
  const faults = inbox.includes(question) ? [] : [`the inbox does not hold the question whole: ${inbox}`]

  await player.learn("room_measurements", "post_message")
  const metrics = await player.read("room_measurements", { format: "markdown" })
  if (!/error \(test\).*arm \(\d+\), labels \(3\), seed/u.test(metrics)) faults.push(`no metrics: ${metrics}`)
  const table = await player.read("room_measurements", { ...asked, format: "markdown" })
  const row = /^\| smoothing \| 100 \| 5000 \|(?:[^|]*\|){4} (\S+) \|[^|]*\|[^|]*\| ([^|]+) \|/mu.exec(table)
  const answer = `${row?.[1]}, ${row?.[2] === "yes" ? "told apart" : "not told apart"}`
  await player.write("post_message", {
    threadId,
    text: answer,
    replyToEntryId: context.find(/Entry ([0-9a-f-]{36}) of/),
  })

  await player.learn("search", "post_research_checkpoint")
  await player.read("search", { query: "smoothing", kinds: ["finding"], limit: 3 })
  const cited = study.idOf("F2")
  context.mustKnow([cited], "a citation")
  const read = Number(context.find(/"entry": ?\{[^}]*"sequence": ?(\d+)/))
  const between = `Cutout was run with squares of one pixel too, ${name}.`
  await context.unread(() => agents["python-agent"].write("post_message", { threadId, text: between }))
  const conclusion = (watermark: number, synthesis: string) => ({
    ...{ threadId, expectedWatermark: watermark, coversThrough: watermark, state: "concluded", synthesis },
    ...{
      conclusion: "Shift the digits, and smooth the labels where there are few.",
      openQuestions: [],
      citations: [cited],
    },
  })
  const refusal = await player.write("post_research_checkpoint", conclusion(read, "Smoothing helps.")).then(
    () => "it was accepted",
    (error: Error) => error.message,
  )
  if (!refusal.includes("state_conflict")) faults.push(`it concluded over what it had not read: ${refusal}`)
  if (!refusal.includes(between)) faults.push(`the refusal does not say what came between: ${refusal}`)
  const now = Number(/has moved to (\d+) since/.exec(refusal)?.[1])
  if (faults.length > 0) throw new Error(faults.join("\n"))
  await player.write("post_research_checkpoint", conclusion(now, `Smoothing helps. Not covered before: ${between}`))
  const { firstWrite, spent: whole } = context
  await player.close()

  const { items } = await study.reader.read("thread_replies", { threadId, targetEntryId: asking })
  const said = items.at(-1)?.message
  const truth = await smoothing(study)
  if (said?.text !== truth) faults.push(`it answered ${said?.text} for ${truth}`)
  const { selectedCheckpointId } = (await study.reader.read("thread_context", { threadId })).thread
  const concluded = await study.reader.read("checkpoint", { checkpointId: selectedCheckpointId ?? "" })
  if (concluded.author.agent !== name || concluded.coversThrough !== now || concluded.stale)
    faults.push(`the conclusion is not its own, or is stale: ${JSON.stringify(concluded.staleReasons)}`)
  return { door, firstWrite, whole, faults }
}

/** Plays it through each door. */
export async function arriveByEveryDoor(study: StudyRoom): Promise<Arrived[]> {
  const arrived: Arrived[] = []
  for (const door of Object.keys(players)) arrived.push(await play(study, door))
  return arrived
}
