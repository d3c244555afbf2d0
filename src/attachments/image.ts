/**
 * Reads a picture of a stranger and encodes it anew: what is kept holds the pixels and nothing else of the file. It
 * runs in a process for costly work alone, with a bound on the memory of the decoder.
 */
import { setFlagsFromString } from "node:v8"
import { inflateSync } from "node:zlib"
import { limits } from "../contract/limits.ts"
import { figureTypes, type FigureType, isFigureType, type UploadedFigure } from "../contract/definitions/attachments.ts"
import { digestOf } from "../contract/json.ts"
import { Refusal } from "../contract/refusals.ts"
import type { Job } from "../jobs/job.ts"
import { parsing } from "../jobs/pool.ts"
import type { StoredFigure } from "../ledger/journal/attachments.ts"
import { isoTime } from "../ledger/world.ts"
import type { Storing } from "./log.ts"

// What the file of a picture says beside its pixels, and a decoder leaves out: which way up it is, in which colours,
// and whether it moves.

export interface Container {
  /** How the pixels lie, as EXIF numbers it: 1 is upright, 5 to 8 lie on their side. */
  readonly orientation: number
  /** What would be lost if only the pixels were kept; null if nothing would be. */
  readonly fault: string | null
}

const MOVES = "is an animation: only its first frame would be kept. Send that frame as a picture"
const PRINTED = "is in CMYK. Convert it to sRGB"
const profiled = (name: string) =>
  `has the colour profile ${name}, without which its colours would be others. Convert it to sRGB`

/** The most bytes of a compressed profile: those in use take up to 600,000. */
const PROFILE_MOST = 4_000_000
const EXIF = "Exif\0\0"
const ICC = "ICC_PROFILE\0"

/** The orientation in the TIFF structure of EXIF; 1 if it says none. */
function orientationIn(tiff: Buffer): number {
  const order = tiff.toString("latin1", 0, 2)
  if (tiff.length < 8 || (order !== "II" && order !== "MM")) return 1
  const short = (at: number) => (order === "II" ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const first = order === "II" ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  if (first + 2 > tiff.length) return 1
  const count = Math.min(short(first), Math.floor((tiff.length - first - 2) / 12))
  for (let at = first + 2; at < first + 2 + 12 * count; at += 12)
    if (short(at) === 0x0112) {
      const value = short(at + 8)
      return value >= 1 && value <= 8 ? value : 1
    }
  return 1
}

/** The name in a colour profile (ICC): a table of tags leads to it, in one of two forms. */
function nameOf(profile: Buffer): string {
  const tags = Math.min(profile.readUInt32BE(128), Math.floor((profile.length - 132) / 12))
  for (let at = 132; at < 132 + 12 * tags; at += 12) {
    if (profile.toString("latin1", at, at + 4) !== "desc") continue
    const tag = profile.subarray(profile.readUInt32BE(at + 4)).subarray(0, profile.readUInt32BE(at + 8))
    const isUtf16 = tag.toString("latin1", 0, 4) === "mluc"
    const [from, size] = isUtf16 ? [tag.readUInt32BE(24), tag.readUInt32BE(20)] : [12, tag.readUInt32BE(8)]
    const text = Buffer.from(tag.subarray(from, from + Math.min(size, 200)))
    return (
      isUtf16
        ? text
            .subarray(0, text.length & ~1)
            .swap16()
            .toString("utf16le")
        : text.toString("latin1")
    )
      .replaceAll(/[^\x20-\x7e]/g, "")
      .trim()
  }
  return ""
}

/** What a colour profile means for the pixels: nothing if it is that of sRGB. */
function profileFault(profile: Buffer): string | null {
  let name = ""
  try {
    name = nameOf(profile)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return /^s(?:rgb|gray)\b|IEC ?61966-2/i.test(name) ? null : profiled(name === "" ? "of an unknown name" : `"${name}"`)
}

function ofJpeg(file: Buffer): Container {
  let [orientation, fault]: [number, string | null] = [1, null]
  const profile: Buffer[] = []
  for (let at = 2; at + 4 <= file.length && file[at] === 0xff; ) {
    const marker = file[at + 1] ?? 0
    // A fill byte, or the pixels.
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker === 0xda || marker === 0xd9) break
    const end = at + 2 + file.readUInt16BE(at + 2)
    const segment = file.subarray(at + 4, end)
    const beginsWith = (words: string) => segment.toString("latin1", 0, words.length) === words
    if (marker === 0xe1 && beginsWith(EXIF)) orientation = orientationIn(segment.subarray(EXIF.length))
    if (marker === 0xe2 && beginsWith(ICC)) profile.push(segment.subarray(ICC.length + 2))
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame && segment[5] === 4) fault = PRINTED
    at = end
  }
  return { orientation, fault: fault ?? (profile.length === 0 ? null : profileFault(Buffer.concat(profile))) }
}

