/**
 * The stored samples: data as a released schema version left it, and that version's answers. Each is the deterministic
 * demo, so it contains nothing private, and none is ever made again once a later version exists.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import Database from "better-sqlite3"
import type { Cast } from "../../src/demo/story.ts"
import { realWorld } from "../../src/ledger/world.ts"
import { openLog } from "../../src/log.ts"
import { startService } from "../../src/app/service.ts"

const folder = join(import.meta.dirname, "samples")

/** The two files of a sample. */
export const sampleFiles = (version: number) => ({
  data: join(folder, `schema-${version}.db.gz`),
  answers: join(folder, `schema-${version}.answers.json.gz`),
})

/** The versions that have a sample, in order. */
export const sampledVersions = (): number[] =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .flatMap((name) => /^schema-(\d+)\.db\.gz$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((one, other) => one - other)

/** One question asked of the sample: a path and the caller. */
export interface Answered {
  readonly path: string
  /** A credential or personal key of the cast; null for an anonymous caller. */
  readonly as: string | null
  readonly status: number
  readonly body: unknown
}

export interface Sample {
  readonly cast: Pick<Cast, "people" | "rooms" | "credentials" | "keys">
  readonly answered: readonly Answered[]
}

/** Copies the data of a sample into a folder. @returns its file */
export function unpack(version: number, into: string): string {
  mkdirSync(into, { recursive: true })
  const file = join(into, "research-room.db")
  writeFileSync(file, gunzipSync(readFileSync(sampleFiles(version).data)))
  return file
}

/**
 * Copies the newest sample into a folder as data of an earlier version, which any command upgrades. @returns its file
 */
export function asEarlier(into: string): string {
  const file = unpack(sampledVersions().at(-1) ?? 0, into)
  const database = new Database(file)
  database.pragma("user_version = 0")
  database.close()
  return file
}

export const sampleOf = (version: number): Sample =>
  JSON.parse(gunzipSync(readFileSync(sampleFiles(version).answers)).toString()) as Sample

/** A sample has its own time, a day after its story, so its credentials never expire. */
const MOMENT = Date.parse("2026-11-15T12:00:00.000Z")

/** Serves a data folder at the time of the samples, under an address that answers may contain. */
export function serveSample(data: string) {
  let now = MOMENT
  return startService({
    data,
    host: "127.0.0.1",
    port: 0,
    baseUrl: "http://rooms.example",
    log: openLog("silent"),
    repositories: { folders: [], github: null },
    world: realWorld(() => now++),
  })
}

/** Asks one question of a service, and removes the time the answer was made. */
export async function answerTo(
  port: number,
  path: string,
  as: string | null,
  { credentials, keys }: Sample["cast"],
): Promise<Answered> {
  const token = as === null ? undefined : ({ ...credentials, ...keys } as Record<string, { token: string }>)[as]?.token
  const response = await fetch(
    `http://127.0.0.1:${port}${path}`,
    token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
  )
  const text = await response.text()
  const json = (response.headers.get("content-type") ?? "").startsWith("application/json")
  const body = json ? JSON.parse(text, (name, value: unknown) => (name === "generatedAt" ? undefined : value)) : text
  return { path, as, status: response.status, body }
}
