/** Names in Python: a read that is sent something needs no `get_`, and a wrong name is answered with the nearest. */
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { startResearchRoom } from "research-room/testing"
import t from "tap"

const house = await startResearchRoom()
t.teardown(() => house.close())
const { roomId } = house.rooms.main
const folder = t.testdir()
const module = await (await fetch(`${house.baseUrl}/research_room.py`)).text()
writeFileSync(join(folder, "research_room.py"), module)
const python = async (...words: string[]): Promise<string> =>
  (await promisify(execFile)("python3", words, { cwd: folder })).stdout

t.test("room.check_text checks a text, with its types, and has no second name", async (t) => {
  const script =
    "from research_room import Room; " +
    `print(sorted(Room('${house.baseUrl}').check_text(room_id='${roomId}', text='A loss of 12345.5 it is.')))`
  t.match(await python("-c", script), /'labels', 'numbers'.*'summary'/)
  t.match(module, /def check_text\(\s*self,\s*\*,\s*room_id: str \| None = None,\s*text: str/)
  t.notMatch(module, /get_check_text/)
})

t.test("the parameters of a method cost little, and a guess leads to the name", async (t) => {
  const usage = await python("research_room.py", "get_room_measurements")
  t.match(usage, /against: /)
  t.ok(usage.length < 12_000, `${usage.length} bytes`)
  t.match(await python("research_room.py", "measurements"), /nearest are .*get_room_measurements/)
  t.match(await python("research_room.py", "publish_findings"), /nearest are .*publish_finding/)
})

t.test(
  "a read or a write by name says in a sentence which parameter is missing, or which name was meant",
  async (t) => {
    const saying = (call: string) =>
      python(
        "-c",
        `from research_room import Room
try: Room('${house.baseUrl}').${call}
except (TypeError, ValueError) as why: print(type(why).__name__, why)`,
      )
    const attemptId = crypto.randomUUID()
    t.match(
      await saying(`read('attempt', attempt_id='${attemptId}')`),
      "TypeError attempt needs the parameter attemptId. It was given attempt_id.\n",
    )
    t.match(await saying("read('attempt')"), /needs the parameter attemptId\.\n$/)
    t.match(await saying("read('atempt')"), /ValueError There is no read atempt\. The nearest are attempts?, attempt/)
    t.match(
      await saying("write('post_mesage', {})"),
      /There is no operation post_mesage\. The nearest are post_message/,
    )
    t.match(
      await saying("write('post_message', {'text': 'Hello'})"),
      /needs the parameter threadId\. It was given text\./,
    )
  },
)
