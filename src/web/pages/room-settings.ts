/** The settings of a Room, for its owner: title, question, licence, webhooks, and its archive. */
import { Refusal } from "../../contract/refusals.ts"
import { html, to, type Content, type Html } from "../html.ts"
import { act, roleIn } from "../parts/actions.ts"
import { empty, facts, heading, confirmButton, command, exactTime, table, time } from "../parts/parts.ts"
import { roomBanners, roomRail } from "../parts/room-frame.ts"
import { toSignIn, type Shown, type Visit } from "../visit.ts"
import type { Answer } from "../../edge/answers/answer.ts"
import type { ActionAnswer } from "../../contract/operations/actions.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { limits } from "../../contract/limits.ts"
import { field, refusedBox } from "./entrance.ts"
import { stateBadge } from "../parts/marks.ts"

export const settingsPath = (roomId: string): string => `/rooms/${roomId}/settings`

export function roomSettingsPage(visit: Visit): Shown | Answer {
  const roomId = visit.id("roomId")
  if (visit.person === undefined) return toSignIn(visit, settingsPath(roomId))
  const room = visit.ask("room", { roomId })
  if (roleIn(visit, room) !== "owner") throw new Refusal("role_required", "Only its owner can change a Room.")
  const { title, question, license } = room
  return {
    title: `Settings · ${title}`,
    rail: roomRail(room),
    isUnlisted: true,
    body: html`<h1>Settings</h1>${roomBanners(room)}
<section aria-labelledby="description">${heading(2, "description", "What it is")}${facts([
      ["Title", html`<span dir="auto">${title}</span>`],
      ["Question", question === null ? empty("No question yet.") : html`<span dir="auto">${question}</span>`],
      ["Licence", license ?? "not set"],
    ])}<div class="actions">${
      room.state === "active"
        ? act("amend_room", { roomId, title, question, license }, "Change title, question or licence")
        : act("restore_room", { roomId }, "Open it again")
    }</div></section>
<section aria-labelledby="webhooks">${heading(2, "webhooks", "Webhooks")}
<p>Send each new entry to a web address.</p>
<div class="actions"><a class="button quiet" href="${to(`/rooms/${roomId}/webhooks`)}">Webhooks</a></div></section>
${
  room.state === "active" &&
  html`<section aria-labelledby="archive">${heading(2, "archive", "Archive")}
<p>An archived Room can be read and cited, and takes nothing new.</p>
<div class="actions">${act("archive_room", { roomId }, "Archive the Room")}</div></section>`
}`,
  }
}

// The webhooks of a Room, for its owner: their state, their deliveries, and a form to add one.

type Webhook = AnswerOf<"webhooks">["items"][number]

export const webhooksAddress = (roomId: string): string => `/rooms/${roomId}/webhooks`

/** A button that changes a webhook. @param what the change, as the action names it */
const change = (
  roomId: string,
  webhookId: string,
  what: string,
  text: Content,
  sequence?: number,
  style = "quiet",
): Html =>
  html`<form class="inline" method="post" action="${to(`/web/webhooks/${webhookId}`)}">\
<input type="hidden" name="do" value="${what}"><input type="hidden" name="roomId" value="${roomId}">\
${sequence === undefined ? null : html`<input type="hidden" name="sequence" value="${sequence}">`}\
<button class="${style}">${text}</button></form>`

function deliveries(roomId: string, { webhookId, url, offBecause, delivered, deliveries }: Webhook): Html {
  if (deliveries.length === 0) return empty("There are no deliveries yet.")
  return table(
    `Deliveries to ${url}`,
    ["Entry", "When", "Outcome", "Took", html`<span class="aside">Actions</span>`],
    deliveries.map(
      ({ sequence, at, isDelivered, outcome, milliseconds }) =>
        html`<tr><th scope="row">${sequence}</th><td>${exactTime(at)}</td>\
<td>${stateBadge(isDelivered ? "completed" : "failed", isDelivered ? "delivered" : "failed")} ${outcome}</td>\
<td data-is="took">${milliseconds} ms</td>
<td>${
          offBecause === null && sequence <= delivered
            ? change(
                roomId,
                webhookId,
                "send_again",
                html`Send again<span class="aside"> entry ${sequence}</span>`,
                sequence,
              )
            : null
        }</td></tr>`,
    ),
    "stacked",
  )
}

