/** Programs for Windows. Node finds its blob among the resources. */
import assert from "node:assert/strict"

const headerOf = (bytes: Buffer): number => {
  const header = bytes.readUInt32LE(0x3c)
  assert.equal(bytes.toString("latin1", header, header + 4), "PE\0\0")
  return header
}

export const peMachine = (bytes: Buffer): string =>
  ({ 34404: "x64", 43620: "arm64" })[bytes.readUInt16LE(headerOf(bytes) + 4)] ?? "unknown"

/** The address in memory and the size of one of the header's directories. */
function directory(bytes: Buffer, index: number): { address: number; size: number } {
  const optional = headerOf(bytes) + 24
  assert.equal(bytes.readUInt16LE(optional), 0x20b, "64 bits")
  const at = optional + 112 + index * 8
  return { address: bytes.readUInt32LE(at), size: bytes.readUInt32LE(at + 4) }
}

/** Whether the header points to a signature. */
export const peSigned = (bytes: Buffer): boolean => directory(bytes, 4).size > 0

/** The file offset of an address in memory. */
function inFile(bytes: Buffer, address: number): number {
  const header = headerOf(bytes)
  const sections = header + 24 + bytes.readUInt16LE(header + 20)
  for (let index = 0; index < bytes.readUInt16LE(header + 6); index++) {
    const at = sections + index * 40
    const [start, size, place] = [bytes.readUInt32LE(at + 12), bytes.readUInt32LE(at + 16), bytes.readUInt32LE(at + 20)]
    if (address >= start && address < start + size) return place + address - start
  }
  throw new Error("no section holds the address")
}

const rawData = 10

export function peBlob(bytes: Buffer): Buffer {
  const root = inFile(bytes, directory(bytes, 2).address)
  const nameOf = (word: number): string | number => {
    if ((word & 0x80000000) === 0) return word
    const at = root + (word & 0x7fffffff)
    return bytes.toString("utf16le", at + 2, at + 2 + bytes.readUInt16LE(at) * 2)
  }
  /** Entries of a table: by name first, then by number. */
  const entries = (table: number) =>
    Array.from({ length: bytes.readUInt16LE(table + 12) + bytes.readUInt16LE(table + 14) }, (_, index) => {
      const at = table + 16 + index * 8
      return { name: nameOf(bytes.readUInt32LE(at)), place: root + (bytes.readUInt32LE(at + 4) & 0x7fffffff) }
    })
  const find = (table: number, name: string | number) => {
    const found = entries(table).find((entry) => entry.name === name)
    assert.ok(found, `no resource ${name}`)
    return found.place
  }
  const [language] = entries(find(find(root, rawData), "NODE_SEA_BLOB"))
  assert.ok(language)
  const start = inFile(bytes, bytes.readUInt32LE(language.place))
  return bytes.subarray(start, start + bytes.readUInt32LE(language.place + 4))
}
