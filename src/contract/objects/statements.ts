/** Statements about other objects. Their authors can withdraw them. */
import { byEntry, inRoom } from "./common.ts"
import type { ObjectSpec } from "./spec.ts"

export const statements = {
  finding_link: {
    ...inRoom,
    id: "linkId",
    noun: ["finding link", "finding links"],
    page: "/links",
    read: "link",
    table: "finding_links",
    key: "link_id",
    of: { experiment: "experiment_id" },
    line: "toward_question ->> '$.verdict'",
    madeAt: byEntry,
    parts: ["finding_verdicts", "link_withdrawals"],
    unknown: "unknown_link",
    graph: {
      listed: { by: "room_activity", kinds: "link_experiment_finding" },
      edges: [
        { to: "record", says: "relates", by: "version_id" },
        { to: "experiment", says: { sql: "x.toward_question ->> '$.verdict'" }, by: "experiment_id" },
        { to: "attempt", says: "evidence", by: "attempt_id", within: "experiment_id" },
        { to: "record", says: { sql: "x.verdict" }, table: "finding_verdicts", by: "version_id" },
      ],
    },
  },
  link: {
    ...inRoom,
    id: "linkId",
    noun: ["link", "links"],
    label: "L",
    meaning: "A later statement about a record: that it is corrected, replaced, retracted or disputed.",
    page: "/links",
    read: "link",
    table: "research_links",
    key: "link_id",
    line: "explanation",
    parts: ["link_withdrawals"],
    unknown: "unknown_link",
    exported: "made",
    graph: {
      listed: { by: "room_links" },
      edges: [
        { to: "record", says: { sql: "x.kind" }, by: "target_version_id" },
        { to: "record", says: "evidence", by: { list: "$.evidence" } },
        { to: "record", says: "replaced_by", by: "replacement_version_id" },
      ],
    },
  },
  /** The verdict of a person who checked a finding, a checkpoint or a plan. */
  review: {
    ...inRoom,
    id: "linkId",
    noun: ["review", "reviews"],
    page: "/links",
    read: "link",
    table: "reviews",
    key: "link_id",
    line: "replace(verdict, '_', ' ')",
    moves: ["is_open"],
    parts: ["link_withdrawals"],
    unknown: "unknown_link",
    isSearched: false,
  },
} as const satisfies Readonly<Record<string, ObjectSpec>>
