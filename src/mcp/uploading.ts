/** Uploads a picture, given in base64 or as a file on the agent's machine. The service checks that it is one. */
import * as v from "valibot"
import { figureTypes, isFigureType, uploadFigure } from "../contract/definitions/attachments.ts"
import { limits } from "../contract/limits.ts"
import { object, type Call, type Tool } from "./tool.ts"
import { type ToolAnswer, toolAnswer, toolError } from "./tool-answer.ts"

const { name, method, path: route, summary } = uploadFigure

const toolCall = v.object({ method: v.literal("tools/call"), params: v.object({ name: v.literal(name) }) })
/** Whether a message uploads a picture. */
export const isUpload = (message: unknown): boolean => v.is(toolCall, message)

async function upload({ door, input, signal }: Call): Promise<ToolAnswer> {
  const { data, mediaType, path } = input
  const send = async (body: Uint8Array<ArrayBuffer>, type: string) =>
    toolAnswer(await door.ask({ method, path: route, body, mediaType: type, asBearer: true }, signal), {
      bytes: limits.toolAnswerBytes,
      rest: "",
    })
  if (typeof data === "string" && typeof mediaType === "string")
    // A data URI has the same bytes after its comma.
    return send(
      new Uint8Array(Buffer.from(data.slice(data.indexOf(",") + 1), "base64")),
      isFigureType(mediaType) ? mediaType : "",
    )
  if (typeof path !== "string" || door.picture === undefined)
    return toolError(`Give data (base64) and mediaType${door.picture === undefined ? "" : ", or the path of a file"}.`)
  try {
    const picture = await door.picture(path)
    return await send(picture.bytes, picture.mediaType)
  } catch (error) {
    if (error instanceof TypeError) return toolError(`${error.message}. Nothing was sent.`)
    throw error
  }
}

const base64 = { data: { type: "string", contentEncoding: "base64" }, mediaType: { enum: Object.keys(figureTypes) } }

const uploadTool = (needsFiles: boolean): Tool => ({
  name,
  description: summary,
  inputSchema: needsFiles ? object({ path: { type: "string" }, ...base64 }) : object(base64, ["data", "mediaType"]),
  isRead: false,
  for: ["credential"],
  needsFiles,
  call: upload,
})

export const uploads: readonly Tool[] = [uploadTool(false), uploadTool(true)]
