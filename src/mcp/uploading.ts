/**
 * Uploads a picture, given in base64 or as a file on the agent's machine, which the service checks to be one; or a log,
 * given as text.
 */
import * as v from "valibot"
import { figureTypes, isFigureType, uploadFigure, uploadLog } from "../contract/definitions/attachments.ts"
import { limits } from "../contract/limits.ts"
import { object, type Call, type Tool } from "./tool.ts"
import { type ToolAnswer, toolAnswer, toolError } from "./tool-answer.ts"

const { name, method, path: route, summary } = uploadFigure

const toolCall = v.object({ method: v.literal("tools/call"), params: v.object({ name: v.literal(name) }) })
/** Whether a message uploads a picture or a log. */
export const isUpload = (message: unknown): boolean => v.is(toolCall, message)

async function upload({ door, input, signal }: Call): Promise<ToolAnswer> {
  const { data, mediaType, path, log } = input
  const send = async (body: Uint8Array<ArrayBuffer>, type: string, to: string = route) =>
    toolAnswer(await door.ask({ method, path: to, body, mediaType: type, asBearer: true }, signal), {
      bytes: limits.toolAnswerBytes,
      rest: "",
    })
  if (typeof log === "string") return send(new TextEncoder().encode(log), uploadLog.mediaType, uploadLog.path)
  if (typeof data === "string" && typeof mediaType === "string")
    // A data URI has the same bytes after its comma.
    return send(
      new Uint8Array(Buffer.from(data.slice(data.indexOf(",") + 1), "base64")),
      isFigureType(mediaType) ? mediaType : "",
    )
  if (typeof path !== "string" || door.picture === undefined)
    return toolError(
      `Give data (base64) and mediaType${door.picture === undefined ? "" : ", the path of a file"}, or log (text).`,
    )
  try {
    const picture = await door.picture(path)
    return await send(picture.bytes, picture.mediaType)
  } catch (error) {
    if (error instanceof TypeError) return toolError(`${error.message}. Nothing was sent.`)
    throw error
  }
}

const given = {
  data: { type: "string", contentEncoding: "base64" },
  mediaType: { enum: Object.keys(figureTypes) },
  log: { type: "string" },
}

const uploadTool = (needsFiles: boolean): Tool => ({
  name,
  description: `${summary} Or give log, what a program printed, and name its digest in an attempt's event.`,
  inputSchema: object(needsFiles ? { path: { type: "string" }, ...given } : given),
  isRead: false,
  for: ["credential"],
  needsFiles,
  call: upload,
})

export const uploads: readonly Tool[] = [uploadTool(false), uploadTool(true)]
