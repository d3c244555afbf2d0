/**
 * Programs for macOS. Node finds its blob in a section of its own segment; the system requires a signature of every
 * page.
 */
import assert from "node:assert/strict"
import { hash } from "node:crypto"

export const machMachine = (bytes: Buffer): string =>
  ({ 16777223: "x64", 16777228: "arm64" })[bytes.readUInt32LE(4)] ?? "unknown"

interface Command {
  readonly kind: number
  readonly at: number
}

export function commands(bytes: Buffer): Command[] {
  let at = 32
  return Array.from({ length: bytes.readUInt32LE(16) }, () => {
    const command = { kind: bytes.readUInt32LE(at), at }
    at += bytes.readUInt32LE(at + 4)
    return command
  })
}

const text = (bytes: Buffer, at: number) => bytes.toString("latin1", at, at + 16).replace(/\0+$/, "")
const number = (bytes: Buffer, at: number) => Number(bytes.readBigUInt64LE(at))
const segments = (bytes: Buffer) => commands(bytes).filter(({ kind }) => kind === 0x19)

export function machBlob(bytes: Buffer): Buffer {
  const segment = segments(bytes).find(({ at }) => text(bytes, at + 8) === "NODE_SEA")
  assert.ok(segment, "no segment NODE_SEA")
  const section = segment.at + 72
  assert.equal(text(bytes, section), "__NODE_SEA_BLOB")
  const start = bytes.readUInt32LE(section + 48)
  return bytes.subarray(start, start + number(bytes, section + 40))
}

/**
 * Faults for which a system would refuse to load the file: overlapping segments, a table of fixups for other segments.
 */
export function layoutFaults(bytes: Buffer): string[] {
  const faults: string[] = []
  const places = segments(bytes).map(({ at }) => ({
    name: text(bytes, at + 8),
    memory: [number(bytes, at + 24), number(bytes, at + 32)] as const,
    file: [number(bytes, at + 40), number(bytes, at + 48)] as const,
  }))
  places.forEach(({ name, memory, file }, index) => {
    const next = places[index + 1]
    if (next && memory[0] + memory[1] > next.memory[0]) faults.push(`${name} overlaps ${next.name} in memory`)
    if (next && file[0] + file[1] > next.file[0] && next.file[1] > 0)
      faults.push(`${name} overlaps ${next.name} in the file`)
    if (file[1] > memory[1]) faults.push(`${name} is larger in the file than in memory`)
  })
  const last = places.at(-1)
  if (last?.name !== "__LINKEDIT" || last.file[0] + last.file[1] !== bytes.length)
    faults.push("__LINKEDIT does not end the file")
  const fixups = commands(bytes).find(({ kind }) => kind === 0x80000034)
  if (fixups) faults.push(...fixupFaults(bytes, bytes.readUInt32LE(fixups.at + 8), places))
  return faults
}

function fixupFaults(
  bytes: Buffer,
  table: number,
  places: readonly { name: string; memory: readonly [number, number] }[],
): string[] {
  const counted = table + bytes.readUInt32LE(table + 4)
  const count = bytes.readUInt32LE(counted)
  if (count !== places.length) return [`fixups are told for ${count} segments of ${places.length}`]
  const base = places.find(({ name }) => name === "__TEXT")?.memory[0] ?? 0
  return places.flatMap(({ name, memory }, index) => {
    const told = bytes.readUInt32LE(counted + 4 + index * 4)
    const offset = told === 0 ? null : number(bytes, counted + told + 8)
    return offset === null || base + offset === memory[0] ? [] : [`the fixups of ${name} are another segment's`]
  })
}

/** @returns null without a signature, else whether each page matches its signature, and the signed identifier */
export function machSignature(
  bytes: Buffer,
): { readonly identifier: string; readonly adHoc: boolean; readonly pages: number; readonly wrong: number } | null {
  const command = commands(bytes).find(({ kind }) => kind === 0x1d)
  if (!command) return null
  const start = bytes.readUInt32LE(command.at + 8)
  assert.equal(bytes.readUInt32BE(start), 0xfade0cc0)
  assert.equal(bytes.readUInt32BE(start + 12), 0, "the code directory comes first")
  const directory = start + bytes.readUInt32BE(start + 16)
  const field = (index: number) => bytes.readUInt32BE(directory + index * 4)
  assert.equal(field(0), 0xfade0c02)
  const [flags, digests, identifier, pages, limit] = [
    field(3),
    directory + field(4),
    directory + field(5),
    field(7),
    field(8),
  ]
  assert.equal(limit, start, "everything before the signature is signed")
  assert.equal(bytes.readUInt16BE(directory + 36), 0x2002, "SHA-256")
  const size = 1 << bytes.readUInt8(directory + 39)
  assert.equal(pages, Math.ceil(limit / size))
  let wrong = 0
  for (let index = 0; index < pages; index++) {
    const is = hash("sha256", bytes.subarray(index * size, Math.min((index + 1) * size, limit)), "buffer")
    if (!is.equals(bytes.subarray(digests + index * 32, digests + index * 32 + 32))) wrong++
  }
  return {
    identifier: bytes.toString("latin1", identifier, bytes.indexOf(0, identifier)),
    adHoc: (flags & 2) !== 0,
    pages,
    wrong,
  }
}
