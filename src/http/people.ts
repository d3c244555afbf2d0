/** The routes by which people come in, as JSON: set-up, sign-in and out, invitations. */
import { actions } from "../contract/actions.ts"
import { acting } from "../edge/actions.ts"
import { json, versioned } from "../edge/answer.ts"
import { hasBody, readJsonBody } from "../edge/body.ts"
import type { Edge } from "../edge/edge.ts"
import type { Routes } from "../edge/routes.ts"

/** Adds every action of the registry. */
export function peopleRoutes(edge: Edge, routes: Routes): void {
  for (const { method, path, name } of actions) {
    routes.add(method, path, async (event) => {
      const act = acting(edge, event, name)
      const { answer, headers } = await act(method === "DELETE" && !hasBody(event) ? {} : await readJsonBody(event))
      return json(versioned(answer), 200, headers)
    })
  }
}
