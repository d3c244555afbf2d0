/**
 * Reads a picture of a stranger and encodes it anew: what is kept holds the pixels and nothing else of the file. It
 * runs in a process for costly work alone, with a bound on the memory of the decoder.
 */
import { setFlagsFromString } from "node:v8"
import { limits } from "../contract/limits.ts"
import { figureTypes, type FigureType, isFigureType } from "../contract/definitions/attachments.ts"
import { containerOf, upright } from "./container.ts"
import { digestOf } from "../contract/json.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Job } from "../jobs/job.ts"
import { parsing } from "../jobs/pool.ts"
import type { StoredFigure } from "../ledger/journal/attachments.ts"

/** What is asked: bytes in base64, and of which type they are said to be. */
export interface ImageOrder {
  readonly bytes: string
  readonly mediaType: FigureType
  /** Whether the picture is encoded anew; else it is only looked at. */
  readonly encode: boolean
}

/** The picture, or what is wrong with it. `bytes` are in base64 and empty where nothing was encoded. */
export type ImageRead =
  | { readonly width: number; readonly height: number; readonly bytes: string }
  | { readonly fault: string }

/** How good a JPEG is made, of 100. */
const QUALITY = 92

/** Whether a file begins as its type does. */
const begins: Readonly<Record<FigureType, (bytes: Buffer) => boolean>> = {
  "image/png": (bytes) => bytes.subarray(0, 8).toString("latin1") === "\x89PNG\r\n\x1a\n",
  "image/jpeg": (bytes) => bytes.subarray(0, 3).toString("latin1") === "\xff\xd8\xff",
  "image/webp": (bytes) =>
    bytes.subarray(0, 4).toString("latin1") === "RIFF" && bytes.subarray(8, 12).toString("latin1") === "WEBP",
}

/** Which kind of picture a file begins as. */
export const typeOfImage = (bytes: Buffer): FigureType | undefined =>
  Object.keys(figureTypes).find((type): type is FigureType => isFigureType(type) && begins[type](bytes))

/** Gives memory back at once: each copy of the pixels takes up to 80 MB. */
const released = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}

export async function readImage({ bytes, mediaType, encode }: ImageOrder): Promise<ImageRead> {
  const file = Buffer.from(bytes, "base64")
  if (!begins[mediaType](file)) return { fault: `is not a file of type ${mediaType}` }
  const { orientation, fault } = containerOf(file, mediaType)
  if (fault !== null) return { fault }
  // The decoder takes memory of its own, which no limit of the thread bounds.
  setFlagsFromString(`--wasm-max-mem-pages=${limits.figurePages}`)
  const { PhotonImage } = await import("@cf-wasm/photon/node")
  let image: InstanceType<typeof PhotonImage> | undefined
  try {
    image = PhotonImage.new_from_byteslice(file)
    let [width, height] = [image.get_width(), image.get_height()]
    if (width * height > limits.figurePixels)
      return { fault: `has ${width} x ${height} pixels; at most ${limits.figurePixels} are taken` }
    if (!encode) return { width, height, bytes: "" }
    if (orientation !== 1) {
      const raw = image.get_raw_pixels()
      image.free()
      const turned = upright(raw, width, height, orientation)
      released(raw)
      ;({ width, height } = turned)
      image = new PhotonImage(turned.pixels, width, height)
      released(turned.pixels)
    }
    const made = {
      "image/png": () => image?.get_bytes(),
      "image/jpeg": () => image?.get_bytes_jpeg(QUALITY),
      "image/webp": () => image?.get_bytes_webp(),
    }[mediaType]()
    const kept = Buffer.from(made ?? [])
    if (kept.length > limits.keptFigureBytes)
      return { fault: `takes ${kept.length} bytes when it is encoded anew; at most ${limits.keptFigureBytes} are kept` }
    return { width, height, bytes: kept.toString("base64") }
  } catch {
    return { fault: `cannot be decoded as ${mediaType} within the memory a picture may take` }
  } finally {
    image?.free()
  }
}

// Takes in pictures: what a member uploads, and what comes with a Room of another instance.

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
