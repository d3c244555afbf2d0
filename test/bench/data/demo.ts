/** The starting data of everything: a demo, made once and copied for each measurement. */
import { closeSync, copyFileSync, fsyncSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Cast } from "../../../src/demo/story.ts"

/** The output of `demo --json`. */
export type Demo = Cast & { readonly baseUrl: string }

export const dataFile = (folder: string): string => join(folder, "research-room.db")
export const repositoriesOf = (folder: string): string => join(folder, "repositories")

const castFile = (folder: string) => join(folder, "demo.json")
/** Stores a demo's description beside its data, for the helpers. */
export const keepDemo = (folder: string, demo: Demo): void => writeFileSync(castFile(folder), JSON.stringify(demo))
export const readDemo = (folder: string): Demo => JSON.parse(readFileSync(castFile(folder), "utf8")) as Demo

/**
 * Copies closed data into a new folder, and waits until the disk has it, so that writing it does not fall into a
 * measurement.
 */
export function copyData(from: string, to: string): string {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  copyFileSync(dataFile(from), dataFile(to))
  const file = openSync(dataFile(to), "r+")
  fsyncSync(file)
  closeSync(file)
  return to
}

export const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true })
