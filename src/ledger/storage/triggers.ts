/**
 * The triggers that protect accepted writes, seal and count rows, and note new objects for search, made from the list
 * of objects and from the tables that no write makes.
 */
import { aOrAn, objectList } from "../../contract/objects/objects.ts"
import { countedTables, type Sealed, sealedTables } from "./not-replayed.ts"

/** The protected tables that do not belong to objects. */
const entries = [
  { table: "journal", noun: "row of the journal" },
  { table: "places", noun: "place" },
  { table: "writers", noun: "writer" },
  { table: "audit_entries", noun: "line of the audit log" },
]

interface Kept {
  readonly table: string
  /** The noun for a row in the error message. */
  readonly what: string
  /** Columns that may change. */
  readonly moves: readonly string[]
  readonly deletable: boolean
}

const kept: readonly Kept[] = [
  ...new Map(
    [
      ...entries.map(({ table, noun }) => ({ table, what: noun, moves: [], deletable: false })),
      ...objectList.flatMap(({ table, kindIn, noun, moves, deletable, parts }) => {
        const what = kindIn === null ? noun[0] : table.replace(/s$/, "")
        return [
          { table, what, moves, deletable },
          ...parts.map((part) => ({ table: part, what: `part of ${aOrAn(what)}`, moves: [], deletable })),
        ]
      }),
    ].map((each): [string, Kept] => [each.table, each]),
  ).values(),
]

const trigger = (name: string, does: string): [name: string, sql: string] => [
  name,
  `CREATE TRIGGER ${name} BEFORE ${does}; END`,
]

const triggersOf = (
  { table, what, moves, deletable }: Kept,
  columns: readonly string[],
): [name: string, sql: string][] => {
  const still = columns.filter((column) => column !== "seal" && !moves.includes(column))
  const changed = moves.length === 0 ? "UPDATE" : `UPDATE OF ${still.join(", ")}`
  const keep = trigger(
    `${table}_keep`,
    `${changed} ON ${table} BEGIN SELECT RAISE(ABORT, '${aOrAn(what)} is immutable')`,
  )
  const stay = trigger(
    `${table}_stay`,
    `DELETE ON ${table} BEGIN SELECT RAISE(ABORT, '${aOrAn(what)} is never deleted')`,
  )
  return deletable ? [keep] : [keep, stay]
}

/**
 * Notes new objects of a Room for the search index. Records are noted with their entry, and messages by triggers in
 * schema.sql.
 */
const indexed = objectList.flatMap(({ kind, table, key, kindIn, room, isSearched }): [name: string, sql: string][] => {
  const name = `${table}_indexed`
  const insert = `INSERT INTO search_items (kind, id) VALUES ('${kind}', new.${key})`
  return isSearched && kindIn === null && room !== null
    ? [[name, `CREATE TRIGGER ${name} AFTER INSERT ON ${table}\n  BEGIN ${insert}; END`]]
    : []
})

/** Seals the row as it is stored: an earlier trigger may have changed it. */
const sealing = ({ table, key, columns, due }: Sealed): [name: string, sql: string][] =>
  ["INSERT", `UPDATE OF ${columns.join(", ")}`].map((change, index) => {
    const name = `${table}_${index === 0 ? "sealed" : "resealed"}`
    return [
      name,
      `CREATE TRIGGER ${name} AFTER ${change} ON ${table}\n  BEGIN UPDATE ${table}
        SET seal = ${due}
        WHERE ${key} = new.${key}; END`,
    ]
  })

/** Keeps the number of rows of a table. */
const counting = (table: string): [name: string, sql: string][] => [
  [
    `${table}_tallied`,
    `CREATE TRIGGER ${table}_tallied AFTER INSERT ON ${table}
  BEGIN INSERT INTO row_counts (name, rows) VALUES ('${table}', 1) ON CONFLICT DO UPDATE SET rows = rows + 1; END`,
  ],
  [
    `${table}_untallied`,
    `CREATE TRIGGER ${table}_untallied AFTER DELETE ON ${table}
  BEGIN DELETE FROM row_counts WHERE name = '${table}' AND rows = 1;
    UPDATE row_counts SET rows = rows - 1 WHERE name = '${table}'; END`,
  ],
]

/** Whether a trigger counts rows, so that nothing may add or delete them without it. */
export const isCounting = (name: string): boolean => /_(?:un)?tallied$/.test(name)

/** Whether a trigger keeps accepted rows from being changed or deleted. */
export const isProtecting = (name: string): boolean => /_(?:keep|stay)$/.test(name)

/** Returns the derived triggers by name. @param columnsOf returns the columns of a table */
export const keepingTriggers = (columnsOf: (table: string) => readonly string[]): ReadonlyMap<string, string> =>
  new Map([
    ...kept.flatMap((each) => triggersOf(each, columnsOf(each.table))),
    ...sealedTables(columnsOf).flatMap(sealing),
    ...countedTables.flatMap(counting),
    ...indexed,
  ])

/** Whether a trigger has the name of a derived one. */
export const isDerived = (name: string): boolean =>
  /_(?:keep|stay|sealed|resealed|tallied|untallied)$/.test(name) || indexed.some(([each]) => each === name)
