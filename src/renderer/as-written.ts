/** Users' texts, how one is shown if it is not rendered, and which dollar signs in it begin no formula. */
import { hash } from "node:crypto"
import { limits } from "../contract/limits.ts"
import { escapeHtml } from "../contract/text.ts"

/** A text with paragraphs, or a single line. */
export type Kind = "block" | "inline"

export interface Text {
  readonly text: string
  readonly kind: Kind
}

/** A text's name, from the digest of its source: accepted texts never change. */
export const nameOf = (text: string, kind: Kind): string => `${kind}:${hash("sha256", text, "base64")}`

/** A text as its author wrote it, with the reason why it is not rendered. */
export function asWritten(text: string, kind: Kind, why: string): string {
  // Writes are limited to this length; a longer text of another source is cut.
  const whole = text.length > 2 * limits.message ? `${text.slice(0, 2 * limits.message)} …` : text
  return kind === "block"
    ? `<pre class="source" tabindex="0">${escapeHtml(whole)}</pre><p class="source-note">Shown as written: ${why}.</p>`
    : `<code class="source" title="Shown as written: ${why}">${escapeHtml(whole)}</code>`
}

/**
 * Whether what stands between two single dollar signs is no formula: prices as in `R$6, ou 5$`, and variables of a
 * shell as in `$PATH:$HOME` and `${A}/${B}`.
 */
export function isTextInDollars(tex: string, before: string, after: string): boolean {
  if (/^\s|\s$/.test(tex) || /[0-9A-Za-z]/.test(before) || /[0-9A-Z{_]/.test(after)) return true
  if (/[a-z]/.test(after) && /[:/,;.=]$/.test(tex)) return true
  return /^\d/.test(tex) && /\s[A-Za-z]{2}/.test(tex) && !/[\\_^={}<>+*/]/.test(tex)
}
