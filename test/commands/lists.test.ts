/** Every command that prints a list can print it for programs: `--json`, for every list. */
import type { Command } from "commander"
import tap, { test } from "tap"
import { commands } from "../../src/commands/all.ts"
import { endAll, executable, newPlace, run, start } from "../support/program.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})

/** Every command below the given ones, each with its words. */
const below = (among: readonly Command[], words: readonly string[] = []): { words: string[]; command: Command }[] =>
  among.flatMap((command) => {
    const called = [...words, command.name()]
    return [{ words: called, command }, ...below(command.commands, called)]
  })

test("a command is made without the others, and an unknown one is looked for among all", (t) => {
  for (const [name] of below(commands()).map(({ words }) => words)) {
    const [one, ...others] = commands(name)
    t.strictSame([one?.name(), others.length], [name, 0])
  }
  for (const other of [undefined, "serv", "help", "--help", "toString"]) t.ok(commands(other).length > 20, `${other}`)
  t.end()
})

test("each list named by the program itself is printed as JSON and as a table", async (t) => {
  const demo = start(program, ["demo", "--json", "--port", "0", "--data", "data"], place)
  const { rooms, people } = JSON.parse((await demo.printed(/^\{.*\}(?=\n)/))[0]) as {
    rooms: { empty: { roomId: string } }
    people: { owner: { username: string } }
  }
  /** The arguments that a list may need. */
  const known: Readonly<Record<string, string>> = {
    data: "data",
    room: rooms.empty.roomId,
    user: people.owner.username,
  }
  const lists = below(commands()).filter(
    ({ command }) => /^list( |$)/.test(command.name()) || command.description().startsWith("list "),
  )
  t.ok(lists.length >= 4, lists.map(({ words }) => words.join(" ")).join(", "))
  for (const { words, command } of lists) {
    const name = words.join(" ")
    t.ok(
      command.options.some(({ long }) => long === "--json"),
      `${name} has --json`,
    )
    const given = command.options
      .filter((option) => option.mandatory || option.long === "--data")
      .flatMap((option) => {
        const value = known[option.attributeName()]
        if (value === undefined) throw new Error(`${name} calls for ${option.flags}: say in this test what it may be`)
        return [option.long ?? "", value]
      })
    const json = await run(program, [...words, ...given, "--json"], place)
    t.strictSame([json.code, json.err], [0, ""], name)
    const items = JSON.parse(json.out) as Record<string, unknown>[]
    t.ok(
      Array.isArray(items) && items.length > 0 && items.every((item) => typeof item === "object"),
      `${name}: ${items.length} items`,
    )
    t.equal(json.out.trimEnd().split("\n").length, 1, "on one line")
    const table = await run(program, [...words, ...given], place)
    t.equal(
      table.out.trimEnd().split("\n").length,
      items.length + 1,
      `${name}: the table has a line for each, below its heading`,
    )
  }
  demo.signal("SIGTERM")
  await demo.ended()
})
