/**
 * PocketBase under the same load, if the environment variable `POCKETBASE` names its program: each request writes one
 * row of a plain collection, without sign-in, at its own settings (it answers before the disk has the row). Build it
 * from its module: `go install github.com/pocketbase/pocketbase/examples/base@VERSION`.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import * as v from "valibot"
import { freePort } from "../../operation/proxies/proxies.ts"
import { remove } from "../data/demo.ts"
import type { Load, Loaded } from "../load/load.ts"
import { type Shot, writeShots } from "../load/shots.ts"
import { startOther } from "../process.ts"
import type { Bench } from "../settings.ts"
import { messageText } from "./recipes/discussion.ts"

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

/** One round: PocketBase on new data, warmed up, then each of the loads. @param program its executable */
export async function overPocketBase(
  program: string,
  { scratch, loader }: Bench,
  warmUp: number,
  loads: readonly Omit<Load, "port" | "file">[],
) {
  const folder = join(scratch, "pocketbase")
  // Files beside its data are removed with it.
  const flags = ["--dir", join(folder, "data"), "--dev=false"]
  execFileSync(program, ["superuser", "upsert", superuser.identity, superuser.password, ...flags])
  const port = await freePort()
  const at = `http://127.0.0.1:${port}`
  const { end } = await startOther(program, ["serve", "--http", `127.0.0.1:${port}`, ...flags], (line) =>
    line.includes("Server started"),
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
