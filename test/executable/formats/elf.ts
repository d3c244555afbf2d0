/** Programs for Linux. Node finds its blob as a note that is loaded with the program. */
const noteSegment = 4

export const elfMachine = (bytes: Buffer): string => {
  if (bytes.readUInt16BE(4) !== 0x0201) return "not 64 bits, little-endian"
  return { 62: "x64", 183: "arm64" }[bytes.readUInt16LE(18)] ?? "unknown"
}

export function elfBlob(bytes: Buffer): Buffer {
  const [table, size, count] = [Number(bytes.readBigUInt64LE(32)), bytes.readUInt16LE(54), bytes.readUInt16LE(56)]
  for (let index = 0; index < count; index++) {
    const header = table + index * size
    if (bytes.readUInt32LE(header) !== noteSegment) continue
    const start = Number(bytes.readBigUInt64LE(header + 8))
    const end = start + Number(bytes.readBigUInt64LE(header + 32))
    for (let at = start; at + 12 <= end; ) {
      const [nameSize, contentSize] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)]
      const name = bytes.toString("latin1", at + 12, at + 12 + nameSize).replace(/\0+$/, "")
      const content = at + 12 + upTo4(nameSize)
      if (name === "NODE_SEA_BLOB") return bytes.subarray(content, content + contentSize)
      at = content + upTo4(contentSize)
    }
  }
  throw new Error("no note NODE_SEA_BLOB")
}

const upTo4 = (value: number): number => (value + 3) & ~3
