/** Which addresses webhooks may be sent to: public ones, and networks that the operator names. */
import { lookup } from "node:dns/promises"
import type { LookupFunction } from "node:net"
import ipaddr from "ipaddr.js"

/** A network as its address and the bits that count. */
export type Network = ReturnType<typeof ipaddr.parseCIDR>

/** The networks of a list such as `10.0.0.0/8,fd00::/8`. @throws Error for what is none */
export const networksIn = (text: string): Network[] => text.split(",").map((each) => ipaddr.parseCIDR(each.trim()))

/** Whether a webhook may be sent to an IP address. An IPv4 address within an IPv6 one counts as what it is. */
export function mayReach(address: string, networks: readonly Network[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const known = ipaddr.process(address)
  return known.range() === "unicast" || networks.some((network) => network[0].kind() === known.kind() && known.match(network))
}

/** A host that has no address which a webhook may be sent to. */
export class ForbiddenAddress extends Error {
  override readonly name = "ForbiddenAddress"
}

/** Looks a host's addresses up. @throws Error where it has none */
export type Resolve = (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>

/** What webhooks may be sent to beside public addresses, and how names are looked up. */
export interface Reach {
  readonly networks: readonly Network[]
  readonly resolve: Resolve
}
export const publicAddresses: Reach = { networks: [], resolve: (host) => lookup(host, { all: true }) }

/** The host of an address: of an IPv6 one, without brackets. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "")

/** The addresses of a host that may be reached. @throws ForbiddenAddress where it has others only, Error where it has none */
async function reachable(host: string, { networks, resolve }: Reach) {
  const all = ipaddr.isValid(host) ? [{ address: host, family: host.includes(":") ? 6 : 4 }] : await resolve(host)
  const open = all.filter(({ address }) => mayReach(address, networks))
  if (open.length === 0) throw new ForbiddenAddress(`${host} is not a public address.`)
  return open
}

/** What connects to the addresses that were looked at, and to no others that a name may have a moment later. */
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

/** Whether an address of a webhook leads to no place that may be reached; one whose name is not known now may be known later. */
export async function isForbidden(url: URL, reach: Reach): Promise<boolean> {
  try {
    await reachable(hostOf(url), reach)
    return false
  } catch (error) {
    return error instanceof ForbiddenAddress
  }
}

/** @throws ForbiddenAddress for a literal address that may not be reached: nothing is looked up for it */
export function mustReachLiteral(url: URL, { networks }: Reach): void {
  const host = hostOf(url)
  if (ipaddr.isValid(host) && !mayReach(host, networks)) throw new ForbiddenAddress(`${host} is not a public address.`)
}
