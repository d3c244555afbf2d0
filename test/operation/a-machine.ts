/**
 * A machine for the commands of the page for operators. All its folders are below one folder, and small stand-ins
 * replace root and systemd. The commands run as the page gives them, apart from that folder.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const page = readFileSync(join(import.meta.dirname, "../../.github/operation.md"), "utf8")

/** The text of a section, from its heading to the next of any level. */
export function section(heading: string): string {
  const [, text] = page.split(new RegExp(`^##+ ${heading}$`, "m"))
  if (text === undefined) throw new Error(`operation.md has no section ${heading}`)
  return text.split(/^##+ /m)[0] ?? ""
}

/** The blocks of a section in one language, in order. */
export const blocks = (heading: string, language: string): string[] =>
  [...section(heading).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, text = ""]) => text)

/** Units that the page shows, by name. */
const units = (): [name: string, text: string][] =>
  [...page.matchAll(/`\/etc\/systemd\/system\/([\w.-]+)`:\n\n```ini\n(.*?)```/gs)].map(([, name = "", text = ""]) => [
    name,
    text,
  ])

/** Runs the command whichever user it is for, and creates no user. */
const SUDO = `while [ $# -gt 0 ]; do case "$1" in -u) shift 2;; *) break;; esac; done
exec "$@"`
const USERADD = `echo "$*" >> "$MACHINE/useradd.log"`
/**
 * Reads a unit as systemd does, as far as the page's units need: environment, folders, and the command with its percent
 * and dollar signs.
 */
const SYSTEMCTL = `
verb=$1; shift
[ "$1" = --now ] && shift
case "$1" in *.timer) unit=$1;; *.service) unit=$1;; *) unit=$1.service;; esac
file="$MACHINE/etc/systemd/system/$unit"
[ -f "$file" ] || { echo "Unit $unit not found." >&2; exit 5; }
value() { sed -n "s/^$1=//p" "$file"; }
pid="$MACHINE/run/$unit.pid"
begin() {
  case "$unit" in *.timer) return 0;; esac
  for folder in $(value StateDirectory); do mkdir -p -m "$(value StateDirectoryMode)" "$MACHINE/var/lib/$folder"; done
  umask "$(value UMask)"
  for pair in $(value Environment); do export "$pair"; done
  command=$(value ExecStart | sed 's/%%/%/g; s/\\$\\$/$/g')
  if [ "$(value Type)" = oneshot ]; then eval "$command" && for after in "$(value ExecStartPost)"; do set -f; \
eval "$(echo "$after" | sed "s/-name \\*.db/-name '*.db'/")"; done; return; fi
  setsid sh -c "exec $command" >> "$MACHINE/journal.log" 2>&1 < /dev/null &
  echo $! > "$pid"
  for _ in $(seq 200); do
    grep -q 'It listens on' "$MACHINE/journal.log" && curl_ready && return 0
    kill -0 "$(cat "$pid")" 2>/dev/null || return 1
    sleep 0.1
  done
  return 1
}
curl_ready() { "$NODE" -e 'fetch("http://127.0.0.1:" + process.env.RESEARCH_ROOM_PORT + "/api/health/ready").then(({ \
status }) => process.exit(status === 200 ? 0 : 1), () => process.exit(1))'; }
end() { [ -f "$pid" ] || return 0; kill -TERM "$(cat "$pid")" 2>/dev/null; while kill -0 "$(cat "$pid")" \
2>/dev/null; do sleep 0.05; done; rm -f "$pid"; }
case "$verb" in enable|start) begin;; stop) end;; is-active) [ -f "$pid" ] && kill -0 \
"$(cat "$pid")";; *) exit 1;; esac`
const JOURNALCTL = `cat "$MACHINE/journal.log"`

export interface Machine {
  readonly folder: string
  /** A path of the page, mapped into the folder of this machine. */
  at(path: string): string
  /** Runs commands exactly as the page gives them, in a shell. */
  run(commands: string): { readonly code: number | null; readonly out: string; readonly err: string }
}

/**
 * @param folder the folder of the whole machine @param program the downloaded program @param port the port of its
 * service, for a test
 */
export function aMachine(folder: string, program: string, port: number): Machine {
  const here = (text: string) =>
    text.replaceAll(
      /\/(?:usr\/local\/bin|var\/lib\/research-room|etc\/systemd|etc\/research-room\.env)/g,
      `${folder}$&`,
    )
  for (const each of ["bin", "run", "home", "usr/local/bin", "etc/systemd/system", "var/lib"])
    mkdirSync(join(folder, each), { recursive: true })
  for (const [name, script] of Object.entries({
    sudo: SUDO,
    useradd: USERADD,
    systemctl: SYSTEMCTL,
    journalctl: JOURNALCTL,
  })) {
    writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, "bin", name), 0o755)
  }
  writeFileSync(join(folder, "journal.log"), "")
  for (const [name, text] of units()) writeFileSync(join(folder, "etc/systemd/system", name), here(text))
  // The downloaded file is in the folder where the commands run.
  symlinkSync(program, join(folder, "home/research-room"))
  return {
    folder,
    at: here,
    run(commands) {
      const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", here(commands)], {
        cwd: join(folder, "home"),
        encoding: "utf8",
        env: {
          PATH: `${join(folder, "bin")}:${join(folder, "usr/local/bin")}:${process.env.PATH}`,
          HOME: join(folder, "home"),
          TMPDIR: folder,
          MACHINE: folder,
          NODE: process.execPath,
          RESEARCH_ROOM_PORT: String(port),
        },
      })
      return { code: status, out: stdout, err: stderr }
    },
  }
}
