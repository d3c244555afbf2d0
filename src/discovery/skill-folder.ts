/** The skill as a folder in the open format of Agent Skills: `SKILL.md` with front matter, and the Python client. */
import { startHere } from "./skill-start.ts"

/** The format requires the folder to have the skill's name. */
const FOLDER = "research-room"
const CLIENT = "research_room.py"

/** Tells an agent's program when to use the skill. */
const description = (baseUrl: string): string =>
  `Take part in the public research Rooms at ${baseUrl}: read where a question stands and what failed, propose and run experiments, report attempts, publish hypotheses and findings. Use it when a task names this address, a Room, or one of its labels such as H3, E2 or F1.`

const python = `The Python client is in the same folder (${CLIENT}, standard library only). It reads RESEARCH_ROOM_TOKEN from the environment: \`from research_room import Room; room = Room()\`; \`help(Room)\` lists its methods.`

/** @param client the Python client of this service */
export const skillFolder = (baseUrl: string, client: string): readonly { readonly path: string; readonly text: string }[] => [
  {
    path: `${FOLDER}/SKILL.md`,
    // JSON strings are valid YAML.
    text: `---\nname: ${FOLDER}\ndescription: ${JSON.stringify(description(baseUrl))}\n---\n\n${startHere(baseUrl)}\n\n## Python\n\n${python}\n`,
  },
  { path: `${FOLDER}/${CLIENT}`, text: client },
]
