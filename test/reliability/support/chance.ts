/** Repeatable chance: every choice of a harness comes from one seed, which it prints. */
import { createHash, randomUUID } from "node:crypto"
import { seedWhenJudged } from "../../support/chance.ts"

export interface Chance {
  /** The seed it comes from. */
  readonly seed: string
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number
  /** A whole number from 0, less than `count`. */
  below(count: number): number
  /** True once in this many times on average. */
  oneIn(times: number): boolean
  happens(probability: number): boolean
  /** One of a list; undefined if it is empty. */
  of<T>(list: readonly T[]): T | undefined
  /** One of the names, with the given weights. */
  weighted<N extends string>(weights: Readonly<Record<N, number>>): N
  /** A UUID of version 4. */
  id(): string
  /** A separate source for a part, independent of how much the others draw. */
  part(name: string | number): Chance
}

export const freshSeed = (): string => seedWhenJudged?.toString(16) ?? randomUUID().slice(0, 8)

export function chanceOf(seed: string): Chance {
  let block = Buffer.alloc(0)
  let blocks = 0
  const draw = (): number => {
    if (block.length === 0) block = createHash("sha256").update(`${seed}:${blocks++}`).digest()
    const drawn = block.readUInt32BE(0)
    block = block.subarray(4)
    return drawn / 2 ** 32
  }
  const between = (least: number, most: number) => least + Math.floor(draw() * (most - least + 1))
  return {
    seed,
    between,
    below: (count) => between(0, count - 1),
    oneIn: (times) => between(1, times) === 1,
    happens: (probability) => draw() < probability,
    weighted<N extends string>(weights: Readonly<Record<N, number>>) {
      const entries = Object.entries(weights) as [N, number][]
      let left = draw() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      return (entries.find(([, weight]) => (left -= weight) < 0) ?? (entries.at(-1) as [N, number]))[0]
    },
    id() {
      const digits = (count: number) => Array.from({ length: count }, () => between(0, 15).toString(16)).join("")
      return `${digits(8)}-${digits(4)}-4${digits(3)}-a${digits(3)}-${digits(12)}`
    },
    of: (list) => list[between(0, list.length - 1)],
    part: (name) => chanceOf(`${seed}/${name}`),
  }
}
