/** What people wrote where an object is named (its label, its title, the address of its page) as the id that the body holds. */
import { enumerations } from "../../contract/schema/enumerations.ts"
import { aOrAn, type ObjectKind } from "../../contract/objects/objects.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import type { Issue } from "../../contract/refusals/refusal.ts"
import { limits } from "../../contract/limits.ts"
import { orNull, type Visit } from "../visit.ts"
import { shortened, words } from "../words.ts"
import { type Choices, choicesAmong } from "./choices.ts"
import { casePath, type Draft, itemCount } from "./draft.ts"
import type { Field } from "./fields.ts"

const LABEL = /^([A-Z]\d+)(?=$|[:,;\s])/
const ID_IN_ADDRESS = /\/([0-9a-f]{8}-[0-9a-f-]{27})(?=[/?#]|$)/i

/** Where a name is looked up. */
export interface Among {
  readonly visit: Visit
  readonly roomId: string | undefined
  readonly choices: Choices
}
/** Lookups that one form may cause, and names of one list that are looked at: whatever is beyond them stays as it was written. */
const MOST_LOOKUPS = 8
const MOST_NAMES = 100

interface Looking extends Among {
  readonly left: { lookups: number }
}

/** Objects of the Room that the service's search finds for some words, as they are shown in lists. */
function found({ visit, roomId, left }: Looking, named: readonly ObjectKind[], query: string) {
  const kinds = enumerations.searchKind.filter((kind) => named.some((one) => one === kind))
  if (roomId === undefined || kinds.length === 0 || left.lookups <= 0) return []
  left.lookups -= 1
  const asked = query.slice(0, limits.searchQuery)
  return orNull(() => visit.ask("search", {}, { query: asked, roomId, kinds: kinds.join(","), limit: 5 }))?.items ?? []
}

/** The id that a text means; null where it means none, or more than one. */
function idMeant(text: string, named: readonly ObjectKind[], among: Looking): string | null {
  const said = text.trim()
  if (isUuid(said)) return said
  const address = ID_IN_ADDRESS.exec(said)?.[1]
  if (address !== undefined) return address
  const known = choicesAmong(among.choices, named)
  const exact = known.filter((choice) => choice.text === said)
  if (exact.length === 1) return exact[0]?.id ?? null
  const label = LABEL.exec(said)?.[1]
  if (label === undefined) return null
  const listed = known.find((choice) => choice.text.startsWith(`${label}:`))
  return listed?.id ?? found(among, named, label).find((hit) => hit.label === label)?.id ?? null
}

/** Why a text names nothing, with what is near to it. */
function unknown(text: string, named: readonly ObjectKind[], among: Looking): string {
  const near = found(among, named, text).map(({ label, title }) => `${label ?? ""} ${shortened(title, 60)}`.trim())
  const what = named.length === 1 && named[0] !== undefined ? words(named[0]) : "record"
  return `“${shortened(text, 60)}” is not ${aOrAn(what)}${among.roomId === undefined ? "" : " of this Room"}.${near.length === 0 ? "" : ` Near to it: ${near.join("; ")}.`}`
}

/** One label after another, or one choice as the list shows it. */
const severalIn = (text: string): string[] =>
  text.split("\n").flatMap((line) => {
    const parts = line.split(/[\s,;]+/).filter((part) => part !== "")
    return parts.every((part) => isUuid(part) || LABEL.exec(part)?.[0] === part) ? parts : [line]
  })

/** Replaces what names objects by their ids, and tells what names none. The draft itself stays as it was written. */
export function withIds(form: Field, draft: Draft, among: Among): { draft: Draft; issues: Issue[] } {
  const made = new URLSearchParams(draft)
  const issues: Issue[] = []
  const looking: Looking = { ...among, left: { lookups: MOST_LOOKUPS } }
  /** The id, or the text itself with the issue that it is. */
  const meant = (text: string, named: readonly ObjectKind[], path: string): string => {
    const id = idMeant(text, named, looking)
    if (id === null) issues.push({ path: path.replace(/\|[^/]+/g, ""), message: unknown(text, named, looking) })
    return id ?? text
  }
  const look = (field: Field, path: string): void => {
    switch (field.form) {
      case "object":
        for (const inner of field.fields) look(inner, `${path}/${inner.name}`)
        return
      case "list":
      case "named":
        for (let index = 0; index < itemCount(draft, path, field.form === "list" ? field.least : 1); index += 1)
          look(field.item, `${path}/${index}`)
        return
      case "variant": {
        const chosen = field.cases.find(({ value }) => value === draft.get(`${path}/${field.tag}`))
        for (const inner of chosen?.fields ?? []) look(inner, `${casePath(path, chosen?.value ?? "")}/${inner.name}`)
        return
      }
      case "text": {
        const text = draft.get(path)?.trim() ?? ""
        if (field.named === undefined || text === "") return
        made.set(path, meant(text, field.named, path))
        return
      }
      case "lines": {
        if (field.named === undefined || !draft.has(path)) return
        const { named } = field
        const names = draft
          .getAll(path)
          .flatMap(severalIn)
          .filter((one) => one.trim() !== "")
        made.delete(path)
        names.forEach((text, index) => made.append(path, index < MOST_NAMES ? meant(text, named, path) : text))
        return
      }
      default:
    }
  }
  look(form, "")
  return { draft: made, issues }
}
