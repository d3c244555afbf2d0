/**
 * What the compiler checks: the lines marked as errors must be errors, or the type check fails. Nothing here is run.
 */
import { type ItemOf, type ReceiptOf, type ResearchRoomClient, type WriteInput, textOf } from "research-room/client"
import type { Browser } from "research-room/testing"
import t from "tap"

const id = "0198f3a0-5b1e-7c44-9d8e-2f6a1b3c4d5e"

export async function writes(client: ResearchRoomClient, browser: Browser): Promise<void> {
  const receipt = await client.write("post_message", { threadId: id, text: "typed" })
  const messageId: string = receipt.result.messageId
  const operation: "post_message" = receipt.operation
  // @ts-expect-error: a message has no title
  receipt.result.title
  // @ts-expect-error: the id of the path is required
  await client.write("post_message", { text: "where?" })
  // @ts-expect-error: so are the body's required fields
  await client.write("post_message", { threadId: id })
  // @ts-expect-error: unknown properties are refused
  await client.write("post_message", { threadId: id, text: "typed", colour: "red" })
  // @ts-expect-error: agents have no operations of the browser
  await client.write("create_room", { title: "typed" })
  // @ts-expect-error: no such operation
  await client.write("publish_opinion", {})
  const { result } = await browser.write("create_room", { title: "typed" })
  await browser.write("archive_room", { roomId: result.roomId, reason: messageId + operation })
}

export async function reads(client: ResearchRoomClient, browser: Browser): Promise<void> {
  const rooms = await client.read("rooms")
  // @ts-expect-error: a text that people wrote may have been withheld
  const untold: string | undefined = rooms.items[0]?.title
  const title: string | undefined = textOf(rooms.items[0]?.title)
  await client.read("room", { roomId: id })
  // @ts-expect-error: the id of the path is required
  await client.read("room")
  // @ts-expect-error: a limit is a number
  await client.read("rooms", { limit: "5" })
  // @ts-expect-error: one Room is not a list
  client.pages("room", { roomId: id })
  // @ts-expect-error: members are shown to signed-in people only
  await client.read("members", { roomId: id })
  // @ts-expect-error: only a credential has an identity
  await browser.read("identity")
  for await (const { label, versionId } of client.items("hypotheses", { roomId: id }))
    await client.read("record", { versionId: versionId + label + title + untold })
}

/** Constants may be passed as they are. */
export const constant = {
  kind: "hypothesis",
  premises: [],
  references: [{ versionId: id, purpose: "extends", explanation: "typed" }],
} as const satisfies Partial<WriteInput<"publish_hypothesis">>
export const entry = ({ message }: ItemOf<"thread_timeline">): string | undefined =>
  typeof message?.text === "object" ? message.text.withheld.by.username : message?.text
export const label = ({ result }: ReceiptOf<"publish_hypothesis">): string => result.label

t.pass("the type check holds the lines above")
