/**
 * The routes of pictures and logs: agents and signed-in people upload them, and everybody reads the pictures that
 * something public names. Logs are read by the reads of attempts.
 */
import type { H3Event } from "h3"
import { limits } from "../contract/limits.ts"
import { pathOfFigure, readFigure, uploadFigure } from "../contract/definitions/figures.ts"
import { uploadLog } from "../contract/definitions/logs.ts"
import { takeLog } from "../figures/log.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { asset, json, tagOf, versioned } from "../edge/answers/answer.ts"
import type { Edge } from "../edge/edge.ts"
import { agentCaller, pageCaller } from "../edge/identity/callers.ts"
import { mustBePlain, readBytes } from "../edge/limits/body.ts"
import { receiveLog } from "../edge/limits/receiving.ts"
import { pathParams } from "../edge/paths.ts"
import { keepFigure, keepLog } from "../edge/requests/writes.ts"
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

/** Stores an uploaded log. The same text sent again gets the same answer. */
async function keepText(edge: Edge, actor: Actor, event: H3Event) {
  const { name, permissions, mediaType } = uploadLog
  const { grant } = actor
  if (grant !== null && !permissions.some((each) => grant.permissions.has(each)))
    throw new Refusal("permission_missing", `${name} needs ${permissions.join(" or ")}; this credential lacks both.`, {
      current: { needed: [...permissions], missing: [...permissions] },
    })
  mustBePlain(event)
  const [type = "", ...more] = (event.req.headers.get("content-type") ?? "").toLowerCase().split(";")
  const charset = more.map((each) => each.trim()).find((each) => each.startsWith("charset="))
  if (type.trim() !== mediaType || (charset !== undefined && !/^charset="?utf-8"?$/.test(charset)))
    throw new Refusal("invalid_schema", `Send the log as Content-Type: ${mediaType}, in UTF-8. Nothing was stored.`, {
      issues: [{ path: "", message: `must be sent as ${mediaType} in UTF-8` }],
    })
  return json(versioned(await keepLog(edge, actor, await receiveLog(event, takeLog))))
}

export function figureRoutes(edge: Edge, routes: Routes): void {
  const { method, path, browserPath } = uploadFigure
  routes.add(method, path, (event) => keep(edge, agentCaller(edge, "research", event), event))
  routes.add(method, browserPath, (event) => keep(edge, pageCaller(edge, event), event))
  routes.add(uploadLog.method, uploadLog.path, (event) => keepText(edge, agentCaller(edge, "research", event), event))
  routes.add(uploadLog.method, uploadLog.browserPath, (event) => keepText(edge, pageCaller(edge, event), event))
  routes.add(
    readFigure.method,
    readFigure.path,
    (event) => {
      const { digest = "" } = pathParams(event)
      const found = edge.instance.tables.attachments.served(digest)
      if (found === undefined) throw new Refusal("unknown_figure", "There is no public picture with this digest.")
      return asset(new Uint8Array(found.bytes), found.mediaType, tagOf(pathOfFigure(digest)))
    },
    "everywhere",
  )
}
