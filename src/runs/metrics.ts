/** Reads the metrics of a command: JSON lines in the file named by `RESEARCH_ROOM_METRICS`. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import * as v from "valibot"
import { metric } from "../contract/definitions/work.ts"
import { isObject } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"

export type Point = v.InferOutput<typeof metric>

/** The most points and bytes in one event. */
const POINTS = limits.metricsOfEvent
const BYTES = 45_000
const SHOWN = 100
const CHUNK = 1 << 20

/** Parses JSON with the words that Python writes for the numbers JSON lacks: NaN, Infinity and -Infinity. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return JSON.parse(line.replace(/([:,[]\s*)(-?Infinity|NaN)(?=\s*[,}\]])/g, '$1"$2"'))
  }
}

const isValue = (value: unknown): boolean =>
  typeof value === "number" || value === "NaN" || value === "Infinity" || value === "-Infinity"

interface Line {
  readonly points: Point[]
  /**
   * Why a part of the line is invalid; null if all is valid. Invalid values are left out, so that the others can be
   * reported.
   */
  readonly fault: string | null
}

const noPoints = (fault: string | null): Line => ({ points: [], fault })
const NOT_AN_OBJECT = noPoints('each is a JSON object such as {"step": 1, "loss": 0.5}')
const EMPTY = noPoints(null)

/**
 * Parses the points of a line: several by their names, `{"step": 3, "loss": 0.5, "arm": "shift"}`, or one in full,
 * `{"name": "loss", "value": 0.5, "arm": "shift", "seed": 3}`. Any other member is a dimension, unless it is null.
 */
export function pointsOf(line: string): Line {
  let value: unknown
  try {
    value = parseLine(line)
  } catch {
    return NOT_AN_OBJECT
  }
  if (!isObject(value)) return NOT_AN_OBJECT
  const { step, split, unit, dimensions = {}, ...members } = value
  const isFull = typeof members.name === "string" && isValue(members.value)
  const isMetric = ([name, member]: [string, unknown]) =>
    isFull ? name === "name" || name === "value" : isValue(member)
  const metrics = isFull ? [[members.name, members.value]] : Object.entries(members).filter(isMetric)
  const others = Object.entries(members).filter((member) => !isMetric(member) && member[1] !== null)
  const allDimensions = isObject(dimensions) ? { ...Object.fromEntries(others), ...dimensions } : dimensions
  const shared = {
    ...(typeof step === "number" && Number.isSafeInteger(step) && { step }),
    ...(typeof split === "string" && { split }),
    ...(typeof unit === "string" && { unit }),
    ...(!(isObject(allDimensions) && Object.keys(allDimensions).length === 0) && { dimensions: allDimensions }),
  }
  const faults: string[] = []
  const points = metrics.flatMap(([name, number]) => {
    const result = v.safeParse(metric, { name, value: Object.is(number, -0) ? 0 : number, ...shared })
    if (result.success) return [result.output]
    const [{ message, path }] = result.issues
    faults.push(`${(path ?? []).map(({ key }) => String(key)).join(".")} ${message}`)
    return []
  })
  return { points, fault: metrics.length === 0 ? "it has no value" : (faults[0] ?? null) }
}

/** Divides points into events within the limits. One line may need several events. */
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

/** Formats the start of an invalid line and its fault, without control characters. */
const excerpt = (line: string, fault: string): string =>
  `${line.slice(0, SHOWN)}${line.length > SHOWN ? "…" : ""}: ${fault.slice(0, 2 * SHOWN)}`.replace(/\p{Cc}/gu, "?")

export interface Batch {
  readonly points: Point[]
  /** Bytes of the file read so far. */
  readonly through: number
  readonly unread: number
  /** An excerpt of the first of them, with its fault. */
  readonly firstUnread: string | null
  /** Whether the file may have more points. */
  readonly more: boolean
}

/**
 * Reads the next points of a file: as many whole lines as fit into one event, or one line.
 * @param last whether the file is complete, so that its last line needs no line break
 */
export function nextPoints(file: string, from: number, last: boolean): Batch {
  const points: Point[] = []
  let [through, unread, bytes] = [from, 0, 0]
  let firstUnread: string | null = null
  const chunk = readChunk(file, from)
  const isLastChunk = chunk.length < CHUNK
  for (let at = 0; at < chunk.length; ) {
    const end = chunk.indexOf(10, at)
    // A line longer than a chunk is not a line of metrics.
    if (end < 0 && !(last && isLastChunk) && (at > 0 || isLastChunk)) break
    const stop = end < 0 ? chunk.length : end
    const line = chunk.toString("utf8", at, stop).trim()
    const parsed = line === "" ? EMPTY : pointsOf(line)
    const cost = Buffer.byteLength(JSON.stringify(parsed.points))
    if (points.length > 0 && (points.length + parsed.points.length > POINTS || bytes + cost > BYTES))
      return { points, through, unread, firstUnread, more: true }
    if (parsed.fault !== null) {
      unread += 1
      firstUnread ??= excerpt(line, parsed.fault)
    }
    points.push(...parsed.points)
    bytes += cost
    at = stop + 1
    through = Math.min(from + at, from + chunk.length)
    if (points.length > POINTS || bytes > BYTES) return { points, through, unread, firstUnread, more: true }
  }
  return { points, through, unread, firstUnread, more: !isLastChunk && through > from }
}

function readChunk(file: string, from: number): Buffer {
  let opened: number
  try {
    opened = openSync(file, "r")
  } catch {
    return Buffer.alloc(0)
  }
  try {
    const length = Math.min(CHUNK, Math.max(0, fstatSync(opened).size - from))
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(opened, bytes, 0, length, from))
  } finally {
    closeSync(opened)
  }
}
