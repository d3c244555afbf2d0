/** `research-room licences`: prints the licences and notices of everything that is built into the program. */
import { Command } from "commander"
import { packaged } from "../packaged.ts"

export const licencesCommand = (): Command =>
  new Command("licences")
    .description("print what is built into the program, with the licences and notices of its authors")
    .action(() => void process.stdout.write(packaged("dist/licences.txt")))
