/**
 * The routes of pictures and logs: agents and signed-in people upload them, and everybody reads the pictures that
 * something public names. Logs are read by the reads of attempts.
 */
import type { H3Event } from "h3"
import { limits } from "../contract/limits.ts"
import { pathOfFigure, readFigure, uploadFigure } from "../contract/definitions/attachments.ts"
import { uploadLog } from "../contract/definitions/attachments.ts"
import { keepFigure } from "../attachments/image.ts"
import { keepLog, takeLog } from "../attachments/log.ts"
import { Refusal } from "../contract/refusals.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { asset, FOR_A_DAY, json, tagOf, versioned } from "../edge/answers/answer.ts"
import { type Edge, pathParams } from "../edge/edge.ts"
import { agentCaller, mustStillBeBearer, mustStillBeSignedIn, pageCaller } from "../edge/identity/callers.ts"
import { mustBePlain, readBytes, receiveLog } from "../edge/limits/body.ts"
import type { Routes } from "../edge/requests/routes.ts"
import { maskingTokens } from "../people/tokens.ts"

/** Who uploads, and whether they still may once all has arrived. */
interface Uploader {
  readonly actor: Actor
  /** @throws Refusal `not_authenticated` */
  mustStillBe(): void
}

const agentOf = (edge: Edge, event: H3Event): Uploader => ({
  actor: agentCaller(edge, "research", event),
  mustStillBe: () => mustStillBeBearer(edge, "research", event),
})
const personOf = (edge: Edge, event: H3Event): Uploader => ({
  actor: pageCaller(edge, event),
  mustStillBe: () => mustStillBeSignedIn(edge, event),
})

/** Stores an uploaded picture. The same picture sent again gets the same answer. */
async function keep(edge: Edge, { actor, mustStillBe }: Uploader, event: H3Event) {
  const { name, permission } = uploadFigure
  if (actor.grant !== null && !actor.grant.permissions.has(permission))
    throw new Refusal("permission_missing", `${name} needs ${permission}; this credential lacks it.`, {
      current: { needed: [permission], missing: [permission] },
    })
  const bytes = await readBytes(event, limits.figureBytes)
  return json(
    versioned(await keepFigure(edge.instance, actor, bytes, event.req.headers.get("content-type"), mustStillBe)),
  )
}

/**
 * Stores an uploaded log. The same text sent again gets the same answer. A program that prints its environment prints
 * the credential that it was sent with: tokens are masked before anything is stored.
 */
async function keepText(edge: Edge, { actor, mustStillBe }: Uploader, event: H3Event) {
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
  let masked = 0
  // It has its place among the uploads until it is stored: until then its bytes are in memory.
  const kept = await receiveLog(event, async (chunks) => {
    const log = await takeLog(maskingTokens(chunks, () => (masked += 1)))
    return keepLog(edge.instance, actor, log, mustStillBe)
  })
  return json(versioned(masked === 0 ? kept : { ...kept, masked }))
}

export function attachmentRoutes(edge: Edge, routes: Routes): void {
  const { method, path, browserPath } = uploadFigure
  routes.add(method, path, (event) => keep(edge, agentOf(edge, event), event))
  routes.add(method, browserPath, (event) => keep(edge, personOf(edge, event), event))
  routes.add(uploadLog.method, uploadLog.path, (event) => keepText(edge, agentOf(edge, event), event))
  routes.add(uploadLog.method, uploadLog.browserPath, (event) => keepText(edge, personOf(edge, event), event))
  routes.add(
    readFigure.method,
    readFigure.path,
    (event) => {
      const { digest = "" } = pathParams(event)
      const found = edge.instance.tables.attachments.served(digest)
      if (found === undefined) throw new Refusal("unknown_figure", "There is no public picture with this digest.")
      // Its content never changes, but it can be withheld.
      return asset(new Uint8Array(found.bytes), found.mediaType, tagOf(pathOfFigure(digest)), FOR_A_DAY)
    },
    "everywhere",
  )
}
