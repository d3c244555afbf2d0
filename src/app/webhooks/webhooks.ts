/** Delivers to all webhooks of a service, each independently. */
import { publicAddresses } from "../../rooms/webhook-addresses.ts"
import { Tasks } from "../serving/tasks.ts"
import { Sending, type SendingParts, type SendingSettings } from "./sending.ts"

export const standardSending: SendingSettings = { ...publicAddresses, pauses: [2_000, 3_600_000] }

/** Starts to deliver. Owners may add webhooks, turn them off, and ask for a delivery again. */
export const deliveringWebhooks = (parts: Omit<SendingParts, "webhookId" | "signal">) =>
  new Tasks<number | null, Sending>({
    list: () => new Map(parts.instance.tables.webhooks.on().map(({ webhookId, resend }) => [webhookId, resend])),
    make: (webhookId, _resend, signal) => new Sending({ ...parts, webhookId, signal }),
    goesOn(sending, resend) {
      if (resend !== null) sending.wake()
      return true
    },
    onFault: (err) => parts.log.warn({ err }, "the list of webhooks could not be read"),
  })
