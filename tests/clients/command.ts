import { spawn } from "node:child_process";
import { once } from "node:events";
import { PROMPT, type ProgramInput } from "./program";

/** After this time a program is killed: some programs wait and try again. */
export const PATIENCE_SECONDS = Number(process.env.CLIENT_PATIENCE_SECONDS ?? 75);

/** `code`: null when the runner killed the program. */
export type Ran = { code: number | null; output: string };

type CommandOptions = { cwd: string; env: Record<string, string | undefined>; seconds: number };

/** Runs a command and waits at most `seconds` for it. */
export async function runCommand(command: string[], { cwd, env, seconds }: CommandOptions): Promise<Ran> {
  const [file = "", ...args] = command;
  const child = spawn(file, args, {
    cwd,
    env: { ...env } as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  child.stdout.on("data", (text) => (output += text));
  child.stderr.on("data", (text) => (output += text));
  // Kills the children of its shell, too.
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), seconds * 1_000);
  const [code] = await once(child, "close").catch((error) => {
    output += String(error);
    return [127];
  });
  clearTimeout(timer);
  return { code, output };
}

const isText = /[\p{L}\p{N}]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' colours begin with one
const COLOURS = /\u001b\[[0-9;?]*[a-zA-Z]/g;
/** Lines that programs always print: places in their code, used tokens, fixed texts. */
const NOISE = new RegExp(
  [
    ...[/^at |^File "|\[object Object\]/, /^tokens used|^[\d,]+$|^Tokens: |^(status|code): \d+$/],
    ...[
      /^succeeded in|Reconnecting|^warning: Model metadata/,
      /unrecognized_model|doesn't recognize the model/,
    ],
    ...[
      /^\[STARTUP|^Ripgrep|^(Deprecation)?Warning|^[\d/: ]*WARNING\b|^YOLO|^> build/,
      /^Error streaming response$/,
    ],
  ]
    .map(({ source }) => source)
    .join("|"),
);
const MOST_CHARACTERS = 240;

/** The last lines with text (or that match `words`), without the paths and keys of this run. */
export function lastWords(
  { output }: Ran,
  { home, installed, key, url, model }: ProgramInput,
  words = isText,
): string {
  const lines = output
    .replace(COLOURS, "")
    .replaceAll(home, "~")
    .replaceAll(installed, "…")
    .replaceAll(key, "KEY")
    .replaceAll(url, "BASE")
    .replaceAll(model, "MODEL")
    .replace(/req_[0-9a-f]{32}/g, "REQUEST")
    // Some programs list the models that exist.
    .replace(/(MODEL|[a-z0-9-]+-[0-9a-f]{8})(, (MODEL|[a-z0-9-]+-[0-9a-f]{8}))+/g, "MODEL, …")
    .replace(/ Full report available at: \S+/g, "")
    .split("\n")
    .map((line) => line.replace(/[\u2500-\u259f]/g, "").trim())
    .filter((line) => isText.test(line) && words.test(line) && line !== PROMPT && !NOISE.test(line));
  const text = [...new Set(lines)].slice(-2).join(" / ") || "nothing";
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
