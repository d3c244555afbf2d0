/** People, for an operator without a browser: `research-room user` manages them, `audit` tells what was done. */
import { randomBytes } from "node:crypto"
import { Command } from "commander"
import type { Instance } from "../app/compose/instance.ts"
import type { EndedAccess } from "../people/acts.ts"
import type { Person } from "../people/people.ts"
import { issuerOption, option, UsageError, passwordOption, wholeNumber } from "../settings.ts"
import { counted } from "../web/words.ts"
import { dataCommand, personNamed, refusalsAsUsage, withInstance } from "./with-instance.ts"
import { limits } from "../contract/limits.ts"
import { present } from "../contract/typed.ts"
import { jsonOption, type ListOptions, printList } from "./terminal.ts"
import type { AuditEntry } from "../contract/nouns/administration.ts"
import { type AuditKind, auditKindNames, auditKinds } from "../contract/audit-kinds.ts"

// The commands of `research-room user` with which an operator manages a person.

/** Returns a sentence on the credentials, keys and invitations that were ended. */
const endedWords = ({ credentials, keys, invitations }: EndedAccess): string =>
  `Ended: ${counted(credentials, "credential")}, ` +
  `${counted(keys, "personal key")}${invitations === 0 ? "" : `, ${counted(invitations, "open invitation")}`}.`

/** Creates a command on a person, which prints the sentence that its work returns. */
const personCommand = <O extends object>(
  name: string,
  description: string,
  work: (instance: Instance, person: Person, options: O) => Promise<string>,
) =>
  dataCommand(name, description)
    .argument("<username>")
    .work(async (instance, username: string, options: O) => {
      const person = personNamed(instance, username)
      console.log(await refusalsAsUsage(() => work(instance, person, options)))
    })

/** OpenID Connect allows 255 ASCII characters. A space is taken for a mistake. */
const isSubject = (text: string): boolean => /^[\x21-\x7e]{1,255}$/.test(text)

const connect = () =>
  personCommand(
    "connect",
    "let a person sign in with an account of the identity provider; it replaces one connected earlier",
    async ({ byProvider }, person, { issuer, subject }: { issuer: string; subject: string }) => {
      if (!isSubject(subject)) throw new UsageError("--subject must have 1 to 255 visible ASCII characters.")
      await byProvider.connectFor(person, { issuer, subject })
      return `${person.username} can also sign in with the account ${subject} at ${issuer}.`
    },
  )
    .addOption(issuerOption())
    .addOption(option("--subject <text>", "the `sub` claim of the account at the provider").makeOptionMandatory())

const disconnect = () =>
  personCommand(
    "disconnect",
    "disconnect a person's account at the identity provider; their password stays",
    async (instance, person) => {
      await instance.byProvider.disconnectFor(person)
      return `${person.username} signs in only with their password.`
    },
  )

const onPeople = () => [
  personCommand(
    "disable",
    "disable a person: their sessions, credentials, keys and open invitations end; what they wrote stays",
    async ({ operators }, { userId, username }) =>
      `${username} is disabled. ${endedWords(await operators.disable(null, userId))}`,
  ),
  personCommand(
    "enable",
    "let a person sign in again; what was ended stays ended",
    async ({ operators }, { userId, username }) => {
      await operators.enable(null, userId)
      return `${username} may sign in again, with the password they had.`
    },
  ),
  personCommand(
    "make-operator",
    "make a person an operator of the service",
    async ({ operators }, { userId, username }) => {
      await operators.setOperator(null, userId, true)
      return `${username} is an operator now.`
    },
  ),
  personCommand(
    "unmake-operator",
    "take the operator role from a person; the last operator keeps it",
    async ({ operators }, { userId, username }) => {
      await operators.setOperator(null, userId, false)
      return `${username} is no longer an operator.`
    },
  ),
  personCommand(
    "end-access",
    "end all credentials and personal keys of a person",
    async ({ operators }, { userId, username }) => {
      return (
        `${username} has no credential and no personal key now. ` +
        `${endedWords(await operators.endAccess(null, userId))}`
      )
    },
  ),
  personCommand(
    "clear-sign-ins",
    "reset the count of failed sign-ins of a person",
    async ({ operators }, { userId, username }) => {
      await operators.clearCount(null, userId)
      return `The count of failed sign-ins of ${username} is reset.`
    },
  ),
  connect(),
  disconnect(),
]

interface Options {
  readonly data: string
  readonly password?: string
}

async function checkedName(name: string): Promise<string> {
  const [v, { username }] = await Promise.all([import("valibot"), import("../contract/schema/fields.ts")])
  const parsed = v.safeParse(username, name)
  if (parsed.success) return parsed.output
  throw new UsageError(`The name ${parsed.issues[0].message}.`)
}

function passwordFrom({ password }: Options): { password: string; made: boolean } {
  if (password === undefined) return { password: randomBytes(15).toString("base64url"), made: true }
  if (password.length < limits.passwordMin || password.length > limits.passwordMax) {
    throw new UsageError(`A password has ${limits.passwordMin} to ${limits.passwordMax} characters.`)
  }
  return { password, made: false }
}

const printIfMade = (name: string, { password, made }: { password: string; made: boolean }) =>
  made && console.log(`The password of ${name}, shown this once: ${password}`)

