/** What a command measures, as it says it: JSON lines in the file that `RESEARCH_ROOM_METRICS` names. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import * as v from "valibot"
import { metric } from "../contract/definitions/work.ts"
import { isObject } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"

export type Point = v.InferOutput<typeof metric>

/** Points and bytes of one event. */
const POINTS = limits.metricsOfEvent
const BYTES = 45_000
/** Characters of a line that are shown of it. */
const SHOWN = 100
/** Bytes of the file that are looked at at once. */
const SIGHT = 1 << 20

/** JSON, and the three words that Python writes for numbers which JSON has no digits for. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return JSON.parse(line.replace(/([:,[]\s*)(-?Infinity|NaN)(?=\s*[,}\]])/g, '$1"$2"'))
  }
}

const isValue = (value: unknown): boolean => typeof value === "number" || value === "NaN" || value === "Infinity" || value === "-Infinity"

/** What a line says. */
interface Line {
  readonly points: Point[]
  /** Why not all of it can be told; null where it can. A value that the service would refuse must not take a thousand others with it. */
  readonly why: string | null
}

const NO_LINE = 'each is a JSON object such as {"step": 1, "loss": 0.5}'
const nothing = (why: string): Line => ({ points: [], why })
const EMPTY: Line = { points: [], why: null }

/**
 * The points of a line: several by their names, `{"step": 3, "loss": 0.5, "arm": "shift"}`, or one in full,
 * `{"name": "loss", "value": 0.5, "arm": "shift", "seed": 3}`. Any further member is a dimension; null says nothing.
 */
export function pointsOf(line: string): Line {
  let said: unknown
  try {
    said = parsed(line)
  } catch {
    return nothing(NO_LINE)
  }
  if (!isObject(said)) return nothing(NO_LINE)
  const { step, split, unit, dimensions = {}, ...members } = said
  const isFull = typeof members.name === "string" && isValue(members.value)
  const isTold = ([name, value]: [string, unknown]) => (isFull ? name === "name" || name === "value" : isValue(value))
  const told = isFull ? [[members.name, members.value]] : Object.entries(members).filter(isTold)
  const further = Object.entries(members).filter((member) => !isTold(member) && member[1] !== null)
  const place = isObject(dimensions) ? { ...Object.fromEntries(further), ...dimensions } : dimensions
  const beside = {
    ...(typeof step === "number" && Number.isSafeInteger(step) && { step }),
    ...(typeof split === "string" && { split }),
    ...(typeof unit === "string" && { unit }),
    ...(!(isObject(place) && Object.keys(place).length === 0) && { dimensions: place }),
  }
  const faults: string[] = []
  const points = told.flatMap(([name, value]) => {
    const read = v.safeParse(metric, { name, value: Object.is(value, -0) ? 0 : value, ...beside })
    if (read.success) return [read.output]
    const [{ message, path }] = read.issues
    faults.push(`${(path ?? []).map(({ key }) => String(key)).join(".")} ${message}`)
    return []
  })
  return { points, why: told.length === 0 ? "it has no value" : (faults[0] ?? null) }
}

/** Points as several events take them. A line may hold more than one event does. */
export function inEvents(points: readonly Point[]): Point[][] {
  const events: Point[][] = []
  let bytes = 0
  for (const point of points) {
    const cost = Buffer.byteLength(JSON.stringify(point))
    const last = events.at(-1)
    if (last === undefined || last.length === POINTS || bytes + cost > BYTES) {
      events.push([point])
      bytes = cost
    } else {
      last.push(point)
      bytes += cost
    }
  }
  return events
}

/** The beginning of a line and why it cannot be told, without what a terminal would obey. */
const shown = (line: string, why: string): string =>
  `${line.slice(0, SHOWN)}${line.length > SHOWN ? "…" : ""}: ${why.slice(0, 2 * SHOWN)}`.replace(/\p{Cc}/gu, "?")

export interface Batch {
  readonly points: Point[]
  /** Bytes of the file that have been looked at. */
  readonly through: number
  /** Lines that say nothing, or something that cannot be told. */
  readonly unread: number
  /** The beginning of the first of them, and why it cannot be told. */
  readonly firstUnread: string | null
  /** Whether there may be more. */
  readonly more: boolean
}

/** The next points of a file, whole lines only, as many as one event takes, or those of one line. @param last whether nothing more will be written: then a last line needs no end */
export function nextPoints(file: string, from: number, last: boolean): Batch {
  const points: Point[] = []
  let [through, unread, bytes] = [from, 0, 0]
  let firstUnread: string | null = null
  const sight = look(file, from)
  const isWhole = sight.length < SIGHT
  for (let at = 0; at < sight.length; ) {
    const end = sight.indexOf(10, at)
    // A line longer than all that is looked at is no line of metrics.
    if (end < 0 && !(last && isWhole) && (at > 0 || isWhole)) break
    const stop = end < 0 ? sight.length : end
    const line = sight.toString("utf8", at, stop).trim()
    const found = line === "" ? EMPTY : pointsOf(line)
    const cost = Buffer.byteLength(JSON.stringify(found.points))
    if (points.length > 0 && (points.length + found.points.length > POINTS || bytes + cost > BYTES))
      return { points, through, unread, firstUnread, more: true }
    if (found.why !== null) {
      unread += 1
      firstUnread ??= shown(line, found.why)
    }
    points.push(...found.points)
    bytes += cost
    at = stop + 1
    through = Math.min(from + at, from + sight.length)
    if (points.length > POINTS || bytes > BYTES) return { points, through, unread, firstUnread, more: true }
  }
  return { points, through, unread, firstUnread, more: !isWhole && through > from }
}

function look(file: string, from: number): Buffer {
  let opened: number
  try {
    opened = openSync(file, "r")
  } catch {
    return Buffer.alloc(0)
  }
  try {
    const length = Math.min(SIGHT, Math.max(0, fstatSync(opened).size - from))
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(opened, bytes, 0, length, from))
  } finally {
    closeSync(opened)
  }
}
