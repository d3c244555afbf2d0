/** Finds the system and processor of a program by its first bytes. */

const processors: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  linux: { 62: "x64", 183: "arm64" },
  win32: { 34404: "x64", 43620: "arm64" },
  darwin: { 16777223: "x64", 16777228: "arm64" },
}

export function machineOf(bytes: Buffer): { readonly os: string; readonly cpu: string } {
  const [os, code] = read(bytes)
  return { os, cpu: processors[os]?.[code] ?? `0x${code.toString(16)}` }
}

function read(bytes: Buffer): [os: string, processor: number] {
  // ELF, 64 bits, little-endian.
  if (bytes.readUInt32BE(0) === 0x7f454c46 && bytes.readUInt16BE(4) === 0x0201) return ["linux", bytes.readUInt16LE(18)]
  // Mach-O, 64 bits, for one processor.
  if (bytes.readUInt32LE(0) === 0xfeedfacf) return ["darwin", bytes.readUInt32LE(4)]
  const header = bytes.toString("latin1", 0, 2) === "MZ" ? bytes.readUInt32LE(0x3c) : 0
  if (header > 0 && bytes.toString("latin1", header, header + 4) === "PE\0\0")
    return ["win32", bytes.readUInt16LE(header + 4)]
  throw new Error("This is not a program for Linux, Windows or macOS.")
}