function shown(roomId: string, webhook: Webhook): Html {
  const { webhookId, url, addedBy, addedAt, delivered, failingSince, offBecause } = webhook
  const state =
    offBecause !== null
      ? stateBadge("cancelled", "off")
      : failingSince === null
        ? stateBadge("completed", "on")
        : stateBadge("failed", "failing")
  return html`<section aria-labelledby="webhook-${webhookId}">${heading(2, `webhook-${webhookId}`, url, state)}
${offBecause === null ? null : html`<p>${offBecause}</p>`}\
${
  offBecause !== null || failingSince === null
    ? null
    : html`<p>Deliveries have failed since ${exactTime(failingSince)}. They are tried again for ${limits.webhookDays} \
days.</p>`
}
${facts([
  ["Added by", html`${addedBy.username}, ${time(addedAt)}`],
  ["Delivered through", `entry ${delivered}`],
])}
${deliveries(roomId, webhook)}
<div class="actions">${change(
    roomId,
    webhookId,
    offBecause === null ? "turn_off" : "turn_on",
    offBecause === null ? "Turn off" : "Turn on",
  )}${confirmButton(
    html`Remove<span class="aside"> ${url}</span>`,
    "Nothing more is delivered to it. Its secret and the list of its deliveries are deleted.",
    change(roomId, webhookId, "remove", "Remove webhook", undefined, "danger"),
  )}</div></section>`
}

function addForm(roomId: string, url: string, refusal?: Refusal): Html {
  const attributes = {
    type: "url",
    maxlength: 2_000,
    value: url,
    placeholder: "https://lab.example.org/hooks/research-room",
    autocomplete: "off",
  }
  return html`<section aria-labelledby="add">${heading(2, "add", "Add a webhook")}\
${refusal?.code !== "invalid_schema" && refusedBox(refusal)}\
<form class="stack" method="post" action="${to(`/web${webhooksAddress(roomId)}`)}">
${field("url", "Address", attributes, refusal)}
<div class="buttons"><button>Add webhook</button></div></form></section>`
}

/** The page. @param address the address in a refused form @param refusal why the form was refused */
export function webhooksPage(visit: Visit, address = "", refusal?: Refusal): Shown | Answer {
  const roomId = visit.id("roomId")
  if (visit.person === undefined) return toSignIn(visit, webhooksAddress(roomId))
  const room = visit.ask("room", { roomId })
  const { items } = visit.ask("webhooks", { roomId })
  return {
    title: `Webhooks · ${room.title}`,
    rail: roomRail(room),
    wide: true,
    ...(refusal !== undefined && { status: refusal.status }),
    body: html`<h1>Webhooks</h1>
${roomBanners(room)}<p>A webhook sends each new entry of this Room to an address: a POST with the entry's sequence, \
kind, label and address, without its text. Deliveries are in order and signed as \
<a href="https://www.standardwebhooks.com" rel="noopener">Standard Webhooks</a> specifies.</p>
${items.length === 0 ? empty("This Room has no webhooks.") : items.map((webhook) => shown(roomId, webhook))}
${addForm(roomId, address, refusal)}`,
  }
}

/** The page that shows the secret of a new webhook, once. */
export const webhookSecret =
  (roomId: string) =>
  ({ answer: { url, secret } }: { readonly answer: ActionAnswer<"add_webhook"> }) =>
  (): Shown => ({
    title: "Webhook",
    headers: { "referrer-policy": "no-referrer" },
    body: html`<h1 data-stored>Your webhook</h1>
<div class="banner warn" role="status"><strong>Shown once.</strong>\
<p>Give the secret to the program at ${url}. The program uses it to verify that a delivery comes from here.</p></div>
<section aria-labelledby="secret">${heading(2, "secret", "Secret")}${command(secret, "the secret")}</section>
<p><a href="${to(webhooksAddress(roomId))}">Back to the webhooks of the Room</a></p>`,
  })
