/**
 * Runs programs of others, from their registry, against a gateway with scripted upstreams, and writes what they did
 * into docs/clients.md: a tool loop on a model behind each upstream dialect, and what a user sees of five refusals.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startUpstream } from "@/tests/support/upstream";
import { type Gateway, startGateway } from "./gateway";
import type { Program, Task } from "./program";
import { agents } from "./programs/agents";
import { aiSdk } from "./programs/ai-sdk";
import { claudeCode } from "./programs/claude-code";
import { codex } from "./programs/codex";
import { saveRow } from "./table";
import { callTool, PRODUCT, vendorDialects } from "./upstream";

const programs = [codex, claudeCode, aiSdk, agents];
/** After so long a program that waits and tries again is told to end. */
const PATIENCE_MS = Number(process.env.CLIENT_PATIENCE_SECONDS ?? 90) * 1_000;

type Ran = { code: number | null; output: string };

/** Runs a command and waits for it, for as long as `PATIENCE_MS` at most; `code` is null when that was too short. */
async function run(command: string[], cwd: string, env: Record<string, string | undefined>): Promise<Ran> {
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
  // Its shell's children go with it.
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), PATIENCE_MS);
  const [code] = await once(child, "close");
  clearTimeout(timer);
  return { code, output };
}

const isText = /[\p{L}\p{N}]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' colours begin with one
const COLOURS = /\u001b\[[0-9;?]*[a-zA-Z]/g;

/** The last lines that say something, without the paths and keys of this run. */
function lastWords({ output }: Ran, { home, installed, key, url, model }: Task): string {
  const lines = output
    .replace(COLOURS, "")
    .replaceAll(home, "~")
    .replaceAll(installed, "…")
    .replaceAll(key, "KEY")
    .replaceAll(url, "BASE")
    .replaceAll(model, "MODEL")
    .replace(/req_[0-9a-f]{32}/g, "REQUEST")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => isText.test(line) && !/^at |^tokens used|^[\d,]+$/.test(line));
  const words = [...new Set(lines)].slice(-2).join(" / ") || "nothing";
  return words.length > 300 ? `${words.slice(0, 300)}…` : words;
}

const counted = (calls: number) => (calls === 1 ? "1 call" : `${calls} calls`);

async function tryProgram(program: Program, gateway: Gateway, installed: string): Promise<string[]> {
  const ask = async (options: { model: string; key: string }) => {
    const home = join(installed, "home");
    await rm(home, { recursive: true, force: true });
    const task: Task = { url: gateway.url, home, installed, ...options };
    await mkdir(join(home, "work"), { recursive: true });
    for (const [name, text] of Object.entries(program.files?.(task) ?? {})) {
      await mkdir(dirname(join(home, name)), { recursive: true });
      await writeFile(join(home, name), text);
    }
    const [file = "", ...args] = program.command(task);
    const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: "1", ...program.env?.(task) };
    const before = gateway.calls();
    const path = file === "node" ? process.execPath : join(installed, file);
    const ran = await run([path, ...args], join(home, "work"), env);
    const calls = counted(gateway.calls() - before);
    console.log(program.id, ran.code, calls, lastWords(ran, task));
    return { ran, calls, task };
  };

  const loop = async (dialect: (typeof vendorDialects)[number], key: string) => {
    const upstream = await startUpstream(callTool(dialect));
    const { ran, calls, task } = await ask({ model: await gateway.model(dialect, upstream.baseUrl), key });
    await upstream.close();
    const cameBack = upstream.asked.some(({ raw }) => raw.includes(PRODUCT));
    const isDone = ran.code === 0 && cameBack && ran.output.includes(PRODUCT);
    return isDone ? `yes, ${calls}` : `**no**, ${calls}: ${lastWords(ran, task)}`;
  };

  const key = await gateway.key();
  const cells: string[] = [];
  for (const dialect of vendorDialects) {
    cells.push(await loop(dialect, key));
  }

  const upstream = await startUpstream(callTool("openai"));
  const model = await gateway.model("openai", upstream.baseUrl);
  const refusals = [
    { model, key: "tk-wrong" },
    { model, key: await gateway.key({ quota: "0" }) },
    { model: "no-such-model", key },
    { model, key: await gateway.key({ requestsPerMinute: 1 }) },
  ];
  for (const refusal of refusals) {
    const { ran, calls, task } = await ask(refusal);
    const end = ran.code === null ? `still trying after ${PATIENCE_MS / 1_000} s` : `exit ${ran.code}`;
    cells.push(`${lastWords(ran, task)} (${calls}, ${end})`);
  }
  let isFirst = true;
  upstream.answer((asked, response, request) => {
    if (!isFirst) {
      return callTool("openai")(asked, response, request);
    }
    isFirst = false;
    response.writeHead(500).end();
  });
  const { ran, calls, task } = await ask({ model, key });
  const isHealed = ran.code === 0 && ran.output.includes(PRODUCT);
  cells.push(isHealed ? `not seen (${calls})` : `${lastWords(ran, task)} (${calls}, exit ${ran.code})`);
  await upstream.close();
  return cells;
}

async function tryInstalled(program: Program, gateway: Gateway): Promise<string[]> {
  const installed = await mkdtemp(join(tmpdir(), `client-${program.id}-`));
  try {
    await writeFile(join(installed, "package.json"), "{}");
    const npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", ...program.packages];
    const { code } = await run(npm, installed, process.env);
    return code === 0 ? await tryProgram(program, gateway, installed) : ["not installed here: npm failed"];
  } finally {
    await rm(installed, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(2);
const gateway = await startGateway();
try {
  for (const program of programs.filter(({ id }) => wanted.length === 0 || wanted.includes(id))) {
    const cells = await tryInstalled(program, gateway);
    const text = await readFile("docs/clients.md", "utf8");
    await writeFile("docs/clients.md", saveRow(text, program, cells));
  }
} finally {
  await gateway.close();
}
process.exit(0);
