/** Changes that can be made to the data behind the ledger's back, and what `check` must report for each. */

export interface Tampering {
  readonly what: string
  readonly sql: readonly string[]
  readonly told: RegExp
}

/** The reports for rows that differ from the replay: a row with other columns, a missing row, an extra row. */
export const changed = (table: string, ...columns: string[]): RegExp =>
  new RegExp(`^${table} \\(.*\\): ${columns.join(", ")} differs? from a replay of the journal\\.$`, "m")
export const gone = (table: string): RegExp =>
  new RegExp(`^${table} \\(.*\\) is missing, but a replay of the journal makes it\\.$`, "m")
export const slippedIn = (table: string): RegExp =>
  new RegExp(`^${table} \\(.*\\) is in the data, but a replay of the journal does not make it\\.$`, "m")

/** Tampering with the feed, the timeline and contents stored whole, in the demo's main Room. */
export const tamperingWithRecords = (roomId: string, threadId: string): readonly Tampering[] => {
  const room = `(SELECT place FROM places WHERE id = '${roomId}')`
  const entry = (sequence: number | string) => `room = ${room} AND room_sequence = ${sequence}`
  const thread = `(SELECT place FROM places WHERE id = '${threadId}')`
  const away = "room = NULL, room_sequence = NULL, activity_digest = NULL"
  return [
    {
      what: "an activity entry is rewritten",
      sql: [
        `UPDATE journal SET label = 'M7' WHERE ${entry(2)}`,
        `UPDATE journal SET writer = (SELECT max(writer) FROM writers) WHERE ${entry(3)}`,
      ],
      told: /^The chain of digests of the activity of Room [0-9a-f-]+ is broken at entry [23]\.$/m,
    },
    {
      what: "an activity entry is of an operation that does not exist",
      sql: [`UPDATE journal SET operation = 'burn_room' WHERE ${entry(3)}`],
      told: /burn_room is unknown to this program/,
    },
    {
      what: "an activity entry is removed",
      sql: [`UPDATE journal SET ${away} WHERE ${entry(5)}`],
      told: /is broken at entry 5\./,
    },
    {
      what: "the last activity entry is removed",
      sql: [
        `UPDATE journal
          SET ${away}
          WHERE ${entry(`(SELECT activity_sequence FROM room_heads WHERE room_id = '${roomId}')`)}`,
      ],
      told: /ends at entry \d+; its head says \d+\./,
    },
    {
      what: "two activity entries change places",
      sql: [
        `UPDATE journal SET room_sequence = 9999 WHERE ${entry(3)}`,
        `UPDATE journal SET room_sequence = 3 WHERE ${entry(4)}`,
        `UPDATE journal SET room_sequence = 4 WHERE ${entry(9999)}`,
      ],
      told: /is broken at entry 3\./,
    },
    {
      what: "an activity entry names something that is not an id",
      sql: [`UPDATE journal SET target_id = 'gone"' WHERE ${entry(4)}`],
      told: /is broken at entry 4\./,
    },
    {
      what: "a record says something else",
      sql: [
        `UPDATE journal
          SET content = replace(content, 'raises', 'lowers')
          WHERE position IN (SELECT history_position FROM records WHERE label = 'H1')`,
      ],
      told: /The content of hypothesis H1 \([0-9a-f-]+\) is not what was accepted\./,
    },
    {
      what: "a record says something else, and its digest too",
      sql: [
        `UPDATE journal SET content = '{}' WHERE position = (SELECT history_position FROM records WHERE label = 'H1')`,
        `UPDATE records
          SET content_digest = 'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'
          WHERE label = 'H1'`,
      ],
      told: /The content of hypothesis H1 .* is not what was accepted\./,
    },
    {
      what: "a record is gone",
      sql: ["DELETE FROM records WHERE label = 'H2'"],
      told: gone("records"),
    },
    {
      what: "a record is inserted",
      sql: [
        `CREATE TEMP TABLE twin AS SELECT *
          FROM records
          LIMIT 1; UPDATE twin
          SET version_id = '01a1bd81-0dd0-7345-8bde-000000000000', label = 'H99'; INSERT INTO records
          SELECT *
          FROM twin`,
      ],
      told: slippedIn("records"),
    },
    {
      what: "a plan says something else",
      sql: [
        `UPDATE journal
          SET content = replace(content, 'Run each arm', 'Run no arm')
          WHERE position IN (SELECT history_position FROM plans WHERE label = 'P1')`,
      ],
      told: /The content of plan P1 .* is not what was accepted\./,
    },
    {
      what: "an attempt's registration says something else",
      sql: [
        `UPDATE journal
          SET content = replace(content, 'toy.js', 'other.js')
          WHERE position IN (SELECT history_position FROM attempts WHERE label = 'A1')`,
      ],
      told: /The content of attempt A1 .* is not what was accepted\./,
    },
    {
      what: "a message says something else",
      sql: [
        `UPDATE journal
          SET content = replace(content, 'papers', 'posters')
          WHERE position IN (SELECT history_position
            FROM timeline_entries
            WHERE thread = ${thread} AND kind = 'message' AND sequence = 1)`,
      ],
      told: /The content of message [0-9a-f-]+ is not what was accepted\./,
    },
    {
      what: "a timeline entry is removed",
      sql: [`DELETE FROM timeline_entries WHERE thread = ${thread} AND sequence = 2`],
      told: gone("timeline_entries"),
    },
    {
      what: "a Thread is removed",
      sql: [`DELETE FROM threads WHERE sequence = 2 AND room_id = '${roomId}'`],
      told: gone("threads"),
    },
  ]
}
