/** `research-room user`: people, for an operator without a browser. */
import { randomBytes } from "node:crypto"
import { Command } from "commander"
import * as v from "valibot"
import { description, shownName } from "../contract/answers/description.ts"
import { shape, username } from "../contract/schema/fields.ts"
import { limits } from "../contract/limits.ts"
import { present } from "../contract/present.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { dataOption, option, passwordOption, UsageError } from "../settings.ts"
import { jsonOption, printList } from "./table.ts"
import { endedWords, onPeople } from "./on-people.ts"
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
    .description("give a person a new password, end their sessions and forget their failed sign-ins")
    .argument("<username>")
    .addOption(dataOption())
    .addOption(passwordOption())
    .addOption(option("--everything", "end their credentials and personal keys too"))
    .action((name: string, { everything = false, ...options }: Options & { everything?: boolean }) => {
      const chosen = passwordFrom(options)
      return withInstance(options.data, async ({ accounts }) => {
        const reset = await accounts.setPassword(checkedName(name), chosen.password, { everything })
        if (reset === undefined) throw new UsageError(`There is no user named ${name}.`)
        const { username } = reset.person
        console.log(`${username} has a new password; their sessions are ended.${reset.ended === null ? "" : ` ${endedWords(reset.ended)}`}`)
        tell(username, chosen)
      })
    })

interface Cited {
  readonly data: string
  readonly name?: string
  readonly givenName?: string
  readonly familyName?: string
  readonly orcid?: string
}

const cite = () =>
  new Command("cite")
    .description("say how a person wants to be cited; what is left out stays as it is, and an empty text takes it back")
    .argument("<username>")
    .addOption(dataOption())
    .addOption(option("--name <text>", "as they want to be cited, such as 'Ada Lovelace'"))
    .addOption(option("--given-name <text>", "for citations that sort and shorten by the parts of a name"))
    .addOption(option("--family-name <text>", "the same"))
    .addOption(option("--orcid <id>", "their ORCID, with or without https://orcid.org/; nobody asks ORCID whose it is"))
    .action((username: string, { data, ...given }: Cited) =>
      withInstance(data, async ({ accounts, tables }) => {
        const person = tables.people.named(checkedName(username))
        if (person === undefined) throw new UsageError(`There is no user named ${username}.`)
        const { name, givenName, familyName, orcid } = present(tables.people.described(person.userId))
        const whole = Object.entries({ name, givenName, familyName, orcid, ...given })
        const read = v.safeParse(shape(description), Object.fromEntries(whole.filter(([, said]) => said !== null && said !== "")))
        if (!read.success) throw new UsageError(`${v.getDotPath(read.issues[0]) ?? "This"} ${read.issues[0].message}.`)
        await accounts.describe(null, person.userId, read.output).catch((error: unknown) => {
          throw error instanceof Refusal ? new UsageError(error.message) : error
        })
        console.log(`${person.username} is cited as ${shownName(present(tables.people.described(person.userId)))}.`)
      }),
    )

const list = () =>
  new Command("list")
    .description("list the people of this instance")
    .addOption(dataOption())
    .addOption(jsonOption())
    .action(({ data, ...how }: Options & { json?: boolean }) =>
      withInstance(data, ({ tables }) =>
        printList(tables.people.all(), how, ["USERNAME", "USER ID", "ROLE", "SINCE", "SIGNED IN", "DISABLED"], (person) => [
          person.username,
          person.userId,
          person.isOperator ? "operator" : "",
          person.createdAt,
          person.signedInAt ?? "never",
          person.disabledAt ?? "",
        ]),
      ),
    )

export const userCommand = (): Command => {
  const command = new Command("user").description("people of this instance")
  for (const each of [add(), password(), ...onPeople(), cite(), list()]) command.addCommand(each)
  return command
}
