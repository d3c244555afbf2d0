/** Below which path the service is reached. */

/** Of each base URL; an instance has one, and a test a few. */
const known = new Map<string, string>()

/** The path of the base URL: empty, or with a slash in front and none at the end. Asked with every request. */
export function basePathOf({ baseUrl }: { readonly baseUrl: string }): string {
  let path = known.get(baseUrl)
  if (path === undefined) known.set(baseUrl, (path = new URL(baseUrl).pathname.replace(/\/$/, "")))
  return path
}

/** Where agents that speak the Model Context Protocol connect, by its streamable HTTP; below the base path. */
export const mcpPath = "/mcp"