const add = () =>
  dataCommand("add", "create a person; the first one is the operator")
    .argument("<username>")
    .addOption(passwordOption())
    .action(async (name: string, options: Options) => {
      const chosen = passwordFrom(options)
      const checked = await checkedName(name)
      return withInstance(
        options.data,
        async ({ accounts }) => {
          const { username, userId } = await accounts.add(checked, chosen.password)
          console.log(`${username} was created (${userId}).`)
          printIfMade(username, chosen)
        },
        { make: true },
      )
    })

const password = () =>
  dataCommand("password", "give a person a new password, end their sessions and reset their count of failed sign-ins")
    .argument("<username>")
    .addOption(passwordOption())
    .addOption(option("--everything", "end their credentials and personal keys too"))
    .action((name: string, { everything = false, ...options }: Options & { everything?: boolean }) => {
      const chosen = passwordFrom(options)
      return withInstance(options.data, async ({ accounts }) => {
        const reset = await accounts.setPassword(await checkedName(name), chosen.password, { everything })
        if (reset === undefined) throw new UsageError(`There is no user named ${name}.`)
        const { username } = reset.person
        console.log(
          `${username} has a new password; ` +
            `their sessions are ended.${reset.ended === null ? "" : ` ${endedWords(reset.ended)}`}`,
        )
        printIfMade(username, chosen)
      })
    })

interface CitationOptions {
  readonly data: string
  readonly name?: string
  readonly givenName?: string
  readonly familyName?: string
  readonly orcid?: string
}

const cite = () =>
  dataCommand(
    "cite",
    "set how a person wants to be cited; parts that are not given stay, and an empty text removes one",
  )
    .argument("<username>")
    .addOption(option("--name <text>", "the name in citations, such as 'Ada Lovelace'"))
    .addOption(option("--given-name <text>", "for citations that sort and shorten by the parts of a name"))
    .addOption(option("--family-name <text>", "for the same citations"))
    .addOption(option("--orcid <id>", "their ORCID, with or without https://orcid.org/; it is not checked with ORCID"))
    .work(async (instance, username: string, { data: _data, ...changes }: CitationOptions) => {
      const { accounts, tables } = instance
      const [v, { description, shownName }, { shape }] = await Promise.all([
        import("valibot"),
        import("../contract/nouns/people.ts"),
        import("../contract/schema/fields.ts"),
      ])
      const person = personNamed(instance, await checkedName(username))
      const { name, givenName, familyName, orcid } = present(tables.people.described(person.userId))
      const parts = Object.entries({ name, givenName, familyName, orcid, ...changes })
      const parsed = v.safeParse(
        shape(description),
        Object.fromEntries(parts.filter(([, part]) => part !== null && part !== "")),
      )
      if (!parsed.success)
        throw new UsageError(`${v.getDotPath(parsed.issues[0]) ?? "This"} ${parsed.issues[0].message}.`)
      await refusalsAsUsage(() => accounts.describe(null, person.userId, parsed.output))
      console.log(`${person.username} is cited as ${shownName(present(tables.people.described(person.userId)))}.`)
    })

const list = () =>
  dataCommand("list", "list the people of this instance")
    .addOption(jsonOption())
    .work(({ tables }, format: ListOptions) =>
      printList(tables.people.all(), format, {
        USERNAME: "username",
        "USER ID": "userId",
        ROLE: ({ isOperator }) => (isOperator ? "operator" : ""),
        SINCE: "createdAt",
        "SIGNED IN": ({ signedInAt }) => signedInAt ?? "never",
        DISABLED: "disabledAt",
      }),
    )

export const userCommand = (): Command => {
  const command = new Command("user").description("people of this instance")
  for (const each of [add(), password(), ...onPeople(), cite(), list()]) command.addCommand(each)
  return command
}

// `research-room audit`: the audit log.

interface AuditOptions extends ListOptions {
  readonly limit: number
  readonly before?: number
  readonly kind?: AuditKind
  readonly user?: string
}

const MOST_LINES = 1_000
const DEFAULT_LINES = 50

const subjectOf = ({ subject }: AuditEntry) => (subject === null ? "" : `${subject.kind} ${subject.name ?? subject.id}`)
const byOf = ({ by, command }: AuditEntry) =>
  [by?.username, command && `${command.account}: ${command.name}`]
    .filter((part) => part !== undefined && part !== null)
    .join(", ")

export const auditCommand = (): Command =>
  dataCommand(
    "audit",
    "print the audit log, newest line first: sign-ins, and what was done to people, credentials, Rooms and data",
  )
    .addOption(
      option("--limit <count>", "the most lines to print").argParser(wholeNumber(1, MOST_LINES)).default(DEFAULT_LINES),
    )
    .addOption(
      option("--before <sequence>", "only lines before this one").argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
    )
    .addOption(option("--kind <kind>", "only lines of this kind").choices(auditKindNames))
    .addOption(option("--user <username>", "only what this person did, and what was done to them"))
    .addOption(jsonOption())
    .work((instance, { limit, before, kind, user, ...format }: AuditOptions) => {
      const userId = user === undefined ? undefined : personNamed(instance, user).userId
      const items = instance.tables.audit.page({ kind, userId }, before ?? null, limit)
      printList(items, format, {
        LINE: "sequence",
        AT: "at",
        BY: byOf,
        WHAT: ({ kind: did }) => auditKinds[did],
        OF: subjectOf,
        FROM: "address",
      })
    })
