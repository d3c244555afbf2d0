/**
 * The trace reader that decides whether an acknowledged write was synchronised first: tried with faulty and with
 * correct traces.
 */
import { test } from "tap"
import { inOrder } from "./fsync.ts"

const LOG = "23</data/research-room.db-wal>"
const frame = (text: string, isLast: boolean) => [
  `7 pwrite64(${LOG}, "\\0\\0\\2D${isLast ? "\\0\\0\\2E" : "\\0\\0\\0\\000"}` +
    `1|S\\363\\202\\2319\\20l1\\2340@", 24, 32) = 24`,
  `7 pwrite64(${LOG}, "\\r\\0\\0\\0\\t${text}\\0\\0", 4096, 56) = 4096`,
]
const SYNC = `7 fdatasync(${LOG}) = 0`
const ANSWER =
  `5 writev(35<socket:[2660441]>, [{iov_base="HTTP/1.1 200 OK\\r\\ncache-control: ` +
  `no-store"..., iov_len=1171}], 1) = 1171`
/** The first of two writes, in order. */
const first = [...frame('{\\"text\\":\\"Message 0.\\"}', false), ...frame("an index", true), SYNC, ANSWER]
const problems = (...second: string[]) =>
  inOrder([...first, ...second], 2).problems.map((problem) => problem.replace(/:.*/, ""))
const written = [...frame("Message 0. Message 1.", false), ...frame("an index", true)]

test("a write synchronised before its answer is sound, even if another transaction has begun since", (t) => {
  t.strictSame(problems(...written, SYNC, ANSWER), [])
  t.strictSame(
    problems(...written, SYNC, ...frame("The words of Message 1.", false), ANSWER, ...frame("words", true), SYNC),
    [],
  )
  t.strictSame(
    problems(...written, SYNC.replace(") = 0", " <unfinished ...>"), "7 <... fdatasync resumed>) = 0", ANSWER),
    [],
  )
  t.end()
})

test("an answer that comes before the write is safe is reported", (t) => {
  const early = ["Message 1 was acknowledged before it was synchronised in the log"]
  t.strictSame(problems(...written, ANSWER, SYNC), early)
  t.strictSame(
    problems(...written.slice(0, 2), SYNC, ...written.slice(2), ANSWER),
    early,
    "an incomplete transaction is not made safe",
  )
  t.strictSame(problems(...written, SYNC.replace("= 0", "= -1 EIO"), ANSWER), early)
  t.strictSame(
    problems(...written, SYNC.replace(") = 0", " <unfinished ...>"), ANSWER, "7 <... fdatasync resumed>) = 0"),
    early,
    "what is still being synchronised is not safe",
  )
  t.strictSame(problems(...frame("something else", true), SYNC, ANSWER), [
    "Message 1 was acknowledged before it was written to the log",
  ])
  t.strictSame(problems(...written, SYNC), ["The trace shows 1 of 2 answers."])
  t.end()
})
