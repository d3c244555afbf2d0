/**
 * Flags that several commands share, with their environment variables. Each value is validated before the command
 * starts.
 */
import { setGlobalProxyFromEnv } from "node:http"
import { availableParallelism } from "node:os"
import { type Command, InvalidArgumentError, Option } from "commander"
import { withoutTrailing } from "./contract/text.ts"
import { isLoopback } from "./edge/limits/request-context.ts"

/** The command was used wrongly. The message is one sentence for the user; the exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

/** Rejects the value of a flag. */
export const invalid = (message: string): never => {
  throw new InvalidArgumentError(message)
}

/** Returns a parser of whole numbers in a range. */
export const wholeNumber =
  (least: number, most: number, message = `It must be a whole number from ${least} to ${most}.`) =>
  (value: string): number => {
    const number = /^[0-9]{1,16}$/.test(value) ? Number(value) : Number.NaN
    return number >= least && number <= most ? number : invalid(message)
  }

/** Parses a comma-separated list. */
export const listOf = (value: string): string[] =>
  value.trim() === "" ? [] : value.split(",").map((part) => part.trim())

/** Matches an address without characters that could end a Python string or have a meaning in a shell. */
const PLAIN_ADDRESS = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?(?:\/[A-Za-z0-9._~%+,=/-]*)?$/

/** Parses the address of a service. @returns the address without a trailing slash */
export function webAddress(value: string): string {
  const url = URL.canParse(value)
    ? new URL(value)
    : invalid("It must be an address such as https://rooms.example.org/lab.")
  if (url.protocol !== "http:" && url.protocol !== "https:") invalid("It must begin with http:// or https://.")
  if (url.search !== "" || url.hash !== "" || url.username !== "")
    invalid("It must be an address without query, fragment and user.")
  const address = withoutTrailing(url.href, "/")
  // The address is inserted into the Python client and into commands to paste.
  if (!PLAIN_ADDRESS.test(address))
    invalid("Its host and path may contain only letters, digits and the characters . - _ ~ % + , =")
  return address
}

/** Validates a token or another secret. */
export const secret = (value: string): string =>
  /^[!-~]{16,200}$/.test(value) ? value : invalid("It must have 16 to 200 visible ASCII characters without spaces.")

const PREFIX = "RESEARCH_ROOM_"

/** Creates an option with its environment variable: `--base-url` is `RESEARCH_ROOM_BASE_URL`. */
export function option(flags: string, description: string): Option {
  const created = new Option(flags, description)
  return created.env(`${PREFIX}${created.name().replaceAll("-", "_").toUpperCase()}`)
}

const secrets = new WeakSet<Option>()
/** Whether the value of an option is secret, so that no unit and no list may show it. */
export const isSecret = (each: Option): boolean => secrets.has(each)
export function secretOption(flags: string, description: string): Option {
  const created = option(flags, description)
  secrets.add(created)
  return created
}

/** Variables of the Python client, which may start this program. */
const PYTHON_VARIABLES = ["METRICS", "SPOOL"].map((name) => `${PREFIX}${name}`)

/** Returns the environment variables of a command and its subcommands. */
const variablesOf = (command: Command): string[] => [
  ...command.options.flatMap(({ envVar }) => envVar ?? []),
  ...command.commands.flatMap(variablesOf),
]

/** Whether the environment has a variable of this program. */
export const hasSettings = (environment: NodeJS.ProcessEnv): boolean =>
  Object.keys(environment).some((name) => name.startsWith(PREFIX))

/**
 * Refuses misspelt variables, which would otherwise be ignored silently. @throws UsageError for a variable that no
 * command has
 */
export function refuseUnknownVariables(program: Command, environment: NodeJS.ProcessEnv): void {
  const known = new Set([...variablesOf(program), ...PYTHON_VARIABLES])
  const unknown = Object.keys(environment).filter((name) => name.startsWith(PREFIX) && !known.has(name))
  if (unknown.length === 0) return
  const are = unknown.length === 1 ? "is not a variable" : "are not variables"
  throw new UsageError(`${unknown.join(", ")} ${are} of this program: --help after a command lists its flags.`)
}

export const dataOption = () =>
  option("--data <folder>", "folder of the data; created if it does not exist").default("./data")
export const portOption = (standard: number) =>
  option("--port <number>", "port to listen on; 0 lets the system choose one")
    .argParser(wholeNumber(0, 65_535))
    .default(standard)
