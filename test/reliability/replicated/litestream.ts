/** The real Litestream, if there is one: as the parent of the service, to restore, and as a follower. */
import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import * as v from "valibot"
import { run, type Running, start } from "../../support/program.ts"
import type { Ground } from "../support/ground.ts"

/** The program, from `LITESTREAM` or the `PATH`; null if there is none. */
export function found(): string | null {
  const named = process.env.LITESTREAM
  const places =
    named === undefined
      ? (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "litestream"))
      : [named]
  for (const place of places) {
    try {
      accessSync(place, constants.X_OK)
      return place
    } catch {}
  }
  return null
}

/** Where a copy is kept: the members of Litestream's configuration below `replica`. */
export type Kept = Readonly<Record<string, string | boolean | number>>

export interface Replicated extends Running {
  readonly baseUrl: string
  /** The service's own process. */
  readonly service: number
}

export interface Parent {
  /**
   * Runs Litestream with a service on a folder, and returns the address of the service. @param own further
   * configuration of this file
   */
  serve(data: string, kept: Kept, own?: Kept): Promise<Replicated>
  /** Restores the copy into a new folder, as of a transaction or the newest. @returns an error message, or null */
  restore(kept: Kept, into: string, as?: string): Promise<string | null>
  /** The single transactions in the copy, newest first. @param into where it is to be restored */
  transactions(kept: Kept, into: string): Promise<readonly string[]>
  /** Follows the copy into a folder. */
  follow(kept: Kept, into: string, interval: string): Running
}

export function parentOf(litestream: string, ground: Ground): Parent {
  const at = (...names: string[]) => join(ground.place.folder, ...names)
  const repositories = at("seed", "repositories")

  /** @returns the configuration file, and the path by which it knows the data */
  function configured(data: string, kept: Kept, own: Kept = {}): { config: string; path: string; socket: string } {
    const [config, path, socket] = [at(`${data}.yml`), at(data, "research-room.db"), at(`${data}.sock`)]
    const lines = (values: Kept, indented: string) =>
      Object.entries(values).map(([name, value]) => `${indented}${name}: ${value}`)
    const exec = [
      ground.program,
      "serve",
      "--port",
      "0",
      "--data",
      at(data),
      "--replicated",
      socket,
      "--repositories",
      repositories,
    ]
    writeFileSync(
      config,
      [
        "socket:",
        "  enabled: true",
        `  path: ${socket}`,
        `exec: ${exec.join(" ")}`,
        "dbs:",
        `  - path: ${path}`,
        ...lines(own, "    "),
        "    replica:",
        ...lines(kept, "      "),
        "",
      ].join("\n"),
    )
    return { config, path, socket }
  }

  return {
    async serve(data, kept, own) {
      const { config, socket } = configured(data, kept, own)
      rmSync(socket, { force: true })
      const started = start(litestream, ["replicate", "-config", config], ground.place)
      const [, baseUrl = ""] = await started.printed(/ serves \S+ at (http\S+)\n[^]*llms\.txt\n/)
      return Object.assign(started, { baseUrl, service: Number(readFileSync(at(data, "serve.pid"), "utf8")) })
    },
    async transactions(kept, into) {
      const { config, path } = configured(`${into}-of`, kept)
      const { out } = await run(litestream, ["ltx", "-config", config, "-json", path], ground.place)
      const files = v.parse(v.array(v.object({ max_txid: v.string() })), JSON.parse(out))
      return files
        .map(({ max_txid }) => max_txid)
        .sort()
        .reverse()
    },
    async restore(kept, into, as) {
      const { config, path } = configured(`${into}-of`, kept)
      mkdirSync(at(into))
      const wanted = as === undefined ? [] : ["-txid", as]
      const ended = await run(
        litestream,
        ["restore", "-config", config, ...wanted, "-o", at(into, "research-room.db"), path],
        ground.place,
      )
      return ended.code === 0 ? null : `${ended.out}${ended.err}`
    },
    follow(kept, into, interval) {
      const { config, path } = configured(`${into}-of`, kept)
      mkdirSync(at(into), { recursive: true })
      return start(
        litestream,
        ["restore", "-config", config, "-f", "-follow-interval", interval, "-o", at(into, "research-room.db"), path],
        ground.place,
      )
    },
  }
}
