/** Where a request comes from: the peer of its connection or, where a proxy is trusted, whom the proxy names. */
import type { IncomingMessage } from "node:http"
import { isIP } from "node:net"

/** An address as IPv4 where it is one in IPv6's clothes. */
const plain = (address: string): string => (address.startsWith("::ffff:") && isIP(address.slice(7)) === 4 ? address.slice(7) : address)

/** What a proxy added last to `X-Forwarded-For`, without a port; undefined when that is no address. */
function forwarded(header: string): string | undefined {
  const last = header.slice(header.lastIndexOf(",") + 1).trim()
  const address = /^\[([0-9a-fA-F:.]+)\](?::[0-9]+)?$/.exec(last)?.[1] ?? /^([0-9.]+):[0-9]+$/.exec(last)?.[1] ?? last
  return isIP(address) === 0 ? undefined : plain(address)
}

/** @param trustProxy whether the last entry of `X-Forwarded-For` is believed; anybody can write the others */
export function addressOf({ socket, headers }: Pick<IncomingMessage, "socket" | "headers">, trustProxy: boolean): string {
  const named = trustProxy ? headers["x-forwarded-for"] : undefined
  const address = named === undefined ? undefined : forwarded(Array.isArray(named) ? named.join(",") : named)
  return address ?? plain(socket.remoteAddress ?? "unknown")
}

export const isLoopback = (address: string): boolean => address.startsWith("127.") || address === "::1"

/** The first four groups of an IPv6 address: what one customer is given, and may write the rest of as they like. */
function network(address: string): string {
  const [left = "", right] = (address.split("%")[0] ?? "").toLowerCase().split("::")
  const groups = (text: string) => (text === "" ? [] : text.split(":"))
  // A last part in dots stands for two groups.
  const length = (parts: readonly string[]) => parts.length + (parts.at(-1)?.includes(".") ? 1 : 0)
  const tail = right === undefined ? [] : groups(right)
  const zeros = right === undefined ? 0 : 8 - length(groups(left)) - length(tail)
  const whole = [...groups(left), ...Array<string>(Math.max(0, zeros)).fill("0"), ...tail]
  return `${whole
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`
}

/** What limits count by: an IPv4 address, or a network of 64 bits, whose owner has more addresses than could be counted. */
export const countedAs = (address: string): string => (isIP(address) === 6 && address !== "::1" ? network(address) : address)

/** Whose share a connection or feed is taken from; null on the machine itself, where a proxy may speak for everybody. */
export const sharedBy = (address: string): string | null => (isLoopback(address) ? null : countedAs(address))
