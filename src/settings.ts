/** Flags and their environment variables: each is defined once, and checked before anything starts. */
import { statSync } from "node:fs"
import { availableParallelism } from "node:os"
import { type Command, InvalidArgumentError, Option } from "commander"
import { isLoopback } from "./edge/address.ts"
import { type Admits, inviters } from "./edge/entrance.ts"

/** What was asked for cannot be done; one sentence for the person at the command line, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

/** What was asked for could not be done; one sentence, exit code 1. */
export class FailedError extends Error {
  override readonly name = "FailedError"
}

const invalid = (message: string): never => {
  throw new InvalidArgumentError(message)
}

function port(value: string): number {
  const read = /^[0-9]{1,5}$/.test(value) ? Number(value) : Number.NaN
  return read <= 65_535 ? read : invalid("It must be a whole number from 0 to 65535.")
}

/** An address of a service, without a slash at the end. */
export function webAddress(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : invalid("It must be an address such as https://rooms.example.org/lab.")
  if (url.protocol !== "http:" && url.protocol !== "https:") invalid("It must begin with http:// or https://.")
  if (url.search !== "" || url.hash !== "" || url.username !== "") invalid("It must be an address without query, fragment and user.")
  return value.replace(/\/+$/, "")
}

const contact = (value: string): string =>
  /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:[+0-9-]+)$/.test(value)
    ? value
    : invalid("It must be an address such as mailto:security@example.org or https://example.org/security.")

const secret = (value: string): string =>
  /^[!-~]{16,200}$/.test(value) ? value : invalid("It must be 16 to 200 letters, digits and signs without spaces.")

