/** Takes in pictures: what a member uploads, and what comes with a Room of another instance. */
import { limits } from "../contract/limits.ts"
import { figureTypes, type FigureType, isFigureType } from "../contract/definitions/figures.ts"
import { digestOf } from "../contract/json.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Job } from "../jobs/job.ts"
import { parsing } from "../jobs/pool.ts"
import type { StoredFigure } from "../ledger/journal/attachments.ts"
import type { ImageOrder, ImageRead } from "./image.ts"

const invalid = (message: string) =>
  new Refusal("invalid_schema", `The picture ${message}. Nothing was stored.`, { issues: [{ path: "", message }] })

const job: Job<ImageOrder, ImageRead> = {
  name: "image",
  bounds: { seconds: limits.figureSeconds, megabytes: limits.parsingMegabytes },
  // A picture that was too large leaves the decoder without memory for the next one.
  endsProcess: true,
  // In base64, with its size beside it.
  output: Math.ceil((limits.keptFigureBytes * 4) / 3) + 1_000,
  tooCostly: () => invalid(`takes more than ${limits.figureSeconds} seconds to decode`),
}

/** @throws Refusal 422 for what is no such picture, 503 when too many are being read */
async function read(
  bytes: Uint8Array,
  mediaType: FigureType,
  encode: boolean,
  caller: string | null = null,
): Promise<Exclude<ImageRead, { fault: string }>> {
  const made = await parsing.run(job, { bytes: Buffer.from(bytes).toString("base64"), mediaType, encode }, caller)
  if ("fault" in made) throw invalid(made.fault)
  return made
}

/** The media type that an upload is sent as. @throws Refusal 422 for any other */
export function figureTypeOf(contentType: string | null): FigureType {
  const type = (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? ""
  if (isFigureType(type)) return type
  throw invalid(`must be sent with Content-Type ${Object.keys(figureTypes).join(", ")}`)
}

/**
 * An uploaded picture, encoded anew, for a user who has one decoded at a time. @throws Refusal 422 for what is no such
 * picture, 503 when too many are being read
 */
export async function uploaded(sent: Uint8Array, mediaType: FigureType, userId: string | null): Promise<StoredFigure> {
  const { width, height, bytes } = await read(sent, mediaType, true, userId)
  const kept = Buffer.from(bytes, "base64")
  return { digest: digestOf(kept), mediaType, width, height, bytes: kept }
}

/**
 * A picture that another instance keeps under a digest. Its bytes stay as they are, or the digest would be another.
 * @throws Refusal for what is no picture, or not the one that the digest names
 */
export async function received(sent: Uint8Array, digest: string, mediaType: FigureType): Promise<StoredFigure> {
  if (digestOf(sent) !== digest) throw invalid(`is not the one that ${digest} names`)
  const { width, height } = await read(sent, mediaType, false)
  return { digest, mediaType, width, height, bytes: Buffer.from(sent) }
}
