/** Runs scripts that were written for wandb, on a machine of its own. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Machine, machine, python } from "../../runs/place.ts"

export async function scripts(t: { teardown(end: () => unknown): unknown }) {
  const here = await machine()
  t.teardown(() => here.close())
  here.git("remote", "set-url", "origin", here.address)
  return { here, ...scriptsOn(here) }
}

function scriptsOn(here: Machine) {
  return {
    /** Runs a script until it ends. */
    async script(name: string, text: string, more: Readonly<Record<string, string>> = {}) {
      writeFileSync(join(here.folder, name), text)
      const env = { PATH: process.env.PATH ?? "", HOME: here.folder, RESEARCH_ROOM_URL: here.url, ...more }
      const room = { RESEARCH_ROOM_TOKEN: here.token, RESEARCH_ROOM_SPOOL: here.spool }
      const child = spawn(python, [join(here.folder, name)], { cwd: here.work, env: { ...env, ...room, ...more } })
      let [out, err] = ["", ""]
      child.stdout.setEncoding("utf8").on("data", (piece: string) => (out += piece))
      child.stderr.setEncoding("utf8").on("data", (piece: string) => (err += piece))
      const [code] = (await once(child, "close")) as [number]
      return { code, out, err }
    },
    /** The attempts of an experiment, in the order in which they were registered. */
    reported: async (experimentId: string) =>
      Promise.all((await here.attempts(experimentId)).map(({ attemptId }) => here.attempt(attemptId))),
  }
}