/** The pieces of a PNG or WebP file, each with its type. In a PNG, the size stands before the type. */
function* piecesOf(file: Buffer, from: number, isPng: boolean): Generator<readonly [type: string, data: Buffer]> {
  for (let at = from; at + 8 <= file.length; ) {
    const size = isPng ? file.readUInt32BE(at) : file.readUInt32LE(at + 4)
    const type = file.toString("latin1", isPng ? at + 4 : at, isPng ? at + 8 : at + 4)
    yield [type, file.subarray(at + 8, at + 8 + size)]
    at += isPng ? size + 12 : size + 8 + (size % 2)
  }
}

function unpacked(data: Buffer): Buffer {
  try {
    return inflateSync(data.subarray(data.indexOf(0) + 2), { maxOutputLength: PROFILE_MOST })
  } catch {
    return Buffer.alloc(0)
  }
}

/** A gamma of 1/2.2, as sRGB's is close to, in hundred-thousandths. */
const [USUAL_GAMMA, GAMMA_TOLERANCE] = [45_455, 1_000]

function ofPng(file: Buffer): Container {
  let [orientation, fault]: [number, string | null] = [1, null]
  let isStandard = false
  let gamma = USUAL_GAMMA
  for (const [type, data] of piecesOf(file, 8, true)) {
    if (type === "acTL") return { orientation, fault: MOVES }
    if (type === "eXIf") orientation = orientationIn(data)
    if (type === "iCCP") fault = profileFault(unpacked(data))
    // Colour primaries 1 are those of sRGB and of HDTV.
    if (type === "cICP" && data[0] !== 1) fault = profiled(`with the primaries number ${data[0] ?? 0}`)
    if (type === "sRGB") isStandard = true
    if (type === "gAMA" && data.length >= 4) gamma = data.readUInt32BE(0)
  }
  if (fault === null && !isStandard && Math.abs(gamma - USUAL_GAMMA) > GAMMA_TOLERANCE)
    fault = profiled(`of gamma ${gamma / 100_000}`)
  return { orientation, fault }
}

function ofWebp(file: Buffer): Container {
  let [orientation, fault]: [number, string | null] = [1, null]
  for (const [type, data] of piecesOf(file, 12, false)) {
    if (type === "ANIM" || type === "ANMF") return { orientation, fault: MOVES }
    if (type === "ICCP") fault = profileFault(data)
    if (type === "EXIF")
      orientation = orientationIn(data.toString("latin1", 0, EXIF.length) === EXIF ? data.subarray(EXIF.length) : data)
  }
  return { orientation, fault }
}

/** Reads what a file says beside its pixels. A file that ends early says what it has. */
function containerOf(file: Buffer, type: FigureType): Container {
  try {
    return { "image/png": ofPng, "image/jpeg": ofJpeg, "image/webp": ofWebp }[type](file)
  } catch (error) {
    if (error instanceof RangeError) return { orientation: 1, fault: null }
    throw error
  }
}

/** Turns pixels of four bytes each upright. @param orientation as EXIF numbers it */
function upright(pixels: Uint8Array, width: number, height: number, orientation: number) {
  const from = new Uint32Array(pixels.buffer, pixels.byteOffset, width * height)
  const isTurned = orientation >= 5
  const [wide, high] = isTurned ? [height, width] : [width, height]
  const to = new Uint32Array(width * height)
  const isMirrored = [2, 3, 7, 8].includes(orientation)
  const isUpsideDown = [3, 4, 6, 7].includes(orientation)
  for (let y = 0; y < high; y += 1)
    for (let x = 0; x < wide; x += 1) {
      const column = isTurned ? y : x
      const row = isTurned ? x : y
      const left = isMirrored ? width - 1 - column : column
      const top = isUpsideDown ? height - 1 - row : row
      to[y * wide + x] = from[top * width + left] ?? 0
    }
  return { pixels: new Uint8Array(to.buffer), width: wide, height: high }
}

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
function figureTypeOf(contentType: string | null): FigureType {
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
 * Stores an uploaded picture until a write names it. The same picture sent again keeps its digest. @throws Refusal 422
 * if it is not a picture of that type
 */
export async function keepFigure(
  { ledger, tables: { attachments }, world }: Storing,
  { userId }: { readonly userId: string },
  bytes: Uint8Array,
  contentType: string | null,
  mustStillBe: () => void,
): Promise<UploadedFigure> {
  const figure = await uploaded(bytes, figureTypeOf(contentType), userId)
  await ledger.transact(() => {
    mustStillBe()
    attachments.keep(figure, userId, isoTime(world.now()))
  })
  const { digest, width, height } = figure
  return { digest, width, height }
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
