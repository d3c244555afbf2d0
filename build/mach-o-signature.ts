/**
 * Signs a program for macOS without a Mac. Apple's processors refuse unsigned programs, but accept an ad hoc signature
 * without an identity: a digest of each page of the file, as linkers write it. pkg removes Node's own signature when it
 * injects the program. No npm package does this.
 */
import { hash } from "node:crypto"
import { commandOf, commandsEnd, segmentsIn, type Segment } from "./mach-o.ts"

const signatureCommand = 0x1d
const pageBits = 12
const page = 1 << pageBits

/** Returns a copy of the program with its signature at the end. */
export function signedAdHoc(program: Buffer, identifier: string): Buffer {
  if (commandOf(program, signatureCommand) !== undefined) throw new Error("This program for macOS is signed already.")
  const segments = segmentsIn(program)
  const [text, linkEdit] = ["__TEXT", "__LINKEDIT"].map((name) => segments.find((segment) => segment.name === name))
  if (text === undefined || linkEdit === undefined || linkEdit.offset + linkEdit.size !== program.length)
    throw new Error("This program for macOS is not laid out as expected: something follows its last segment.")

  const start = upTo(16, program.length)
  const size = upTo(16, listSize + directorySize(identifier, start))
  const signed = Buffer.alloc(start + size)
  program.copy(signed)
  announce(signed, linkEdit, start)
  signature(signed.subarray(0, start), identifier, text.size).copy(signed, start)
  return signed
}

/** Adds the load command with the place of the signature, and extends the last segment to its end. */
function announce(signed: Buffer, linkEdit: Segment, start: number): void {
  const end = commandsEnd(signed)
  if (signed.subarray(end, end + 16).some((byte) => byte !== 0))
    throw new Error("This program for macOS has no room for a signature's command.")
  signed.writeUInt32LE(signed.readUInt32LE(16) + 1, 16)
  signed.writeUInt32LE(signed.readUInt32LE(20) + 16, 20)
  ;[signatureCommand, 16, start, signed.length - start].forEach((word, index) =>
    signed.writeUInt32LE(word, end + index * 4),
  )
  const length = signed.length - linkEdit.offset
  // In memory it takes whole pages of the size that Apple's processors use.
  signed.writeBigUInt64LE(BigInt(upTo(0x4000, length)), linkEdit.at + 32)
  signed.writeBigUInt64LE(BigInt(length), linkEdit.at + 48)
}

const upTo = (step: number, value: number): number => Math.ceil(value / step) * step

const listSize = 20
const headerSize = 88
const directorySize = (identifier: string, length: number): number =>
  headerSize + identifier.length + 1 + Math.ceil(length / page) * 32

/** Builds a list with one item: the code directory, in version 2.4 of its layout. All numbers are big-endian. */
function signature(code: Buffer, identifier: string, textSize: number): Buffer {
  const pages = Math.ceil(code.length / page)
  const length = directorySize(identifier, code.length)
  const digestsAt = headerSize + identifier.length + 1
  const made = Buffer.alloc(listSize + length)
  const words = [
    // The list: its kind, its length and one part, the code directory, which follows.
    ...[0xfade0cc0, made.length, 1, 0, listSize],
    // The directory: its kind, length and version; ad hoc, as linkers sign; the offsets of digests and identifier; no
    // special digests.
    ...[0xfade0c02, length, 0x20400, 0x20002, digestsAt, headerSize, 0, pages, code.length],
    // SHA-256 digests of 32 bytes, no platform, the size of a page.
    (32 << 24) | (2 << 16) | pageBits,
  ]
  words.forEach((word, index) => made.writeUInt32BE(word, index * 4))
  // The length of its code, and the flag for a program instead of a library.
  made.writeBigUInt64BE(BigInt(textSize), listSize + 72)
  made.writeBigUInt64BE(1n, listSize + 80)
  made.write(identifier, listSize + headerSize, "latin1")
  for (let index = 0; index < pages; index++)
    hash("sha256", code.subarray(index * page, (index + 1) * page), "buffer").copy(
      made,
      listSize + digestsAt + index * 32,
    )
  return made
}
