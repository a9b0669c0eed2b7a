/**
 * `npm run dev`: the simulator, a server, channels between them, and commands to try. `SIMULATOR_PORT` and
 * `SIMULATOR_SPEED` change it.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { runningClock, startVideoSimulator } from ".";

const run = promisify(execFile);
const port = process.env.PORT || "3000";
const address = `http://127.0.0.1:${port}`;
const dataDir = process.env.TOLLGATE_DATA_DIR || "./.tollgate-dev";
// npm_lifecycle_event: makes the server end with this process, however that ends.
const env = {
  ...process.env,
  ...{ NODE_ENV: "development" as const, PORT: port, TOLLGATE_DATA_DIR: dataDir, DATABASE_URL: "" },
  npm_lifecycle_event: "start",
};
const speed = Number(process.env.SIMULATOR_SPEED || 10);

/** A model, its dialect, and its price here. */
const models = [
  { id: "wanx2.1-t2v-turbo", dialect: "dashscope", prices: ["5:720p=1.2"] },
  { id: "wan2.2-t2v-plus", dialect: "dashscope", prices: ["5:1080p=3.5"] },
  {
    id: "doubao-seedance-1-0-pro-250528",
    dialect: "ark",
    prices: ["5:480p=1.75", "5:720p=3.75", "10:720p=7.5"],
  },
  { id: "open-video", dialect: "openai-video", prices: ["5:720p=0.1", "10:720p=0.2", "15:720p=0.3"] },
] as const;

async function tollgate(...words: string[]): Promise<unknown> {
  const { stdout } = await run(process.execPath, ["scripts/tollgate.mjs", ...words, "--json"], { env });
  return JSON.parse(stdout);
}

/**
 * Replaces channels of an earlier run with another port, and sets the models again, so a second run changes nothing.
 */
async function connect(baseUrls: Record<string, string>, secret: string): Promise<void> {
  const channels = (await tollgate("channel", "list")) as { name: string; base_url: string }[];
  for (const dialect of new Set(models.map((model) => model.dialect))) {
    const name = `simulated-${dialect}`;
    const baseUrl = baseUrls[dialect] ?? "";
    const existing = channels.find((channel) => channel.name === name);
    if (existing && existing.base_url !== baseUrl) {
      await tollgate("channel", "remove", "--channel", name);
    }
    if (existing?.base_url !== baseUrl) {
      const ids = models.filter((model) => model.dialect === dialect).flatMap(({ id }) => ["--model", id]);
      const to = ["--dialect", dialect, "--base-url", baseUrl, "--secret", secret];
      await tollgate("channel", "add", "--name", name, ...to, ...ids);
    }
  }
  for (const { id, prices } of models) {
    const priced = prices.flatMap((price) => ["--video-price", price]);
    await tollgate("model", "set", "--id", id, "--kind", "video", "--owner", "simulator", ...priced);
  }
}

async function untilReady(isGone: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_200 && !isGone(); tries++) {
    const isReady = await fetch(`${address}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) {
      return;
    }
    await setTimeout(250);
  }
  throw new Error("the server did not become ready");
}

function demoKey(): string {
  const path = join(dataDir, "first-start.json");
  const note = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { demoKey?: string }) : {};
  return note.demoKey ?? "KEY";
}

function advice(simulator: string): string {
  const key = demoKey();
  const submit = (body: object) =>
    `  curl ${address}/v1/videos/generations -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '${JSON.stringify(body)}'`;
  return [
    "",
    `Simulated vendors at ${simulator}, ${speed} times as fast as real ones:`,
    ...models.map(({ id, dialect, prices }) => `  ${id} (${dialect}): ${prices.join(" ")}`),
    "",
    "Try:",
    submit({ model: "wanx2.1-t2v-turbo", prompt: "a cat on a roof", duration: 5, resolution: "720p" }),
    `  curl ${address}/v1/videos/generations/TASK_ID -H "Authorization: Bearer ${key}"`,
    "",
    "A prompt can ask for trouble: [fault:content-later] [fault:content-at-submit] [fault:failed-bare] [fault:never]",
    "[fault:no-url] [fault:cancelled] [fault:reply-lost] [fault:502] [fault:poll-500=3] [fault:ends-at=599];",
    "tests/support/video-simulator/script.ts has them all.",
    "",
  ].join("\n");
}

const simulator = await startVideoSimulator({
  port: Number(process.env.SIMULATOR_PORT || 4010),
  clock: runningClock(speed),
  timing: (_model, serial) => ({
    queueMs: 1_000 * (serial % 10),
    runMs: 1_000 * (60 + ((serial * 37) % 120)),
  }),
  latency: (kind) => (kind === "submit" ? 200 + Math.random() * 800 : 50 + Math.random() * 200),
});
const server = spawn(process.execPath, ["scripts/start.mjs"], { env, stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => void server.kill(signal));
}
const gone = once(server, "exit");
const hasGone = () => server.exitCode !== null || server.signalCode !== null;
try {
  await untilReady(hasGone);
  await connect(simulator.baseUrls, simulator.secret);
  console.log(advice(simulator.origin));
} catch (error) {
  if (!hasGone()) {
    console.error(error);
    server.kill("SIGTERM");
  }
}
await gone;
await simulator.close();
process.exit(server.exitCode ?? 1);
