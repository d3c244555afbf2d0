/**
 * Marks a program for Windows as unsigned. The injection removes Node's signature, but the header still points to its
 * place, and Windows trusts a broken signature less than none.
 */
import { closeSync, openSync, readSync, writeSync } from "node:fs"

/** The offset of the certificate directory, the fifth one, in the 64-bit optional header. */
const certificates = 112 + 4 * 8

export function withoutSignature(path: string): void {
  const file = openSync(path, "r+")
  try {
    const header = Buffer.alloc(4096)
    readSync(file, header, 0, header.length, 0)
    const optional = header.readUInt32LE(0x3c) + 24
    if (header.readUInt16LE(optional) !== 0x20b) throw new Error(`${path} is not a 64-bit program for Windows.`)
    writeSync(file, Buffer.alloc(8), 0, 8, optional + certificates)
  } finally {
    closeSync(file)
  }
}