function existingFolder(value: string): string {
  if (statSync(value, { throwIfNoEntry: false })?.isDirectory() !== true) invalid("There is no such folder.")
  return value
}

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
function secretOption(flags: string, description: string): Option {
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

/** @throws UsageError where others than this machine are served, and nobody said under which name: links and the Origin check go by it */
export function mustNameItself({ host, baseUrl }: EdgeSettings): void {
  if (baseUrl !== undefined || host === "localhost" || isLoopback(host)) return
  throw new UsageError(`On ${host} others reach the service: name the address they use with --base-url.`)
}

export const dataOption = () => option("--data <folder>", "folder of the data; made when it does not exist").default("./data")
export const portOption = (standard: number) =>
  option("--port <number>", "port to listen on; 0 lets the system pick one").argParser(port).default(standard)
const hostOption = () => option("--host <address>", "address to listen on; others than loopback need --base-url").default("127.0.0.1")
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
export const namedOption = option

/** Where pinned repositories are looked up. */
const repositoryOptions = () => [
  option("--github-api <address>", "GitHub's REST API, asked whether a pinned repository is public and its commit exists").argParser(
    webAddress,
  ),
  secretOption("--github-token <token>", "a token for that API: more requests an hour, no more rights"),
  option("--repositories <folder>", "folder of bare repositories, <host>/<owner>/<name>.git, asked before GitHub").argParser(
    existingFolder,
  ),
]

/** Whether arXiv is asked about the papers that people file. */
const arxivOptions = () => [
  option("--arxiv <on|off>", "ask arXiv for the metadata of papers that people file, politely and never in the way of a write")
    .choices(["on", "off"])
    .default("off"),
  option("--arxiv-api <address>", "arXiv's API, or what stands in for it")
    .argParser(webAddress)
    .default("https://export.arxiv.org/api/query"),
]

/** A switch that is turned on by its name alone. */
const onOff = (flag: string, description: string, standard: "on" | "off"): Option =>
  option(`${flag} [on|off]`, description).choices(["on", "off"]).preset("on").default(standard)

/** How much is taken from whom, and what is told of it. */
const watchOptions = (rateLimits: "on" | "off") => [
  onOff("--rate-limits", "answer 429 to an address or caller that asks for far more than others; the manifest has the numbers", rateLimits),
  onOff(
    "--trust-proxy",
    "take the last entry of X-Forwarded-For for the address of a request; only behind a proxy that writes it, where nobody else reaches the port",
    "off",
  ),
  onOff("--log-requests", "a line in the log for every request, not only for sign-ins, refused credentials and failures", "off"),
  secretOption(
    "--metrics-token <token>",
    "a secret that opens /metrics as a bearer token; without it only callers on this machine read there, and behind --base-url nobody",
  ).argParser(secret),
  option("--security-contact <address>", "whom to tell of a weakness, for /.well-known/security.txt: mailto:, https: or tel:").argParser(
    contact,
  ),
]

/** An issuer as it stands in what a provider signs: a slash at its end belongs to it. */
function issuer(value: string): string {
  webAddress(value)
  const { protocol, hostname } = new URL(value)
  if (protocol !== "https:" && hostname !== "localhost" && !isLoopback(hostname)) invalid("It must begin with https://.")
  return value
}

/** Which provider a person's account is at; as the provider calls itself, to the letter. */
export const issuerOption = () =>
  namedOption("--issuer <address>", "the provider, as it calls itself: what serve is given as --oidc-issuer")
    .argParser(issuer)
    .makeOptionMandatory()

const admits = (value: string): Admits => {
  if (value === "invited" || value === "everyone") return value
  return /^@[A-Za-z0-9.-]+\.[A-Za-z]+$/.test(value)
    ? `@${value.slice(1)}`
    : invalid("It must be invited, everyone, or a domain such as @example.org.")
}

/** How people come in. */
const entranceOptions = () => [
  option("--oidc-issuer <address>", "the group's identity provider (OpenID Connect), by which people may sign in").argParser(issuer),
  option("--oidc-client-id <text>", "what the provider calls this service"),
  secretOption("--oidc-client-secret <text>", "the secret it gave this service; left out for a client that has none"),
  option("--oidc-name <text>", "what people call the provider (default: its host)"),
  option("--oidc-admits <whom>", "whom of its people to let in without an invitation: a domain means a verified address there")
    .argParser(admits)
    .default("invited"),
  option("--passwords <on|off>", "off: nobody signs in but by the provider").choices(["on", "off"]).default("on"),
  option("--invitations <who>", "who may invite people").choices(inviters).default("owners"),
]

/** @throws UsageError for half a provider, and where nobody could come in */
function mustLetIn({ oidcIssuer, oidcClientId, oidcClientSecret, passwords }: EdgeSettings): void {
  if (oidcIssuer === undefined && (oidcClientId ?? oidcClientSecret) !== undefined)
    throw new UsageError("A client of a provider needs to know which one: name it with --oidc-issuer.")
  if (oidcIssuer !== undefined && oidcClientId === undefined)
    throw new UsageError("--oidc-issuer needs --oidc-client-id: what the provider calls this service.")
  if (passwords === "off" && oidcIssuer === undefined)
    throw new UsageError("With --passwords off people need another way in: name it with --oidc-issuer.")
}

/** How people come in, as the service takes it. @throws UsageError for settings by which they could not */
function entranceOf(settings: EdgeSettings) {
  mustLetIn(settings)
  const { passwords, invitations, oidcIssuer: issuer, oidcClientId: clientId = "", oidcClientSecret: clientSecret } = settings
  const common = { passwords: passwords === "on", invitations }
  if (issuer === undefined) return common
  const name = settings.oidcName ?? new URL(issuer).host
  return { ...common, provider: { issuer, clientId, clientSecret, name, admits: settings.oidcAdmits } }
}

/** What every serving process takes, but for its data and port, whose standards differ. */
const edgeOptions = (rateLimits: "on" | "off") => [
  hostOption(),
  baseUrlOption(),
  ...repositoryOptions(),
  ...arxivOptions(),
  ...entranceOptions(),
  ...watchOptions(rateLimits),
]

/** A command with the options that every serving process takes. @param rateLimits whether it limits its callers unless told */
export const withEdgeOptions = (command: Command, rateLimits: "on" | "off" = "off"): Command =>
  edgeOptions(rateLimits).reduce((made, added) => made.addOption(added), command)

export interface EdgeSettings {
  readonly rateLimits: "on" | "off"
  readonly trustProxy: "on" | "off"
  readonly logRequests: "on" | "off"
  readonly metricsToken?: string
  readonly securityContact?: string
  readonly host: string
  readonly port: number
  readonly baseUrl?: string
  readonly githubApi?: string
  readonly githubToken?: string
  readonly repositories?: string
  readonly arxiv: "on" | "off"
  readonly arxivApi: string
  readonly oidcIssuer?: string
  readonly oidcClientId?: string
  readonly oidcClientSecret?: string
  readonly oidcName?: string
  readonly oidcAdmits: Admits
  readonly passwords: "on" | "off"
  readonly invitations: (typeof inviters)[number]
}

/** arXiv's API, where the operator lets it be asked. */
const arxivOf = ({ arxiv, arxivApi }: EdgeSettings): { api: string } | null => (arxiv === "on" ? { api: arxivApi } : null)

/** Where pinned repositories are looked up. @param api GitHub's API where no flag names one; null to ask nobody outside */
const repositoriesOf = ({ githubApi, githubToken, repositories }: EdgeSettings, api: string | null) => {
  const asked = githubApi ?? api
  return {
    folders: repositories === undefined ? [] : [repositories],
    github: asked === null ? null : { api: asked, token: githubToken ?? null },
  }
}

/** Whom the service asks outside: hosts of repositories, arXiv, and a provider of people. @param githubApi where no flag names one; null: nobody */
export const outsideOf = (settings: EdgeSettings, githubApi: string | null) => ({
  repositories: repositoriesOf(settings, githubApi),
  arxiv: arxivOf(settings),
  entrance: entranceOf(settings),
})
