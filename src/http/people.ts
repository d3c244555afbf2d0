/** The JSON routes for sign-in: set-up, sign-in and out, invitations. */
import { actions } from "../contract/operations/actions.ts"
import { prepareAction } from "../edge/requests/actions.ts"
import { json, versioned } from "../edge/answers/answer.ts"
import { hasBody, readJsonBody } from "../edge/limits/body.ts"
import type { Edge } from "../edge/edge.ts"
import type { Routes } from "../edge/requests/routes.ts"

/** Adds the actions of the registry. */
export function peopleRoutes(edge: Edge, routes: Routes): void {
  for (const { method, path, name } of actions) {
    routes.add(method, path, async (event) => {
      const act = prepareAction(edge, event, name)
      const { answer, headers } = await act(method === "DELETE" && !hasBody(event) ? {} : await readJsonBody(event))
      return json(versioned(answer), 200, headers)
    })
  }
}
