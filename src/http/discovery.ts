/** The routes by which a client finds out what the service offers. */
import type { Edge } from "./edge.ts"
import type { Routes } from "./routes.ts"

export function discoveryRoutes(_edge: Edge, _routes: Routes): void {}
