/** What the processes for costly work can do, by name. Each part is loaded when it is first asked for. */

export const jobs = {
  atom: async (xml: string) => (await import("../library/papers/atom.ts")).atomRecords(xml),
  bibtex: async (text: string) => (await import("../library/bibtex/read.ts")).readBibtex(text),
}

export const streams: Readonly<Record<string, (input: never) => AsyncGenerator<Uint8Array>>> = {}
