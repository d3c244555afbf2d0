/** Address checks for webhooks: deliveries go to public addresses, and to networks that the operator allows. */
import { lookup } from "node:dns/promises"
import type { LookupFunction } from "node:net"
import ipaddr from "ipaddr.js"

/** A network: its address and prefix length. */
export type Network = ReturnType<typeof ipaddr.parseCIDR>

/** Parses a list of networks such as `10.0.0.0/8,fd00::/8`. @throws Error if it is invalid */
export const networksIn = (text: string): Network[] => text.split(",").map((each) => ipaddr.parseCIDR(each.trim()))

/** The IPv6 addresses that are given out. Others may stand for an IPv4 address: `::10.0.0.1`, and those of NAT64. */
const GLOBAL = ipaddr.parseCIDR("2000::/3")

/** Whether webhooks may be sent to an IP address. An IPv4-mapped IPv6 address counts as IPv4. */
export function mayReach(address: string, networks: readonly Network[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const ip = ipaddr.process(address)
  const isPublic = ip.range() === "unicast" && (ip.kind() === "ipv4" || ip.match(GLOBAL))
  return isPublic || networks.some((network) => network[0].kind() === ip.kind() && ip.match(network))
}

/** Thrown for a host with no permitted address. */
export class ForbiddenAddress extends Error {
  override readonly name = "ForbiddenAddress"
}

/** Resolves the addresses of a host. @throws Error if it has none */
export type Resolve = (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>

/** The networks that are permitted besides public addresses, and the resolver of host names. */
export interface Reach {
  readonly networks: readonly Network[]
  readonly resolve: Resolve
}
export const publicAddresses: Reach = { networks: [], resolve: (host) => lookup(host, { all: true }) }

/** Returns the host of a URL; an IPv6 address without brackets. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "")

/**
 * Returns the permitted addresses of a host. @throws ForbiddenAddress if none of its addresses is permitted, Error if
 * it has none
 */
async function reachable(host: string, { networks, resolve }: Reach) {
  const all = ipaddr.isValid(host) ? [{ address: host, family: host.includes(":") ? 6 : 4 }] : await resolve(host)
  const permitted = all.filter(({ address }) => mayReach(address, networks))
  if (permitted.length === 0) throw new ForbiddenAddress(`${host} is not a public address.`)
  return permitted
}

/**
 * Makes a lookup function for connections. It checks the addresses it returns, so a later DNS answer cannot bypass the
 * check.
 */
export const pinned =
  (reach: Reach): LookupFunction =>
  (host, { all }, done) => {
    reachable(host, reach).then(
      (found) => {
        const [{ address, family } = { address: "", family: 0 }] = found
        if (all) done(null, [...found])
        else done(null, address, family)
      },
      (error: NodeJS.ErrnoException) => done(error, "", 0),
    )
  }

/**
 * Whether webhooks may not be sent to a URL. A host name that does not resolve now is allowed, as it may resolve later.
 */
export async function isForbidden(url: URL, reach: Reach): Promise<boolean> {
  try {
    await reachable(hostOf(url), reach)
    return false
  } catch (error) {
    return error instanceof ForbiddenAddress
  }
}

/**
 * Checks a URL with a literal IP address, for which connections call no lookup function. @throws ForbiddenAddress if it
 * is not permitted
 */
export function mustReachLiteral(url: URL, { networks }: Reach): void {
  const host = hostOf(url)
  if (ipaddr.isValid(host) && !mayReach(host, networks)) throw new ForbiddenAddress(`${host} is not a public address.`)
}
