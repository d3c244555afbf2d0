/** What an operator does to a person, each a command of `research-room user`. */
import { Command } from "commander"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Instance } from "../app/compose/instance.ts"
import type { EndedAccess, Operators } from "../people/operators.ts"
import type { Person } from "../people/people.ts"
import { dataOption, issuerOption, option, UsageError } from "../settings.ts"
import { counted } from "../web/words.ts"
import { personNamed } from "./admit-as.ts"
import { withInstance } from "./with-instance.ts"

/** What was ended besides sessions, in a sentence. */
export const endedWords = ({ credentials, keys, invitations }: EndedAccess): string =>
  `Ended: ${counted(credentials, "credential")}, ${counted(keys, "personal key")}${invitations === 0 ? "" : `, ${counted(invitations, "open invitation")}`}.`

/** A command on one person. */
const named = (name: string, description: string) =>
  new Command(name).description(description).argument("<username>").addOption(dataOption())

/** Does one thing to one person, and prints what was done. @throws UsageError for a refusal, and for a name that nobody has */
const doTo = (data: string, username: string, work: (instance: Instance, person: Person) => Promise<string>) =>
  withInstance(data, async (instance) => {
    const person = personNamed(instance, username)
    try {
      console.log(await work(instance, person))
    } catch (error) {
      throw error instanceof Refusal ? new UsageError(error.message) : error
    }
  })

/** A command that does one thing to one person. */
const onPerson = (name: string, description: string, work: (operators: Operators, person: Person) => Promise<string>) =>
  named(name, description).action((username: string, { data }: { data: string }) =>
    doTo(data, username, ({ operators }, person) => work(operators, person)),
  )

/** What OpenID Connect lets a provider call an account: ASCII, at most 255 of it; blanks are a slip. */
const isSubject = (text: string): boolean => /^[\x21-\x7e]{1,255}$/.test(text)

const connect = () =>
  named("connect", "let a person come in by an account of the group's identity provider, in place of one they may have there")
    .addOption(issuerOption())
    .addOption(option("--subject <text>", "the account, as the provider's `sub` names it").makeOptionMandatory())
    .action((name: string, { data, ...account }: { data: string; issuer: string; subject: string }) => {
      if (!isSubject(account.subject)) throw new UsageError("--subject is 1 to 255 visible characters.")
      return doTo(data, name, async ({ byProvider }, person) => {
        await byProvider.connectFor(person, account)
        return `${person.username} also comes in by the account ${account.subject} at ${account.issuer}.`
      })
    })

const disconnect = () =>
  named("disconnect", "let a person come in by their account of the identity provider no longer; a password is left").action(
    (name: string, { data }: { data: string }) =>
      doTo(data, name, async ({ byProvider }, person) => {
        await byProvider.disconnectFor(person)
        return `${person.username} comes in by their password alone.`
      }),
  )

export const onPeople = () => [
  onPerson(
    "disable",
    "keep a person out from now on: their sessions, credentials, keys and open invitations end; what they said stays",
    async (operators, { userId, username }) => `${username} is disabled. ${endedWords(await operators.disable(null, userId))}`,
  ),
  onPerson("enable", "let a person in again; what was ended stays ended", async (operators, { userId, username }) => {
    await operators.enable(null, userId)
    return `${username} may sign in again, with the password they had.`
  }),
  onPerson("make-operator", "make a person an operator of the service", async (operators, { userId, username }) => {
    await operators.setOperator(null, userId, true)
    return `${username} is an operator now.`
  }),
  onPerson("unmake-operator", "make a person an operator no longer; one is always left", async (operators, { userId, username }) => {
    await operators.setOperator(null, userId, false)
    return `${username} is no longer an operator.`
  }),
  onPerson("end-access", "end all credentials and personal keys of a person", async (operators, { userId, username }) => {
    return `${username} has no credential and no personal key any more. ${endedWords(await operators.endAccess(null, userId))}`
  }),
  onPerson("clear-sign-ins", "forget the failed sign-ins of a person", async (operators, { userId, username }) => {
    await operators.clearCount(null, userId)
    return `The failed sign-ins of ${username} are forgotten.`
  }),
  connect(),
  disconnect(),
]