export const baseUrlOption = () =>
  option(
    "--base-url <address>",
    "where people and agents reach the service, for links and the Origin check (default: the address it listens on)",
  ).argParser(webAddress)
/** The service that a command calls over HTTP, as an agent does. */
export const urlOption = () =>
  option("--url <address>", "where the service is, such as https://rooms.example.org/lab").argParser(webAddress)
export const tokenOption = () =>
  secretOption("--token <token>", "a Room credential or a personal key; without one, only public reads").argParser(
    secret,
  )
/** Parses the sequence of an entry in a Room's activity. */
export const sequence = wholeNumber(0, Number.MAX_SAFE_INTEGER, "It must be the number of an entry, or 0.")

export interface RemoteOptions {
  readonly url?: string
  readonly token?: string
}
/** This machine, which no proxy can reach. */
const HERE = "localhost,.localhost,127.0.0.1,::1,[::1]"

/** The proxy that the requests of this command go through, without its user and password. */
let used: string | undefined

/** What to add to a failure: the proxy that was asked, if there was one. Empty without. */
export const proxyNote = (): string => (used === undefined ? "" : ` It was asked through the proxy ${used}.`)

/** Whether a host stands in a list of hosts as NO_PROXY has them. */
const isListed = (host: string, list: string): boolean =>
  list.split(",").some((each) => {
    const name = each.trim().replace(/^\*?\./, "")
    return name === "*" || host === name || host.endsWith(`.${name}`)
  })

/**
 * Sends the requests of this command through the proxy that HTTP_PROXY or HTTPS_PROXY names, except those to this
 * machine and to the hosts of NO_PROXY.
 */
function throughProxy(url: string, { NO_PROXY, no_proxy, ...environment }: NodeJS.ProcessEnv): void {
  const direct = [no_proxy ?? NO_PROXY, HERE].filter(Boolean).join(",")
  setGlobalProxyFromEnv({ ...environment, NO_PROXY: direct, no_proxy: direct })
  const { hostname, protocol } = URL.parse(url) ?? {}
  const name = protocol === "https:" ? "https_proxy" : "http_proxy"
  const { host } = URL.parse(environment[name] ?? environment[name.toUpperCase()] ?? "") ?? {}
  used = host === undefined || hostname === undefined || isListed(hostname, direct) ? undefined : host
}

/** @throws UsageError if no service is named */
export function requireUrl({ url }: RemoteOptions): string {
  if (url === undefined) throw new UsageError("Name the service with --url, or RESEARCH_ROOM_URL.")
  throughProxy(url, process.env)
  return url
}
/** @throws UsageError if the service or the credential is missing */
export function requireService(options: RemoteOptions): { url: string; token: string } {
  const url = requireUrl(options)
  if (options.token === undefined) throw new UsageError("Give a Room credential with --token, or RESEARCH_ROOM_TOKEN.")
  return { url, token: options.token }
}
/** One thread for every two processors: the others serve, write and render. */
const defaultThreads = () => Math.max(1, Math.floor(availableParallelism() / 2))
export const threadsOption = () =>
  option("--threads <number>", "threads for pages and long answers, in addition to the one that takes requests")
    .argParser(wholeNumber(1, 64))
    .default(defaultThreads(), "one for every two processors")

/** The permissions of a credential or key. @param all the default */
export const permissionsOption = (all: readonly string[]) =>
  option("--permissions <list>", "comma-separated")
    .argParser(listOf)
    .default([...all], "all of them")
export const expiresOption = () =>
  option("--expires <time>", "when it expires, such as 2027-01-31T00:00:00Z (default: in 90 days)")
export const passwordOption = () => option("--password <text>", "the password (default: a generated one, printed once)")

/** Validates an issuer and returns it unchanged: the provider signs it as written, including a trailing slash. */
export function issuer(value: string): string {
  webAddress(value)
  const { protocol, hostname } = new URL(value)
  if (protocol !== "https:" && hostname !== "localhost" && !isLoopback(hostname))
    invalid("It must begin with https://.")
  return value
}

/** The provider of a person's account, exactly as the provider writes its own address. */
export const issuerOption = () =>
  option("--issuer <address>", "the provider, as in --oidc-issuer of serve").argParser(issuer).makeOptionMandatory()
