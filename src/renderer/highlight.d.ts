/**
 * The part of highlight.js that is used. Its own types would add a browser's types to the whole program; tsconfig.json
 * uses these instead. A language's definition is opaque.
 */
interface Highlighter {
  registerLanguage(name: string, language: unknown): void
  getLanguage(name: string): object | undefined
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly value: string }
}
declare const highlighter: Highlighter
export default highlighter
