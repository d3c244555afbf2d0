/**
 * What the Python client could not deliver is also sent by `research-room deliver`: two programs share one folder on
 * disk.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import tap from "tap"
import { endAll } from "../support/program.ts"
import { hasGit, machine } from "./place.ts"

const python = process.env.REACH_PYTHON ?? "python3"
const hasPython = spawnSync(python, ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0

if (!hasGit() || !hasPython)
  tap.comment("there is no git or no Python 3.9 on this machine: its letters were not delivered")
else {
  tap.test("what Python sent while the service was down is delivered once, in order", async (t) => {
    const here = await machine()
    t.teardown(async () => {
      endAll()
      await here.close()
    })
    const { openingThreadId: threadId } = await here.client.read("room", { roomId: here.roomId })
    writeFileSync(join(here.work, "research_room.py"), await (await fetch(`${here.url}/research_room.py`)).text())
    const says = async (...texts: string[]) => {
      const script = `
from research_room import Room, Undelivered
import os, sys
room = Room(os.environ["RESEARCH_ROOM_URL"], retries=0)
for text in sys.argv[1:]:
    try:
        room.post_message(thread_id="${threadId}", text=text)
        print("delivered")
    except Undelivered as failure:
        print("kept" if failure.spooled else "lost")`
      const { url, spool, token } = here
      const env = { ...process.env, RESEARCH_ROOM_URL: url, RESEARCH_ROOM_TOKEN: token, RESEARCH_ROOM_SPOOL: spool }
      const told = spawn(python, ["-c", script, ...texts], { cwd: here.work, env })
      let out = ""
      for (const stream of [told.stdout, told.stderr])
        stream.setEncoding("utf8").on("data", (piece: string) => (out += piece))
      await once(told, "close")
      return out
    }
    const deliver = async () => {
      const { code, out, err } = await here.program(["deliver"]).ended()
      return { code, said: `${out}${err}` }
    }
    const heard = async () => {
      const { items } = await here.client.read("thread_timeline", { threadId, kinds: ["message"] })
      return items.map(({ message }) => message?.text)
    }

    t.equal(await says("While somebody answers."), "delivered\n")
    await here.cut()
    t.equal(await says("One.", "Two."), "kept\nkept\n")
    t.match(await deliver(), { code: 1, said: /post_message waits/ })
    await here.mend()
    t.match(await deliver(), { code: 0, said: /2 writes are delivered\./ })
    t.strictSame((await heard()).slice(-3), ["While somebody answers.", "One.", "Two."])
    t.match(await deliver(), { code: 0, said: /There is nothing to deliver/ })
    t.equal(await says("And after it."), "delivered\n", "Python finds nothing left to send")
    t.strictSame((await heard()).slice(-2), ["Two.", "And after it."])
  })
}
