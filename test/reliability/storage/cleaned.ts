/** The cleaning after a withholding, from outside of the service. */
import Database from "better-sqlite3"

/** Waits until the files no longer hold what was withheld: they are cleaned after the answer, in pieces. */
export async function cleaned(file: string): Promise<void> {
  const db = new Database(file, { readonly: true })
  try {
    const state = db.prepare<[], number>("SELECT unclean FROM instance").pluck()
    for (let look = 0; state.get() !== 0; look += 1) {
      if (look === 300) throw new Error("The files were not cleaned within 30 seconds.")
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  } finally {
    db.close()
  }
}
