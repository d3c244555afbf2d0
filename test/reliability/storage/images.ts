/**
 * Images of a machine that lost power: the service is stopped in the middle of its work, and the database and its log
 * are copied as they are at that moment; in some images the end of the log is damaged, as a disk may leave it in the
 * middle of a write. Each must open, be whole, and hold everything acknowledged before, or, if damaged, a beginning of
 * it without a gap.
 */
import { copyFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ActivityEntry } from "../../../src/contract/reads/activity.ts"
import { pathTo } from "../../../src/contract/reads/index.ts"
import { message } from "../../support/bodies.ts"
import { kill } from "../crash/crash.ts"
import type { Chance } from "../support/chance.ts"
import { list } from "../support/feeds.ts"
import type { Ground, Served } from "../support/ground.ts"
import { nameOf, type Receipt, type Sent, written } from "../support/journal.ts"
import { each, Line } from "../support/line.ts"
import type { Load } from "../support/load.ts"
import { whileStopped } from "./disk.ts"
import { type Tail, tailOf } from "./wal.ts"

export interface Image {
  /** The name of its data folder. */
  readonly data: string
  /** The writes acknowledged before the moment of the image. */
  readonly acknowledged: readonly Sent[]
  /** How its log was damaged; null for an exact image. */
  readonly spoilt: string | null
}

const NAME = "research-room.db"

/** The ways to damage the end of a log from a byte on. */
const damages: readonly (readonly [how: string, spoil: (log: Buffer, at: number, chance: Chance) => void])[] = [
  ["zeroed to the end", (log, at) => log.fill(0, at)],
  ["a sector zeroed", (log, at) => log.fill(0, at - (at % 512), Math.min(log.length, at - (at % 512) + 512))],
  ["a bit turned", (log, at, chance) => (log[at] = (log[at] as number) ^ (1 << chance.between(0, 7)))],
  ["garbage to the end", (log, at, chance) => log.fill(`garbage ${chance.between(1, 9_999)} `, at)],
]

/** Stops the service for a moment and takes an image of its data. */
export async function takeImage(
  ground: Ground,
  service: Served,
  load: Load,
  data: string,
  name: string,
  chance: Chance,
): Promise<Image> {
  const folder = join(ground.place.folder, name)
  const [from, to] = [join(ground.place.folder, data, NAME), join(folder, NAME)]
  mkdirSync(folder)
  const { acknowledged, tail } = await whileStopped(service, () => {
    copyFileSync(from, to)
    copyFileSync(`${from}-wal`, `${to}-wal`)
    // Answers still under way were sent before as well; the check does not rely on them.
    return { acknowledged: load.sent.filter(({ outcome }) => outcome === "acknowledged"), tail: tailOf(from) }
  })
  return { data: name, acknowledged, spoilt: chance.oneIn(3) ? null : spoil(`${to}-wal`, tail, chance) }
}

/** Damages a log somewhere in the part that the database does not have yet. @returns null if it has everything */
function spoil(file: string, { from, to }: Tail, chance: Chance): string | null {
  if (to <= from) return null
  // Half of them near the end, where a machine was writing.
  const at = chance.between(chance.oneIn(2) ? Math.max(from, to - 40_000) : from, to - 1)
  if (chance.oneIn(4)) {
    truncateSync(file, at)
    return `cut off at ${at} of ${to}`
  }
  const [how, change] = chance.of(damages) as (typeof damages)[number]
  const log = readFileSync(file)
  change(log, at, chance)
  writeFileSync(file, log)
  return `${how} at ${at} of ${to}`
}

/** The final contents of the service: the activity of each Room. Every image shows the beginning of it. */
export type Truth = ReadonlyMap<string, readonly ActivityEntry[]>

const activity = (roomId: string) => (query: Record<string, string>) => pathTo("room_activity", { roomId }, query)

export async function truthOf(ground: Ground, baseUrl: string): Promise<Truth> {
  const line = new Line(baseUrl)
  const truth = new Map<string, ActivityEntry[]>()
  for (const roomId of ground.rooms) truth.set(roomId, await list<ActivityEntry>(line, activity(roomId)))
  line.close()
  return truth
}

export interface Opened {
  readonly problems: readonly string[]
  /** How many acknowledged writes are missing; none if it is exact. */
  readonly lost: number
}

