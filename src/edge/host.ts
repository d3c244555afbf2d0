/** Checks the Host header, so that a page on another site cannot reach a local instance under a host name of its own. */
import { Refusal } from "../contract/refusals/refusal.ts"

const LOOPBACK = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]{1,5})?$/i

/** @throws Refusal `wrong_host` unless `host` is a loopback name or the base URL's own */
export function mustBeOwnHost(host: string | null, baseUrl: string): void {
  // A port over 65535 is not a valid address.
  if (host !== null && ((LOOPBACK.test(host) && URL.canParse(`http://${host}`)) || host.toLowerCase() === new URL(baseUrl).host)) return
  throw new Refusal(
    "wrong_host",
    `This service does not answer as ${host ?? "an unnamed host"}. If people reach it under that name, start it with --base-url set to the address they use (now ${baseUrl}).`,
  )
}
