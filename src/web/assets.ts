/**
 * The style sheet, script and fonts. build/assets.ts writes them to dist/assets under names that contain their digests.
 */
import { packagedBytes } from "../packaged.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { type Answer, asset } from "../edge/answers/answer.ts"
import { type Html, html, to } from "./html.ts"

/** The manifest that build/assets.ts writes. */
interface Manifest {
  readonly style: string
  readonly script: string
  readonly icon: string
  /** Fonts that pages preload. */
  readonly fonts: readonly string[]
  /** Media types by file name. */
  readonly files: Readonly<Record<string, string>>
}

export interface Assets {
  /** The elements in the head of every page that load the assets. */
  readonly head: Html
  /** Answers a file by its hashed name. @throws Refusal 404 */
  answer(name: string): Answer
}

const unknownFile = () => new Refusal("unknown_operation", "There is no such file.")

/** Opens the built assets. Without a build, pages are served without style and script. */
export function openAssets(): Assets {
  const text = packagedBytes("dist/assets/manifest.json")
  if (text === undefined) {
    return {
      head: html``,
      answer: () => {
        throw unknownFile()
      },
    }
  }
  const { style, script, icon, fonts, files }: Manifest = JSON.parse(Buffer.from(text).toString("utf8"))
  const cache = new Map<string, Uint8Array<ArrayBuffer>>()
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
      const body = type === undefined ? undefined : (cache.get(name) ?? packagedBytes(`dist/assets/${name}`))
      if (type === undefined || body === undefined) throw unknownFile()
      cache.set(name, body)
      // The name changes with the contents, so it serves as the tag.
      return asset(body, type, `W/"${name}"`)
    },
  }
}
