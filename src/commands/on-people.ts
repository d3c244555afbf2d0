/** The commands of `research-room user` with which an operator manages a person. */
import type { Instance } from "../app/compose/instance.ts"
import type { EndedAccess } from "../people/operators.ts"
import type { Person } from "../people/people.ts"
import { issuerOption, option, UsageError } from "../settings.ts"
import { counted } from "../web/words.ts"
import { dataCommand, personNamed, refusalsAsUsage } from "./with-instance.ts"

/** Returns a sentence on the credentials, keys and invitations that were ended. */
export const endedWords = ({ credentials, keys, invitations }: EndedAccess): string =>
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

export const onPeople = () => [
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
