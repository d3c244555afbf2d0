/** Flags and their environment variables: each is defined once, and checked before anything starts. What serving takes: commands/serving.ts. */
import { availableParallelism } from "node:os"
import { type Command, InvalidArgumentError, Option } from "commander"
import { withoutTrailing } from "./contract/text.ts"
import { isLoopback } from "./edge/limits/address.ts"

/** What was asked for cannot be done; one sentence for the person at the command line, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

/** What was asked for could not be done; one sentence, exit code 1. */
export class FailedError extends Error {
  override readonly name = "FailedError"
}

/** What is wrong with what a flag was given. */
export const invalid = (message: string): never => {
  throw new InvalidArgumentError(message)
}

function port(value: string): number {
  const read = /^[0-9]{1,5}$/.test(value) ? Number(value) : Number.NaN
  return read <= 65_535 ? read : invalid("It must be a whole number from 0 to 65535.")
}

/** An address that holds nothing which would end a text of Python, or mean something to a shell. */
const PLAIN_ADDRESS = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?(?:\/[A-Za-z0-9._~%+,=/-]*)?$/

/** An address of a service, without a slash at the end. */
export function webAddress(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : invalid("It must be an address such as https://rooms.example.org/lab.")
  if (url.protocol !== "http:" && url.protocol !== "https:") invalid("It must begin with http:// or https://.")
  if (url.search !== "" || url.hash !== "" || url.username !== "") invalid("It must be an address without query, fragment and user.")
  const address = withoutTrailing(url.href, "/")
  // It is put into the Python client and into commands to paste.
  if (!PLAIN_ADDRESS.test(address)) invalid("Its host and path must be made of letters, digits and the signs . - _ ~ % + , = only.")
  return address
}

/** A secret that somebody is given. */
export const secret = (value: string): string =>
  /^[!-~]{16,200}$/.test(value) ? value : invalid("It must be 16 to 200 letters, digits and signs without spaces.")

const PREFIX = "RESEARCH_ROOM_"

/** An option with its environment variable: `--base-url` is `RESEARCH_ROOM_BASE_URL`. */
export function option(flags: string, description: string): Option {
  const made = new Option(flags, description)
  return made.env(`${PREFIX}${made.name().replaceAll("-", "_").toUpperCase()}`)
}

const secrets = new WeakSet<Option>()
/** Whether what an option is given is for nobody's eyes: no unit and no list shows it. */
export const isSecret = (each: Option): boolean => secrets.has(each)
/** An option that takes a secret. */
export function secretOption(flags: string, description: string): Option {
  const made = option(flags, description)
  secrets.add(made)
  return made
}

/** What `run` hands the command that it runs, which may be this program. */
const HANDED = `${PREFIX}METRICS`

/** The environment variables of a command and of all below it. */
const variablesOf = (command: Command): string[] => [
  ...command.options.flatMap(({ envVar }) => envVar ?? []),
  ...command.commands.flatMap(variablesOf),
]

/** A misspelt variable would leave a setting as it is without a word. @throws UsageError for one that no command knows */
export function refuseUnknownVariables(program: Command, environment: NodeJS.ProcessEnv): void {
  const known = new Set([...variablesOf(program), HANDED])
  const unknown = Object.keys(environment).filter((name) => name.startsWith(PREFIX) && !known.has(name))
  if (unknown.length === 0) return
  const are = unknown.length === 1 ? "is not a variable" : "are not variables"
  throw new UsageError(`${unknown.join(", ")} ${are} of this program: --help after a command lists its flags.`)
}

export const dataOption = () => option("--data <folder>", "folder of the data; made when it does not exist").default("./data")
export const portOption = (standard: number) =>
  option("--port <number>", "port to listen on; 0 lets the system pick one").argParser(port).default(standard)
export const baseUrlOption = () =>
  option(
    "--base-url <address>",
    "where people and agents reach the service, for links and the Origin check (default: the address it listens on)",
  ).argParser(webAddress)
/** Where a service is that this program speaks to as anybody's agent does. */
export const urlOption = () =>
  option("--url <address>", "where the service is, such as https://rooms.example.org/lab").argParser(webAddress)
export const tokenOption = () =>
  secretOption("--token <token>", "a Room credential or a personal key; without one, only what everybody may read").argParser(secret)
/** A place in a Room's activity. */
export const sequence = (value: string): number =>
  /^[0-9]{1,15}$/.test(value) ? Number(value) : invalid("It must be the number of an entry, or 0.")

export interface ServedAt {
  readonly url?: string
  readonly token?: string
}
/** @throws UsageError where the service or the credential is not named */
export function servedAt({ url, token }: ServedAt): { url: string; token: string } {
  if (url === undefined) throw new UsageError("Name the service with --url, or RESEARCH_ROOM_URL.")
  if (token === undefined) throw new UsageError("Give a Room credential with --token, or RESEARCH_ROOM_TOKEN.")
  return { url, token }
}
export const spoolOption = () =>
  option("--spool <folder>", "where what cannot be delivered is kept; the Python client's too").default("~/.research-room/spool")
/** One for every two processors: the others are for those who read, write and render beside them. */
const threadsHere = () => Math.max(1, Math.floor(availableParallelism() / 2))
const threads = (value: string): number => {
  const read = /^[0-9]{1,3}$/.test(value) ? Number(value) : 0
  return read >= 1 && read <= 64 ? read : invalid("It must be a whole number from 1 to 64.")
}
export const threadsOption = () =>
  option("--threads <number>", "threads that make pages and long answers, beside the one that takes requests")
    .argParser(threads)
    .default(threadsHere(), "one for every two processors")

export const passwordOption = () => option("--password <text>", "the password; left out, one is made and printed once")

/** An issuer as it stands in what a provider signs: a slash at its end belongs to it. */
export function issuer(value: string): string {
  webAddress(value)
  const { protocol, hostname } = new URL(value)
  if (protocol !== "https:" && hostname !== "localhost" && !isLoopback(hostname)) invalid("It must begin with https://.")
  return value
}

/** Which provider a person's account is at; as the provider calls itself, to the letter. */
export const issuerOption = () =>
  option("--issuer <address>", "the provider, as it calls itself: what serve is given as --oidc-issuer")
    .argParser(issuer)
    .makeOptionMandatory()
