/** `research-room user`: people, for an operator without a browser. */
import { randomBytes } from "node:crypto"
import { Command } from "commander"
import * as v from "valibot"
import { username } from "../contract/fields.ts"
import { limits } from "../contract/limits.ts"
import { dataOption, passwordOption, UsageError } from "../settings.ts"
import { jsonOption, printList } from "./table.ts"
import { withInstance } from "./with-instance.ts"

interface Options {
  readonly data: string
  readonly password?: string
}

function checkedName(name: string): string {
  const read = v.safeParse(username, name)
  if (read.success) return read.output
  throw new UsageError(`The name ${read.issues[0].message}.`)
}

/** The password given, or a made one that the caller prints. */
function passwordFrom({ password }: Options): { password: string; made: boolean } {
  if (password === undefined) return { password: randomBytes(15).toString("base64url"), made: true }
  if (password.length < limits.passwordMin || password.length > limits.passwordMax) {
    throw new UsageError(`A password has ${limits.passwordMin} to ${limits.passwordMax} characters.`)
  }
  return { password, made: false }
}

const tell = (name: string, { password, made }: { password: string; made: boolean }) =>
  made && console.log(`The password of ${name}, shown this once: ${password}`)

const add = () =>
  new Command("add")
    .description("make a person; the first one is the operator")
    .argument("<username>")
    .addOption(dataOption())
    .addOption(passwordOption())
    .action((name: string, options: Options) => {
      const chosen = passwordFrom(options)
      const checked = checkedName(name)
      return withInstance(
        options.data,
        async ({ accounts }) => {
          const { username, userId } = await accounts.add(checked, chosen.password)
          console.log(`${username} exists now (${userId}).`)
          tell(username, chosen)
        },
        { make: true },
      )
    })

const password = () =>
  new Command("password")
    .description("give a person a new password and end their sessions")
    .argument("<username>")
    .addOption(dataOption())
    .addOption(passwordOption())
    .action((name: string, options: Options) => {
      const chosen = passwordFrom(options)
      return withInstance(options.data, async ({ accounts }) => {
        const person = await accounts.setPassword(checkedName(name), chosen.password)
        if (person === undefined) throw new UsageError(`Nobody here is called ${name}.`)
        console.log(`${person.username} has a new password; their sessions are ended.`)
        tell(person.username, chosen)
      })
    })

const list = () =>
  new Command("list")
    .description("list the people of this instance")
    .addOption(dataOption())
    .addOption(jsonOption())
    .action(({ data, ...how }: Options & { json?: boolean }) =>
      withInstance(data, ({ tables }) =>
        printList(tables.people.all(), how, ["USERNAME", "USER ID", "ROLE", "SINCE"], (person) => [
          person.username,
          person.userId,
          person.isOperator ? "operator" : "",
          person.createdAt,
        ]),
      ),
    )

export const userCommand = (): Command =>
  new Command("user").description("people of this instance").addCommand(add()).addCommand(password()).addCommand(list())
