/** Finds the client's address: the peer of the connection, or the address that a trusted proxy reports. */
import type { IncomingMessage } from "node:http"
import { isIP } from "node:net"
import ipaddr from "ipaddr.js"

const plain = (address: string): string =>
  address.startsWith("::ffff:") && isIP(address.slice(7)) === 4 ? address.slice(7) : address

/** The last entry of `X-Forwarded-For`, without its port; undefined if it is not an address. */
function forwarded(header: string): string | undefined {
  const last = header.slice(header.lastIndexOf(",") + 1).trim()
  const address = /^\[([0-9a-fA-F:.]+)\](?::[0-9]+)?$/.exec(last)?.[1] ?? /^([0-9.]+):[0-9]+$/.exec(last)?.[1] ?? last
  return isIP(address) === 0 ? undefined : plain(address)
}

/** @param trustProxy whether to believe the last entry of `X-Forwarded-For`; clients can forge the others */
export function addressOf(
  { socket, headers }: Pick<IncomingMessage, "socket" | "headers">,
  trustProxy: boolean,
): string {
  const named = trustProxy ? headers["x-forwarded-for"] : undefined
  const address = named === undefined ? undefined : forwarded(Array.isArray(named) ? named.join(",") : named)
  return address ?? plain(socket.remoteAddress ?? "unknown")
}

export const isLoopback = (address: string): boolean => address.startsWith("127.") || address === "::1"

/**
 * The first four groups of an IPv6 address. A provider gives a customer that prefix, and the customer chooses the rest.
 */
function network(address: string): string {
  const groups = ipaddr.IPv6.parse(address.split("%", 1)[0] ?? "").parts.slice(0, 4)
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`
}

/**
 * The key for limits: an IPv4 address, or an IPv6 /64 network, whose owner has more addresses than could be counted.
 */
export const countedAs = (address: string): string =>
  isIP(address) === 6 && address !== "::1" ? network(address) : address

/** The key for what a caller gets one of at a time: who it is known to be, or else its address. */
export const callerKey = (caller: {
  readonly address: string
  readonly credentialId: string | null
  readonly keyId: string | null
  readonly userId: string | null
}): string => caller.credentialId ?? caller.keyId ?? caller.userId ?? countedAs(caller.address)

/** The key for connection and feed limits; null for loopback, where a proxy may connect for all clients. */
export const sharedBy = (address: string): string | null => (isLoopback(address) ? null : countedAs(address))
