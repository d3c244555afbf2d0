/** Style, script and fonts: made by build/assets.ts into dist/assets, each under a name that holds its digest. */
import { packagedBytes } from "../packaged.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { type Answer, asset } from "../edge/answers/answer.ts"
import { type Html, html, to } from "./html.ts"

/** What build/assets.ts writes beside the files: their names by what they are. */
interface Manifest {
  readonly style: string
  readonly script: string
  readonly icon: string
  /** Those that are asked for before the style sheet is read. */
  readonly fonts: readonly string[]
  readonly files: Readonly<Record<string, string>>
}

export interface Assets {
  /** What the head of every page refers to. */
  readonly head: Html
  /** A file by its hashed name. @throws Refusal 404 */
  answer(name: string): Answer
}

const unknown = () => new Refusal("unknown_operation", "There is no such file.")

/** The assets that were built; pages are served without style and script where they were not. */
export function openAssets(): Assets {
  const text = packagedBytes("dist/assets/manifest.json")
  if (text === undefined) {
    return {
      head: html``,
      answer: () => {
        throw unknown()
      },
    }
  }
  const { style, script, icon, fonts, files }: Manifest = JSON.parse(Buffer.from(text).toString("utf8"))
  const kept = new Map<string, Uint8Array<ArrayBuffer>>()
  return {
    head: html`${fonts.map(
      (font) => html`<link rel="preload" href="${to(`/assets/${font}`)}" as="font" type="font/woff2" crossorigin>
`,
    )}<link rel="stylesheet" href="${to(`/assets/${style}`)}">
<link rel="icon" href="${to(`/assets/${icon}`)}" type="image/svg+xml">
<script type="module" src="${to(`/assets/${script}`)}"></script>
`,
    answer(name) {
      const type = Object.hasOwn(files, name) ? files[name] : undefined
      const body = type === undefined ? undefined : (kept.get(name) ?? packagedBytes(`dist/assets/${name}`))
      if (type === undefined || body === undefined) throw unknown()
      kept.set(name, body)
      // Its name tells its contents.
      return asset(body, type, `W/"${name}"`)
    },
  }
}
