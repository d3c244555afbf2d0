/** Looks that come back: one that fails, as where no file can be opened, is passed over and never ends the service. */

/** @param onFault told of each look that failed @returns a timer that keeps no process alive */
export const repeat = (look: () => void, milliseconds: number, onFault: (fault: unknown) => void = () => {}): NodeJS.Timeout =>
  setInterval(() => {
    try {
      look()
    } catch (fault) {
      onFault(fault)
    }
  }, milliseconds).unref()
