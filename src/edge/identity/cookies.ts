/** The cookies that this service sets. */
import type { Edge } from "../edge.ts"

/**
 * A cookie limited to this service's path, because several services may share a host; `Secure` behind https. @param
 * maxAge in seconds; 0 deletes the cookie
 */
export function cookieOf(
  { baseUrl }: Pick<Edge, "baseUrl">,
  name: string,
  value: string,
  maxAge: number,
): { "set-cookie": string } {
  const { protocol, pathname } = new URL(baseUrl)
  const secure = protocol === "https:" ? "; Secure" : ""
  const path = pathname.replace(/(?<=.)\/$/, "")
  return { "set-cookie": `${name}=${value}; Max-Age=${maxAge}; Path=${path}; HttpOnly; SameSite=Lax${secure}` }
}
