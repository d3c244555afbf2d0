/** Pictures made for a test. The PNG is written here by hand; a library encodes the other formats from it. */
import { crc32, deflateSync } from "node:zlib"

export function chunk(type: string, data: Buffer): Buffer {
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)]
  const body = Buffer.concat([Buffer.from(type), data])
  length.writeUInt32BE(data.length)
  crc.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, crc])
}

export interface PngOptions {
  readonly width?: number
  readonly height?: number
  /** Makes one picture differ from another. */
  readonly shade?: number
  /** A comment inside the file. */
  readonly comment?: string
  /** The rows that the file really has; if omitted, all. */
  readonly rows?: number
  /** Makes its first quarter white, at the top left. */
  readonly corner?: boolean
  /** More pieces of the file, before its pixels. */
  readonly chunks?: readonly Buffer[]
}

/** An RGB picture as a PNG file. */
export function png({
  width = 12,
  height = 8,
  shade = 0,
  comment,
  rows = height,
  corner,
  chunks = [],
}: PngOptions = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  const line = Buffer.alloc(1 + 3 * width, shade)
  line[0] = 0
  const cornered = Buffer.from(line)
  if (corner === true) cornered.fill(255, 1, 1 + 3 * (width >> 1))
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    ...(comment === undefined ? [] : [chunk("tEXt", Buffer.from(`Comment\0${comment}`, "latin1"))]),
    ...chunks,
    chunk(
      "IDAT",
      deflateSync(Buffer.concat(Array.from({ length: rows }, (_, row) => (row < height >> 1 ? cornered : line)))),
    ),
    chunk("IEND", Buffer.alloc(0)),
  ])
}

/** The same picture as a JPEG and as a WebP file. */
export async function encoded(file: Buffer): Promise<{ readonly jpeg: Buffer; readonly webp: Buffer }> {
  const { PhotonImage } = await import("@cf-wasm/photon/node")
  const image = PhotonImage.new_from_byteslice(file)
  return { jpeg: Buffer.from(image.get_bytes_jpeg(90)), webp: Buffer.from(image.get_bytes_webp()) }
}
