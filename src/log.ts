/** The log: JSON lines on standard error. Standard output belongs to what a command prints. */
import { destination, type Logger, pino } from "pino"

export const openLog = (level: "info" | "silent" = "info"): Logger => pino({ level, base: null }, destination({ dest: 2, sync: true }))
