/**
 * The routes of pictures: agents and signed-in people upload them, and everybody reads those that something public
 * names.
 */
import type { H3Event } from "h3"
import { limits } from "../contract/limits.ts"
import { pathOfFigure, readFigure, uploadFigure } from "../contract/definitions/figures.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { asset, json, tagOf, versioned } from "../edge/answers/answer.ts"
import type { Edge } from "../edge/edge.ts"
import { agentCaller, pageCaller } from "../edge/identity/callers.ts"
import { readBytes } from "../edge/limits/body.ts"
import { pathParams } from "../edge/paths.ts"
import { keepFigure } from "../edge/requests/writes.ts"
import type { Routes } from "../edge/requests/routes.ts"

/** Stores an uploaded picture. The same picture sent again gets the same answer. */
async function keep(edge: Edge, actor: Actor, event: H3Event) {
  const { name, permission } = uploadFigure
  if (actor.grant !== null && !actor.grant.permissions.has(permission))
    throw new Refusal("permission_missing", `${name} needs ${permission}; this credential lacks it.`, {
      current: { needed: [permission], missing: [permission] },
    })
  return json(
    versioned(
      await keepFigure(edge, actor, await readBytes(event, limits.figureBytes), event.req.headers.get("content-type")),
    ),
  )
}

export function figureRoutes(edge: Edge, routes: Routes): void {
  const { method, path, browserPath } = uploadFigure
  routes.add(method, path, (event) => keep(edge, agentCaller(edge, "research", event), event))
  routes.add(method, browserPath, (event) => keep(edge, pageCaller(edge, event), event))
  routes.add(
    readFigure.method,
    readFigure.path,
    (event) => {
      const { digest = "" } = pathParams(event)
      const found = edge.instance.tables.figures.served(digest)
      if (found === undefined) throw new Refusal("unknown_figure", "There is no public picture with this digest.")
      return asset(new Uint8Array(found.bytes), found.mediaType, tagOf(pathOfFigure(digest)))
    },
    "everywhere",
  )
}
