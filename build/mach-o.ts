/**
 * Reads the load commands of a program for macOS, and corrects one after pkg's injection: the added segment must also
 * be counted in the table of fixups, otherwise newer systems (dyld of macOS 27) refuse to start the program.
 */

const headerSize = 32
const segmentCommand = 0x19
const fixupsCommand = 0x80000034

export interface Segment {
  readonly name: string
  /** The offset of its load command. */
  readonly at: number
  readonly offset: number
  readonly size: number
}

/** Returns the offset of each load command. */
function* commandsIn(program: Buffer): Generator<number> {
  let at = headerSize
  for (let left = program.readUInt32LE(16); left > 0; left--) {
    yield at
    at += program.readUInt32LE(at + 4)
  }
}

/** Returns the offset of the first load command of a kind. */
export const commandOf = (program: Buffer, kind: number): number | undefined =>
  [...commandsIn(program)].find((at) => program.readUInt32LE(at) === kind)

/** Returns the offset of the next load command to add. */
export const commandsEnd = (program: Buffer): number => headerSize + program.readUInt32LE(20)

export function segmentsIn(program: Buffer): Segment[] {
  return [...commandsIn(program)]
    .filter((at) => program.readUInt32LE(at) === segmentCommand)
    .map((at) => ({
      name: program.toString("latin1", at + 8, at + 24).replace(/\0+$/, ""),
      at,
      offset: Number(program.readBigUInt64LE(at + 40)),
      size: Number(program.readBigUInt64LE(at + 48)),
    }))
}

/**
 * Counts the injected segment. The table of fixups has a header of seven words and a word of padding, then the count of
 * segments and an offset for each, relative to the count. Moving the count onto the padding makes space for one more
 * entry; nothing else moves. Neither the added segment nor the last one, which it moved, has fixups. Their entries are
 * 0, so one more 0 at the end is correct.
 */
export function countInjectedSegment(program: Buffer): void {
  const command = commandOf(program, fixupsCommand)
  if (command === undefined) return
  const table = program.readUInt32LE(command + 8)
  const segments = segmentsIn(program)
  const counted = table + program.readUInt32LE(table + 4)
  const told = Array.from({ length: program.readUInt32LE(counted) }, (_, index) =>
    program.readUInt32LE(counted + 4 + index * 4),
  )
  if (told.length === segments.length) return
  const last = segments.slice(-2).map(({ name }) => name)
  const asExpected = told.length === segments.length - 1 && told.at(-1) === 0 && counted === table + 32
  if (!asExpected || last.join() !== "NODE_SEA,__LINKEDIT")
    throw new Error("This program for macOS is laid out in an unknown way.")

  program.writeUInt32LE(28, table + 4)
  const moved = [segments.length, ...told.map((place) => (place === 0 ? 0 : place + 4)), 0]
  moved.forEach((word, index) => program.writeUInt32LE(word, table + 28 + index * 4))
}
