/**
 * Reads the responses of an origin, which are not trusted: within limits, and in a separate process if they are long.
 */
import * as v from "valibot"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Job } from "../../jobs/job.ts"
import { following } from "../../jobs/pool.ts"
import { CrateFault } from "../../research/import/crate-file.ts"
import { elsewhereSchema, homeSchema, MOST_HOMES, NAME, personLine, uuid } from "../../research/import/origin.ts"
import { checked } from "../../research/import/origin.ts"

/** How many entries a page has. */
export const PAGE = 20
const FEED_BYTES = PAGE * (2 * limits.contentBytes + 50_000)
/** Responses of up to this many characters are parsed in this process. */
const SHORT = 65_536

export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const person = v.object({ userId: uuid, username: NAME })

/** The most instances in a lineage. */
const MOST_RESTORED = 10_000

/** The responses that a mirror reads, each with its most bytes. */
const answers = {
  manifest: {
    most: 1024 * 1024,
    schema: v.object({
      service: v.literal("research-room"),
      instanceId: uuid,
      softwareVersion: v.pipe(v.string(), v.maxLength(50)),
      // Older versions, which keep their id when they are restored, have no lineage.
      lineage: v.optional(v.pipe(v.array(uuid), v.maxLength(MOST_RESTORED)), []),
    }),
  },
  room: {
    most: 256 * 1024,
    schema: v.object({
      roomId: uuid,
      title: v.pipe(v.string(), v.maxLength(5 * limits.title)),
      activityWatermark: count,
      origin: v.optional(v.nullable(v.object({ instanceId: uuid, baseUrl: elsewhereSchema.entries.baseUrl })), null),
      // Older versions, which cannot adopt Rooms, leave it out.
      adopted: v.optional(v.pipe(v.array(homeSchema), v.maxLength(MOST_HOMES)), []),
    }),
  },
  feed: {
    most: FEED_BYTES,
    schema: v.object({
      items: v.pipe(
        v.array(
          v.looseObject({
            sequence: count,
            digest: v.string(),
            // Loose, because the digest covers the name of an agent too.
            actor: v.looseObject(person.entries),
            write: v.looseObject({
              people: v.pipe(v.array(v.object(personLine.entries)), v.maxLength(2)),
              cites: v.pipe(v.array(v.object({ roomId: uuid, through: count })), v.maxLength(1_000)),
            }),
          }),
        ),
        v.maxLength(PAGE),
      ),
      nextCursor: count,
      hasMore: v.boolean(),
    }),
  },
  refusal: { most: 256 * 1024, schema: v.object({ current: v.object({ watermark: count }) }) },
} as const
export type AnswerName = keyof typeof answers
export type OriginAnswer<N extends AnswerName> = v.InferOutput<(typeof answers)[N]["schema"]>
export type FeedPage = OriginAnswer<"feed">

/** A response as it was received. `what` names it in a sentence. */
interface ReceivedText {
  readonly name: AnswerName
  readonly what: string
  readonly text: string
}

/** Parses and validates a response. @returns its value, or a sentence on why it is not valid */
export function readAnswer({
  name,
  what,
  text,
}: ReceivedText): { readonly found: unknown } | { readonly fault: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { fault: `${what} is not JSON.` }
  }
  try {
    return { found: checked(answers[name].schema, value, what) }
  } catch (error) {
    if (error instanceof CrateFault) return { fault: error.message }
    throw error
  }
}

const job: Job<ReceivedText, ReturnType<typeof readAnswer>> = {
  name: "answer",
  bounds: { seconds: limits.parsingSeconds, megabytes: limits.parsingMegabytes },
  output: 2 * FEED_BYTES,
  tooCostly: () => new Refusal("content_too_large", "An answer of the origin takes too much time or memory to read."),
}

/** Reads the bytes of a response; undefined if they exceed `most`. */
export async function bytesOf({ body }: Response, most: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  const bytes: AsyncIterable<Uint8Array> | readonly Uint8Array[] = body ?? []
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Reads the text of a response. @throws CrateFault if it is too long */
export async function textOf(name: AnswerName, what: string, response: Response): Promise<string> {
  const { most } = answers[name]
  const bytes = await bytesOf(response, most)
  if (bytes === undefined) throw new CrateFault(`${what} is over ${most} bytes, which is too large.`)
  return bytes.toString()
}

/** Parses a response. @throws CrateFault if it is not valid, Refusal 503 if too many are being parsed */
export async function answerIn<N extends AnswerName>(name: N, what: string, text: string): Promise<OriginAnswer<N>> {
  const received = { name, what, text }
  try {
    const read = text.length <= SHORT ? readAnswer(received) : await following.run(job, received)
    if ("fault" in read) throw new CrateFault(read.fault)
    return read.found as OriginAnswer<N>
  } catch (error) {
    if (error instanceof Refusal && error.code === "content_too_large") throw new CrateFault(error.message)
    throw error
  }
}
