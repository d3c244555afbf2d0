/**
 * Says in a program for Windows that it is not signed. Node's own signature went with the injection, but the header still points
 * to where it was, and Windows distrusts a broken signature more than none.
 */
import { closeSync, openSync, readSync, writeSync } from "node:fs"

/** Where, after the start of the optional header's 64-bit form, the place of the certificates is told: the fifth of its directories. */
const certificates = 112 + 4 * 8

export function withoutSignature(path: string): void {
  const file = openSync(path, "r+")
  try {
    const header = Buffer.alloc(4096)
    readSync(file, header, 0, header.length, 0)
    const optional = header.readUInt32LE(0x3c) + 24
    if (header.readUInt16LE(optional) !== 0x20b) throw new Error(`${path} is no 64-bit program for Windows.`)
    writeSync(file, Buffer.alloc(8), 0, 8, optional + certificates)
  } finally {
    closeSync(file)
  }
}
