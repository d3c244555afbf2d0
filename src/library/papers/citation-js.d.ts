/** The parts of @citation-js/date and @citation-js/name that are used; the packages have no types of their own. */
declare module "@citation-js/date" {
  /** Reads a date; one that it cannot read comes back as `raw`. */
  export function parse(text: string): { readonly "date-parts"?: number[][]; readonly raw?: string }
}
declare module "@citation-js/name" {
  export function parse(text: string): {
    readonly family?: string
    readonly given?: string
    readonly suffix?: string
    readonly "non-dropping-particle"?: string
  }
}
