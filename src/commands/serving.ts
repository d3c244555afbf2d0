/** What every serving command takes beside its data and port: the flags, and what is made of them before anything starts. */
import { statSync } from "node:fs"
import type { Command, Option } from "commander"
import { isLoopback } from "../edge/limits/address.ts"
import { type Admits, inviters } from "../edge/sign-in-options.ts"
import { type Network, networksIn } from "../rooms/webhook-addresses.ts"
import { baseUrlOption, invalid, issuer, option, secret, secretOption, UsageError, webAddress } from "../settings.ts"

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
  readonly crossref: "on" | "off"
  readonly crossrefApi: string
  readonly crossrefContact?: string
  readonly oidcIssuer?: string
  readonly oidcClientId?: string
  readonly oidcClientSecret?: string
  readonly oidcName?: string
  readonly oidcAdmits: Admits
  readonly passwords: "on" | "off"
  readonly invitations: (typeof inviters)[number]
  readonly webhookNetworks?: readonly Network[]
}

const contact = (value: string): string =>
  /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:[+0-9-]+)$/.test(value)
    ? value
    : invalid("It must be an address such as mailto:security@example.org or https://example.org/security.")

function existingFolder(value: string): string {
  if (statSync(value, { throwIfNoEntry: false })?.isDirectory() !== true) invalid("There is no such folder.")
  return value
}

const hostOption = () => option("--host <address>", "address to listen on; others than loopback need --base-url").default("127.0.0.1")

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

/** A mail address, without `mailto:`. */
const mailAddress = (value: string): string =>
  /^[^\s@<>()]+@[^\s@<>()]+$/.test(value) ? value : invalid("It must be a mail address such as library@example.org.")

/** Whether arXiv and Crossref are asked about the papers that people file. */
const sourceOptions = () => [
  option("--arxiv <on|off>", "ask arXiv for the metadata of papers that people file, politely and never in the way of a write")
    .choices(["on", "off"])
    .default("off"),
  option("--arxiv-api <address>", "arXiv's API, or what stands in for it")
    .argParser(webAddress)
    .default("https://export.arxiv.org/api/query"),
  option("--crossref <on|off>", "ask Crossref for the metadata of DOIs that people file, in the same manner")
    .choices(["on", "off"])
    .default("off"),
  option("--crossref-api <address>", "Crossref's REST API, or what stands in for it")
    .argParser(webAddress)
    .default("https://api.crossref.org"),
  option(
    "--crossref-contact <mail>",
    "whom Crossref may write to about these requests; it serves those who say so faster (default: the mail address of --security-contact)",
  ).argParser(mailAddress),
]

/** A switch that is turned on by its name alone. */
const onOff = (flag: string, description: string, standard: "on" | "off"): Option =>
  option(`${flag} [on|off]`, description).choices(["on", "off"]).preset("on").default(standard)

function networks(value: string): Network[] {
  try {
    return networksIn(value)
  } catch {
    return invalid("It must be a list of networks such as 10.0.0.0/8,127.0.0.0/8.")
  }
}

/** Whom the service tells what lands in Rooms. */
const webhookOption = () =>
  option(
    "--webhook-networks <list>",
    "networks beside public addresses that webhooks may be sent to, such as 10.0.0.0/8,127.0.0.0/8",
  ).argParser(networks)

/** How much is taken from whom, and what is told of it. */
const watchOptions = (rateLimits: "on" | "off") => [
  onOff("--rate-limits", "answer 429 to an address or caller that asks for far more than others; the manifest has the numbers", rateLimits),
  onOff(
    "--trust-proxy",
    "use the last entry of X-Forwarded-For as the address of a request; only behind a proxy that writes it, where no other client can reach the port",
    "off",
  ),
  onOff("--log-requests", "a line in the log for every request, not only for sign-ins, refused credentials and failures", "off"),
  secretOption(
    "--metrics-token <token>",
    "a secret that opens /metrics as a bearer token; without it only callers on this machine can read it, and none behind --base-url",
  ).argParser(secret),
  option("--security-contact <address>", "whom to tell of a weakness, for /.well-known/security.txt: mailto:, https: or tel:").argParser(
    contact,
  ),
]

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
  option("--passwords <on|off>", "off: people sign in only through the provider").choices(["on", "off"]).default("on"),
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
  ...sourceOptions(),
  ...entranceOptions(),
  webhookOption(),
  ...watchOptions(rateLimits),
]

/** A command with the options that every serving process takes. @param rateLimits whether it limits its callers unless told */
export const withEdgeOptions = (command: Command, rateLimits: "on" | "off" = "off"): Command =>
  edgeOptions(rateLimits).reduce((made, added) => made.addOption(added), command)

/** The sources of metadata that the operator lets be asked. */
const sourcesOf = ({ arxiv, arxivApi, crossref, crossrefApi, crossrefContact, securityContact }: EdgeSettings) => ({
  arxiv: arxiv === "on" ? { api: arxivApi } : null,
  crossref: crossref === "on" ? { api: crossrefApi, contact: crossrefContact ?? /^mailto:(.+)$/.exec(securityContact ?? "")?.[1] } : null,
})

/** Where pinned repositories are looked up. @param api GitHub's API where no flag names one; null to ask nobody outside */
const repositoriesOf = ({ githubApi, githubToken, repositories }: EdgeSettings, api: string | null) => {
  const asked = githubApi ?? api
  return {
    folders: repositories === undefined ? [] : [repositories],
    github: asked === null ? null : { api: asked, token: githubToken ?? null },
  }
}

/** Whom the service asks or tells outside: hosts of repositories, arXiv, Crossref, a provider of people, and receivers of webhooks. @param githubApi where no flag names one; null: nobody */
export const outsideOf = (settings: EdgeSettings, githubApi: string | null) => ({
  repositories: repositoriesOf(settings, githubApi),
  ...sourcesOf(settings),
  entrance: entranceOf(settings),
  webhooks: settings.webhookNetworks && { networks: settings.webhookNetworks },
})

/** @throws UsageError where others than this machine are served, and nobody said under which name: links and the Origin check go by it */
export function mustNameItself({ host, baseUrl }: EdgeSettings): void {
  if (baseUrl !== undefined || host === "localhost" || isLoopback(host)) return
  throw new UsageError(`On ${host} others reach the service: name the address they use with --base-url.`)
}
