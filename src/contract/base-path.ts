/** The path below which the service is served. */

/** Paths by base URL. An instance has one base URL; tests have several. */
const known = new Map<string, string>()

/** The path of the base URL: empty, or with a leading slash and no trailing one. Called on every request. */
export function basePathOf({ baseUrl }: { readonly baseUrl: string }): string {
  let path = known.get(baseUrl)
  if (path === undefined) known.set(baseUrl, (path = new URL(baseUrl).pathname.replace(/\/$/, "")))
  return path
}

/** The endpoint for the Model Context Protocol (streamable HTTP), below the base path. */
export const mcpPath = "/mcp"
