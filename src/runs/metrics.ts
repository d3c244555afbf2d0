/** What a command measures, as it says it: JSON lines in the file that `RESEARCH_ROOM_METRICS` names. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs"

export interface Point {
  readonly name: string
  readonly value: number | string
  readonly step?: number
  readonly split?: string
  readonly unit?: string
}

/** Points and bytes of one event. */
const POINTS = 1_000
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

const isValue = (value: unknown): value is number | string =>
  (typeof value === "number" && Number.isFinite(value)) || value === "NaN" || value === "Infinity" || value === "-Infinity"
const plain = (value: number | string): number | string => (Object.is(value, -0) ? 0 : value)

/**
 * The points of a line: `{"name": "loss", "value": 0.5, "step": 3}`, or several by their names, `{"step": 3, "loss": 0.5}`.
 * @returns undefined for a line that is neither
 */
export function pointsOf(line: string): Point[] | undefined {
  let said: unknown
  try {
    said = parsed(line)
  } catch {
    return undefined
  }
  if (typeof said !== "object" || said === null || Array.isArray(said)) return undefined
  const { step, split, unit, ...values }: Record<string, unknown> = { ...said }
  const beside = {
    ...(typeof step === "number" && Number.isSafeInteger(step) && { step }),
    ...(typeof split === "string" && { split }),
    ...(typeof unit === "string" && { unit }),
  }
  if (typeof values.name === "string" && isValue(values.value)) return [{ name: values.name, value: plain(values.value), ...beside }]
  const points = Object.entries(values).flatMap(([name, value]) => (isValue(value) ? [{ name, value: plain(value), ...beside }] : []))
  return points.length === 0 ? undefined : points
}

export interface Batch {
  readonly points: Point[]
  /** Bytes of the file that have been looked at. */
  readonly through: number
  /** Lines that say nothing. */
  readonly unread: number
  /** Whether there may be more. */
  readonly more: boolean
}

/** The next points of a file, whole lines only, as many as one event takes. @param last whether nothing more will be written: then a last line needs no end */
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
    const found = line === "" ? [] : pointsOf(line)
    const cost = found === undefined ? 0 : Buffer.byteLength(JSON.stringify(found))
    if (points.length > 0 && (points.length + (found?.length ?? 0) > POINTS || bytes + cost > BYTES))
      return { points, through, unread, more: true }
    if (found === undefined) unread += 1
    else points.push(...found.slice(0, POINTS))
    bytes += cost
    at = stop + 1
    through = Math.min(from + at, from + sight.length)
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
