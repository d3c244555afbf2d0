/**
 * PocketBase under the same load, if the environment variable `POCKETBASE` names its program, built from
 * `pocketbase.go`: each request writes one row of a plain collection, without sign-in. It runs as durable as the
 * service is (FULL), and at its own setting (NORMAL: it answers before the disk has the row).
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import * as v from "valibot"
import { freePort } from "../operation/proxies/proxies.ts"
import { remove } from "./data/demo.ts"
import type { Load, Loaded } from "./load/load.ts"
import { type Shot, writeShots } from "./load/shots.ts"
import { startOther } from "./process.ts"
import type { Bench } from "./settings.ts"
import { messageText } from "./writes/recipes/discussion.ts"

export const DURABILITIES = ["FULL", "NORMAL"] as const

const superuser = { identity: "bench@example.org", password: "only for the bench" }

/** The program; undefined if none is named. */
export const pocketBase = (): string | undefined => process.env.POCKETBASE || undefined

const say = async (at: string, path: string, body: object, token = ""): Promise<unknown> => {
  const answer = await fetch(`${at}/api/collections${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: token },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`PocketBase refuses ${path}: ${await answer.text()}`)
  return answer.json()
}

/**
 * One round: PocketBase on new data, warmed up, then each of the loads.
 *
 * @param program its executable
 * @throws Error if the program does not say that it took the durability
 */
export async function overPocketBase(
  program: string,
  synchronous: (typeof DURABILITIES)[number],
  { scratch, loader }: Bench,
  warmUp: number,
  loads: readonly Omit<Load, "port" | "file">[],
) {
  const folder = join(scratch, "pocketbase")
  // Files beside its data are removed with it.
  const flags = ["--dir", join(folder, "data"), "--dev=false"]
  const env = { ...process.env, SYNCHRONOUS: synchronous }
  const upsert = ["superuser", "upsert", superuser.identity, superuser.password, ...flags]
  if (!execFileSync(program, upsert, { encoding: "utf8", env }).includes(`synchronous ${synchronous}`))
    throw new Error(`${program} does not take SYNCHRONOUS: build it from test/bench/pocketbase.go`)
  const port = await freePort()
  const at = `http://127.0.0.1:${port}`
  const { end } = await startOther(
    program,
    ["serve", "--http", `127.0.0.1:${port}`, ...flags],
    (line) => line.includes("Server started") || undefined,
    env,
  )
  const { token } = v.parse(
    v.object({ token: v.string() }),
    await say(at, "/_superusers/auth-with-password", superuser),
  )
  await say(at, "", { name: "notes", type: "base", fields: [{ name: "text", type: "text" }], createRule: "" }, token)
  const file = join(scratch, "pocketbase.json")
  const shot: Shot = {
    kind: "write",
    method: "POST",
    path: "/api/collections/notes/records",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: messageText }),
  }
  writeShots(
    file,
    Array.from({ length: Math.max(warmUp, ...loads.map(({ count }) => count)) }, () => shot),
  )
  await loader.ask({ port, file, connections: 16, count: warmUp, by: "sockets" })
  const found: Loaded[] = []
  for (const load of loads) found.push(await loader.ask({ port, file, ...load }))
  await end()
  remove(folder)
  return found
}
