/** Compression on Node's own threads: the serving thread hands bytes over and is given bytes back. */
import { promisify } from "node:util"
import { Duplex } from "node:stream"
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib"

export type Encoding = "br" | "gzip"
type Bytes = Buffer<ArrayBuffer>

/** Bytes under way at one time: beyond them answers go out as they are, and nobody waits for a thread. */
const UNDER_WAY = 16_000_000
/** Bytes kept of answers that never change, each compressed once. */
const KEPT = 8_000_000

const { BROTLI_PARAM_QUALITY: QUALITY, BROTLI_PARAM_LGWIN: WINDOW, BROTLI_PARAM_SIZE_HINT: SIZE } = constants
/** A window of 256 KiB: an answer is short, and each stream has one. */
const brotli = (quality: number, size: number) => ({ params: { [QUALITY]: quality, [WINDOW]: 18, [SIZE]: size } })
const [asBrotli, asGzip] = [promisify(brotliCompress), promisify(gzip)]

/** The encoding that a client's `Accept-Encoding` asks for: br before gzip where it likes both as much; null for neither. */
export function encodingFor(accepted: string | null): Encoding | null {
  if (accepted === null) return null
  const likes = new Map<string, number>()
  for (const part of accepted.toLowerCase().split(",").slice(0, 20)) {
    const [name = "", ...parameters] = part.split(";").map((each) => each.trim())
    const weight = parameters.find((each) => each.startsWith("q="))
    if (name !== "") likes.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0)
  }
  const liking = (name: Encoding) => likes.get(name) ?? likes.get("*") ?? 0
  const best: Encoding = liking("br") >= liking("gzip") ? "br" : "gzip"
  return liking(best) > 0 && liking(best) >= (likes.get("identity") ?? 0) ? best : null
}

export class Compressor {
  #underWay = 0
  #keptBytes = 0
  /** Answers that never change, by their tag and encoding; that which was asked for last at the end. */
  readonly #kept = new Map<string, Bytes>()
  readonly #making = new Map<string, Promise<Bytes>>()

  /**
   * The bytes compressed; null where too much is under way.
   * @param tag that of an answer which never changes: it is compressed once, and better
   */
  async compressed(bytes: Uint8Array, encoding: Encoding, tag: string | null): Promise<Bytes | null> {
    if (tag === null) return this.#fits(bytes) ? this.#made(bytes, encoding, false) : null
    const name = `${encoding} ${tag}`
    const known = this.#kept.get(name)
    if (known !== undefined) {
      this.#kept.delete(name)
      this.#kept.set(name, known)
      return known
    }
    const making = this.#making.get(name)
    if (making !== undefined) return making
    if (!this.#fits(bytes)) return null
    const made = this.#made(bytes, encoding, true).finally(() => this.#making.delete(name))
    this.#making.set(name, made)
    this.#keep(name, await made)
    return made
  }

  /** Compresses what is made while it is sent. */
  stream(encoding: Encoding): ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array> {
    return Duplex.toWeb(encoding === "br" ? createBrotliCompress(brotli(4, 0)) : createGzip())
  }

  #fits = ({ length }: Uint8Array): boolean => this.#underWay + length <= UNDER_WAY

  async #made(bytes: Uint8Array, encoding: Encoding, well: boolean): Promise<Bytes> {
    this.#underWay += bytes.length
    try {
      if (encoding === "br") return asBrotli(bytes, brotli(well ? 9 : 4, bytes.length))
      return asGzip(bytes, { level: well ? 9 : 5 })
    } finally {
      this.#underWay -= bytes.length
    }
  }

  #keep(name: string, bytes: Bytes): void {
    this.#kept.set(name, bytes)
    this.#keptBytes += bytes.length
    for (const [oldest, { length }] of this.#kept) {
      if (this.#keptBytes <= KEPT) break
      this.#kept.delete(oldest)
      this.#keptBytes -= length
    }
  }
}
