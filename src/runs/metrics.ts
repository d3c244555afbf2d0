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
  /** Whether every value of it can be told: one that the service would refuse must not take a thousand others with it. */
  readonly isWhole: boolean
}

const NOTHING: Line = { points: [], isWhole: false }
const EMPTY: Line = { points: [], isWhole: true }

/** The points of a line: `{"name": "loss", "value": 0.5, "step": 3}`, or several by their names, `{"step": 3, "loss": 0.5}`. */
export function pointsOf(line: string): Line {
  let said: unknown
  try {
    said = parsed(line)
  } catch {
    return NOTHING
  }
  if (!isObject(said)) return NOTHING
  const { step, split, unit, dimensions, ...values } = said
  const beside = {
    ...(typeof step === "number" && Number.isSafeInteger(step) && { step }),
    ...(typeof split === "string" && { split }),
    ...(typeof unit === "string" && { unit }),
    ...(isObject(dimensions) && { dimensions }),
  }
  const named = typeof values.name === "string" && isValue(values.value)
  const told = named ? [[values.name, values.value]] : Object.entries(values).filter(([, value]) => isValue(value))
  const points = told.flatMap(([name, value]) => {
    const read = v.safeParse(metric, { name, value: Object.is(value, -0) ? 0 : value, ...beside })
    return read.success ? [read.output] : []
  })
  return { points, isWhole: points.length > 0 && points.length === told.length }
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

export interface Batch {
  readonly points: Point[]
  /** Bytes of the file that have been looked at. */
  readonly through: number
  /** Lines that say nothing, or something that cannot be told. */
  readonly unread: number
  /** Whether there may be more. */
  readonly more: boolean
}

/** The next points of a file, whole lines only, as many as one event takes, or those of one line. @param last whether nothing more will be written: then a last line needs no end */
export function nextPoints(file: string, from: number, last: boolean): Batch {
  const points: Point[] = []
  let [through, unread, bytes] = [from, 0, 0]
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
      return { points, through, unread, more: true }
    if (!found.isWhole) unread += 1
    points.push(...found.points)
    bytes += cost
    at = stop + 1
    through = Math.min(from + at, from + sight.length)
    if (points.length > POINTS || bytes > BYTES) return { points, through, unread, more: true }
  }
  return { points, through, unread, more: !isWhole && through > from }
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