/** Opens an image with the executable: `check`, and a start with reads and a write. */
export async function openImage(ground: Ground, image: Image, truth: Truth, chance: Chance): Promise<Opened> {
  const problems: string[] = []
  const tell = (problem: string) => problems.push(`Image ${image.data} (${image.spoilt ?? "faithful"}): ${problem}`)
  const { code, out, err } = await ground.check(image.data)
  if (code !== 0) tell(`check ended with ${code}: ${out}${err}`)
  return { problems, lost: code === 0 ? await serveImage(ground, image, truth, chance, tell) : 0 }
}

/** @returns the number of missing acknowledged writes */
async function serveImage(
  ground: Ground,
  image: Image,
  truth: Truth,
  chance: Chance,
  tell: (problem: string) => void,
): Promise<number> {
  const service = await ground.serve(image.data)
  const line = new Line(service.baseUrl, 4)
  const heads = new Map<string, number>()
  for (const [roomId, whole] of truth) heads.set(roomId, await beginningOf(roomId, whole, line, tell))

  const inRooms = image.acknowledged.filter(({ operation }) => operation.family === "research")
  const isHeld = ({ receipt }: Sent) =>
    ((receipt as Receipt).activity?.sequence as number) <= (heads.get((receipt as Receipt).roomId as string) as number)
  const lost = inRooms.filter((write) => !isHeld(write))
  if (image.spoilt === null && lost.length > 0)
    tell(`${lost.length} acknowledged writes are lost, ${nameOf(lost[0] as Sent)} first.`)
  mustBeBeginning(inRooms, isHeld, tell)

  // The newest, where the image ends, and some older ones; writes of the Library are recognised by their replays.
  const some = new Set([...inRooms.slice(-40), ...Array.from({ length: 10 }, () => chance.of(inRooms))])
  await each(
    [...some].filter((write) => write !== undefined),
    4,
    async (write) => {
      const { operation, deliveryId, agent, receiptText } = write
      const answer = await line.get(
        pathTo("receipt", {}, { operation: operation.name, [operation.delivery]: deliveryId }),
        agent.token,
      )
      if (isHeld(write) ? answer?.text !== receiptText : answer?.status !== 404)
        tell(`The receipt of ${nameOf(write)} is answered ${answer?.status}: ${answer?.text}`)
    },
  )
  await each(
    image.spoilt === null ? image.acknowledged.filter(({ agent }) => agent.room === null).slice(-10) : [],
    4,
    async (write) => {
      const answer = await line.ask({ method: "POST", path: write.path, token: write.agent.token, text: write.text })
      if (!answer?.text.startsWith(`${write.receiptText?.slice(0, -1)},"replayed":true`))
        tell(`${nameOf(write)} is not replayed: ${answer?.text}`)
    },
  )

  const poster = ground.agents.find(({ permissions }) => permissions.has("post_thread"))
  if (poster?.room) {
    const post = written(poster, {
      name: "post_message",
      params: { threadId: poster.room.openingThreadId },
      body: message(),
    })
    if ((await line.send(post))?.status !== 200) tell(`It takes no write: ${post.tries}`)
  }
  line.close()
  await kill(service)
  return lost.length
}

/** Reads a Room's activity, which must be the beginning of its final activity. @returns its last sequence */
async function beginningOf(
  roomId: string,
  whole: readonly ActivityEntry[],
  line: Line,
  tell: (problem: string) => void,
): Promise<number> {
  const entries = await list<ActivityEntry>(line, activity(roomId))
  const differs = entries.findIndex(({ digest }, index) => digest !== whole[index]?.digest)
  if (differs >= 0) tell(`Entry ${differs + 1} of the activity of Room ${roomId} is not the one it was.`)
  return entries.length
}

/**
 * Across all Rooms: everything in the image came before everything missing from it. Ids of entries increase in the
 * order of the writes.
 */
function mustBeBeginning(
  writes: readonly Sent[],
  isHeld: (write: Sent) => boolean,
  tell: (problem: string) => void,
): void {
  const ids = (held: boolean) =>
    writes.flatMap((write) => (isHeld(write) === held ? (write.receipt?.entry?.entryId ?? []) : []))
  const newest = ids(true).sort().at(-1)
  const missing = ids(false).sort()[0]
  if (newest !== undefined && missing !== undefined && newest > missing)
    tell(`It has a gap: ${newest} is there and ${missing} is not.`)
}
