/** Cookies that this service sets. */
import type { Edge } from "../edge.ts"

/** Sent back to this service alone where several share a host; `Secure` where it is reached over https. @param maxAge in seconds; 0 takes it away */
export function cookieOf({ baseUrl }: Pick<Edge, "baseUrl">, name: string, value: string, maxAge: number): { "set-cookie": string } {
  const { protocol, pathname } = new URL(baseUrl)
  const secure = protocol === "https:" ? "; Secure" : ""
  const path = pathname.replace(/(?<=.)\/$/, "")
  return { "set-cookie": `${name}=${value}; Max-Age=${maxAge}; Path=${path}; HttpOnly; SameSite=Lax${secure}` }
}
