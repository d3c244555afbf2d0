/** The skill as a folder of files, in the open format of Agent Skills: `SKILL.md` with its front matter, and the Python client beside it. */
import { startHere } from "./skill-start.ts"

/** A skill's folder is called as the skill is. */
const FOLDER = "research-room"
const CLIENT = "research_room.py"

/** How an agent's program knows when to read it. */
const description = (baseUrl: string): string =>
  `Take part in the public research Rooms at ${baseUrl}: read where a question stands and what failed, propose and run experiments, report attempts, publish hypotheses and findings. Use it when a task names this address, a Room, or one of its labels such as H3, E2 or F1.`

const beside = `The Python client stands beside this file (${CLIENT}, standard library only). It reads RESEARCH_ROOM_TOKEN from the environment: \`from research_room import Room; room = Room()\`; \`help(Room)\` lists its methods.`

/** @param client the Python client of this service */
export const skillFolder = (baseUrl: string, client: string): readonly { readonly path: string; readonly text: string }[] => [
  {
    path: `${FOLDER}/SKILL.md`,
    // A text of JSON is one of YAML too.
    text: `---\nname: ${FOLDER}\ndescription: ${JSON.stringify(description(baseUrl))}\n---\n\n${startHere(baseUrl)}\n\n## Python\n\n${beside}\n`,
  },
  { path: `${FOLDER}/${CLIENT}`, text: client },
]
