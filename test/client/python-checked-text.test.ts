/** A script in Python that checks its text against a Room, is told of an invented number, mends it and publishes. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import t from "tap"
import { storyPlace } from "./python/place.ts"

const { folder, given, close } = await storyPlace("checked_text.py")
t.teardown(close)
const { stdout } = await promisify(execFile)(process.env.REACH_PYTHON ?? "python3", ["checked_text.py"], {
  ...{ cwd: folder, env: { ...process.env, STORY: given } },
})
const shown = [...stdout.matchAll(/^shown: (.*)$/gm)]
t.equal(shown.length, 7)
for (const [, what = ""] of shown) t.pass(what)
t.match(stdout, /\nthe story ends\r?\n$/)
