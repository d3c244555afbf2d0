/** Reads what Node finds in the executable at its start: the program, V8's cache of it, and the assets. */
import assert from "node:assert/strict"

export interface Blob {
  readonly quiet: boolean
  readonly snapshot: boolean
  /** Whether NODE_OPTIONS and flags reach Node: 0 is neither. */
  readonly execArgvExtension: number
  /** The embedded flags of Node. */
  readonly execArgv: readonly string[]
  readonly code: Buffer
  readonly codeCache: Buffer | null
  readonly assets: ReadonlyMap<string, Buffer>
}

const flag = { quiet: 1, snapshot: 2, codeCache: 4, assets: 8, execArgv: 16 }

export function readBlob(bytes: Buffer): Blob {
  let at = 0
  const long = () => Number(bytes.readBigUInt64LE((at += 8) - 8))
  const word = () => bytes.readUInt32LE((at += 4) - 4)
  const piece = () => {
    const length = long()
    at += length
    assert.ok(at <= bytes.length, "a part extends beyond the end")
    return bytes.subarray(at - length, at)
  }
  assert.equal(word(), 0x0143da20, "the blob's magic number")
  const flags = word()
  assert.equal(flags & ~(flag.quiet | flag.snapshot | flag.codeCache | flag.assets | flag.execArgv), 0, "unknown flags")
  const execArgvExtension = bytes.readUInt8(at)
  assert.equal(bytes.readUInt8(at + 1), 0, "the program is CommonJS")
  at += 2
  piece()
  const code = piece()
  const codeCache = (flags & flag.codeCache) === 0 ? null : piece()
  const assets = new Map<string, Buffer>()
  if ((flags & flag.assets) !== 0)
    for (let left = long(); left > 0; left--) assets.set(piece().toString("utf8"), piece())
  const execArgv = (flags & flag.execArgv) === 0 ? [] : Array.from({ length: long() }, () => piece().toString("utf8"))
  assert.equal(at, bytes.length, "nothing follows the last part")
  return {
    quiet: (flags & flag.quiet) !== 0,
    snapshot: (flags & flag.snapshot) !== 0,
    execArgvExtension,
    execArgv,
    code,
    codeCache,
    assets,
  }
}
