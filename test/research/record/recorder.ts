/** Records the statements that reads run, without those that write. */
import { type Step as Ran, RecordingDb } from "../../support/recording-db.ts"

export interface Step {
  readonly sql: string
  readonly values: Ran["values"]
}

export class Recorder extends RecordingDb {
  /** Runs `work` and returns the reads it ran. */
  async readsDuring(work: () => unknown): Promise<Step[]> {
    const steps = await this.during(work)
    return steps
      .filter(({ how }) => how !== "run")
      .map(({ statement, values }) => ({ sql: this.sql[statement] ?? "", values }))
  }
}
