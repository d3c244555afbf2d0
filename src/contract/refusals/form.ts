/** The refusals for malformed requests, and for requests that the service cannot accept now. */
import { limits } from "../limits.ts"
import type { RefusalSpecOf } from "./spec.ts"
import { inDigits } from "../text.ts"

export const refusalsOfForm = {
  request_too_large: {
    status: [413],
    when: ["body"],
    meaning: `The request body is over ${inDigits(limits.requestBodyBytes)} bytes; it was not read to the end.`,
    remedy: "Send less; put large outputs where they can be fetched, and cite them by digest.",
  },
  content_too_large: {
    status: [413],
    when: ["delivery"],
    library: "request_too_large",
    meaning: `The accepted content would be over ${inDigits(limits.contentBytes)} bytes of canonical JSON.`,
    remedy: "Shorten it, or split it into several contributions.",
  },
  not_json: {
    status: [415],
    when: ["body"],
    meaning: "The Content-Type is not application/json, or the body has a Content-Encoding.",
    remedy: "Send Content-Type: application/json, in UTF-8 and uncompressed.",
  },
  wrong_host: {
    status: [421],
    when: ["any"],
    meaning: "The Host header names neither a loopback name nor the configured base URL.",
    remedy: "Use the base URL; the operator sets it when the service starts.",
  },
  invalid_schema: {
    status: [422],
    when: ["body"],
    library: "invalid_request",
    meaning: "The body breaks its schema; issues lists every violation by path.",
    remedy: "Correct every path that issues names; the id may stay, because nothing was stored.",
  },
  invalid_parameter: {
    status: [422],
    when: ["query"],
    library: "invalid_request",
    meaning: "A query parameter or cursor is unknown or malformed; issues names it.",
    remedy: "Correct the parameter that issues names; restart the list if its cursor is refused.",
  },
  past_too_large: {
    status: [422],
    meaning:
      "To answer as of that entry, the service would have to replay more writes, of the Room and of the Rooms it " +
      "cites, than its limits allow.",
    remedy: "Leave at out, or give an earlier entry; the activity feed shows what was written when.",
  },
  unknown_reference: {
    status: [422],
    when: ["reference"],
    library: "invalid_request",
    meaning: "The body refers to an exact object that does not exist here; issues names the path.",
    remedy: "Look up the right id, or publish the object first.",
  },
  repository_unavailable: {
    status: [422, 503],
    retryable: true,
    meaning:
      "422: the repository is not public or the full commit does not resolve. 503: it could not be checked now; " +
      "retryAfter says when to try again.",
    remedy:
      "On 422, publish the repository or correct the commit; on 503, wait retryAfter seconds and send the same " +
      "request.",
  },
  malformed_request: {
    status: [400, 417, 431],
    when: ["http"],
    meaning:
      "The request cannot be read as HTTP: 400 malformed, 417 an expectation that cannot be met, 431 the address " +
      "or headers are too long.",
    remedy:
      "Send well-formed HTTP/1.1 with one Host and a short address; the program that sent the request is at fault.",
  },
  request_timeout: {
    status: [408],
    retryable: true,
    when: ["http"],
    meaning: "The whole request did not arrive in time; none of it was processed.",
    remedy: "Send the same request again, without pauses.",
  },
  too_many_requests: {
    status: [429],
    retryable: true,
    when: ["any"],
    meaning:
      "Too many attempts or requests, from one address or by one caller (see limits); " +
      "retryAfter says when the next one is accepted.",
    remedy: "Wait retryAfter seconds, then send the same request again.",
  },
  temporarily_unavailable: {
    status: [503],
    retryable: true,
    when: ["any"],
    meaning:
      "The service could not finish; with committed null, delivery is uncertain: " +
      "keep the id and the body and send them again.",
    remedy: "Wait retryAfter seconds, then send the same id, body and credential again.",
  },
} as const satisfies Record<string, RefusalSpecOf>
