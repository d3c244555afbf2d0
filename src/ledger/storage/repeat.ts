/** Repeated checks. A check that fails, for example because no more files can be opened, never ends the service. */

/** @param onFault called with the error of each failed check @returns a timer that does not keep the process alive */
export const repeat = (
  look: () => void,
  milliseconds: number,
  onFault: (fault: unknown) => void = () => {},
): NodeJS.Timeout =>
  setInterval(() => {
    try {
      look()
    } catch (fault) {
      onFault(fault)
    }
  }, milliseconds).unref()
