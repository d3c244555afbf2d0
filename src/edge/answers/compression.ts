/** Compresses responses on Node's thread pool. */
import { promisify } from "node:util"
import { Duplex } from "node:stream"
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib"
import { BoundedCache } from "../../renderer/bounded-cache.ts"

export type Encoding = "br" | "gzip"
type Bytes = Buffer<ArrayBuffer>

/** The most bytes being compressed at a time. Beyond that, responses go out uncompressed and wait for no thread. */
const IN_PROGRESS = 16_000_000
/** The most bytes in the cache of compressed responses that never change. */
const CACHED = 8_000_000

const { BROTLI_PARAM_QUALITY: QUALITY, BROTLI_PARAM_LGWIN: WINDOW, BROTLI_PARAM_SIZE_HINT: SIZE } = constants
/** A window of 256 KiB suffices for short responses, and each stream allocates one. */
const brotli = (quality: number, size: number) => ({ params: { [QUALITY]: quality, [WINDOW]: 18, [SIZE]: size } })
const [asBrotli, asGzip] = [promisify(brotliCompress), promisify(gzip)]

/** The encoding to use for an `Accept-Encoding`: br if it ranks as high as gzip; null for neither. */
export function encodingFor(accepted: string | null): Encoding | null {
  if (accepted === null) return null
  const weights = new Map<string, number>()
  for (const part of accepted.toLowerCase().split(",").slice(0, 20)) {
    const [name = "", ...parameters] = part.split(";").map((each) => each.trim())
    const weight = parameters.find((each) => each.startsWith("q="))
    if (name !== "") weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0)
  }
  const weightOf = (name: Encoding) => weights.get(name) ?? weights.get("*") ?? 0
  const best: Encoding = weightOf("br") >= weightOf("gzip") ? "br" : "gzip"
  return weightOf(best) > 0 && weightOf(best) >= (weights.get("identity") ?? 0) ? best : null
}

export class Compressor {
  #inProgress = 0
  /** Compressed responses that never change, by encoding and tag. */
  readonly #cache = new BoundedCache<Bytes>(CACHED, (_name, { length }) => length)
  readonly #pending = new Map<string, Promise<Bytes>>()

  /**
   * Compresses the bytes. @returns null if too much is in progress
   * @param tag the tag of a response that never changes: it is compressed once, at a higher level
   */
  async compressed(bytes: Uint8Array, encoding: Encoding, tag: string | null): Promise<Bytes | null> {
    if (tag === null) return this.#fits(bytes) ? this.#compress(bytes, encoding, false) : null
    const name = `${encoding} ${tag}`
    const known = this.#cache.get(name)
    if (known !== undefined) return known
    const pending = this.#pending.get(name)
    if (pending !== undefined) return pending
    if (!this.#fits(bytes)) return null
    const result = this.#compress(bytes, encoding, true).finally(() => this.#pending.delete(name))
    this.#pending.set(name, result)
    this.#cache.set(name, await result)
    return result
  }

  /** Compresses a streamed body. */
  stream(encoding: Encoding): ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array> {
    return Duplex.toWeb(encoding === "br" ? createBrotliCompress(brotli(4, 0)) : createGzip())
  }

  #fits = ({ length }: Uint8Array): boolean => this.#inProgress + length <= IN_PROGRESS

  async #compress(bytes: Uint8Array, encoding: Encoding, isCached: boolean): Promise<Bytes> {
    this.#inProgress += bytes.length
    try {
      if (encoding === "br") return asBrotli(bytes, brotli(isCached ? 9 : 4, bytes.length))
      return asGzip(bytes, { level: isCached ? 9 : 5 })
    } finally {
      this.#inProgress -= bytes.length
    }
  }
}
