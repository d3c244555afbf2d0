/** The data cannot be opened. The message is for the person who started the program. */
export class DataError extends Error {
  override readonly name = "DataError"
}

/** The data is of an earlier version, and its tables must be derived again before it can be opened. */
export class EarlierData extends DataError {
  constructor(to: number) {
    super(`The data is older than schema ${to}, and the command that opens it must upgrade it first. Nothing was changed.`)
  }
}
