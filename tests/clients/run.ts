/**
 * Runs third-party programs from their registries against a gateway with scripted upstreams and writes the results into
 * docs/programs.md: a tool loop on a model behind each upstream dialect, and the text of five refusals as a user sees
 * it.
 */
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { startUpstream } from "@/tests/support/upstream";
import { lastWords, PATIENCE_SECONDS, type Ran, runCommand } from "./command";
import { type Gateway, startGateway } from "./gateway";
import { openInstalls } from "./install";
import { PRODUCT, type Program, type ProgramInput } from "./program";
import { programs } from "./programs";
import { PromptCache } from "./prompt-cache";
import { fileOf, saveRow, type TableName } from "./table";
import { callLong, callTool, PRODUCTS, thinkingBack, type VendorName, vendorNames } from "./upstream";

/** `CLIENT_TRACE`: a directory for the programs' output and for the requests to the upstreams in their loops. */
const TRACE = process.env.CLIENT_TRACE;

type ModelEndpoint = { url: string; model: string; key: string };
/** `refused`: the number of calls that the gateway answered with an error. */
type Tried = { ran: Ran; calls: string; refused: number; task: ProgramInput };

const counted = (calls: number) => (calls === 1 ? "1 call" : `${calls} calls`);

/** An installed program that can be run. */
class Trial {
  private readonly program: Program;
  private readonly gateway: Gateway;
  private readonly installed: string;

  constructor(program: Program, gateway: Gateway, installed: string) {
    this.program = program;
    this.gateway = gateway;
    this.installed = installed;
  }

  private async ask(endpoint: ModelEndpoint): Promise<Tried> {
    const { program, gateway, installed } = this;
    const home = await mkdtemp(join(installed, "home-"));
    const task: ProgramInput = { home, installed, ...endpoint };
    await mkdir(join(home, "work"), { recursive: true });
    await mkdir(join(home, "tmp"));
    for (const [name, text] of Object.entries(program.files?.(task) ?? {})) {
      await mkdir(dirname(join(home, name)), { recursive: true });
      await writeFile(join(home, name), text);
    }
    const [file = "", ...args] = program.command(task);
    const own: Record<string, string> = {
      node: process.execPath,
      python: join(installed, "venv/bin/python"),
    };
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      TMPDIR: join(home, "tmp"),
      NO_COLOR: "1",
      ...program.env?.(task),
    };
    const before = gateway.statuses().length;
    const ran = await runCommand([own[file] ?? join(installed, file), ...args], {
      cwd: join(home, "work"),
      env,
      seconds: PATIENCE_SECONDS,
    });
    const statuses = gateway.statuses().slice(before);
    const calls = counted(statuses.length);
    const refused = statuses.filter((status) => status >= 400).length;
    await rm(home, { recursive: true, force: true });
    console.log(
      new Date().toISOString().slice(11, 19),
      program.id,
      ran.code,
      calls,
      lastWords(ran, task, program.words),
    );
    if (TRACE) {
      await appendFile(join(TRACE, `${program.id}.txt`), `\n== ${task.model}\n${ran.output}`);
    }
    return { ran, calls, refused, task };
  }

  private async loop(name: VendorName, key: string): Promise<string> {
    const { program, gateway } = this;
    const upstream = await startUpstream(callTool(name, program));
    const { ran, calls, refused, task } = await this.ask({
      url: gateway.url,
      model: await gateway.model(name, upstream.baseUrl, program.modelPrefix),
      key,
    });
    await upstream.close();
    if (TRACE) {
      await writeFile(join(TRACE, `${program.id}-${name}.json`), JSON.stringify(upstream.requests, null, 1));
    }
    const expected = program.opening === undefined ? PRODUCTS : [PRODUCT];
    const cameBack =
      program.isOneWay ||
      upstream.requests.some(({ raw }) => expected.every((product) => raw.includes(product)));
    const isDone = ran.code === 0 && cameBack && ran.output.includes(PRODUCT);
    const thinking = name === "messages" ? thinkingBack(upstream.requests.map(({ body }) => body)) : "";
    const refusals = refused > 0 ? `, ${refused} **refused**` : "";
    return isDone
      ? `yes, ${calls}${refusals}${thinking}`
      : `**no**, ${calls}: ${lastWords(ran, task, program.words)}`;
  }

  async loops(): Promise<string[]> {
    const key = await this.gateway.key();
    const cells: string[] = [];
    for (const name of vendorNames) {
      cells.push(await this.loop(name, key));
    }
    return cells;
  }

  /** A long loop on a Claude model: the share of its prompts' tokens from the vendor's cache, by the vendor's count. */
  async caching(): Promise<string[]> {
    const { gateway, program } = this;
    const cache = new PromptCache();
    const upstream = await startUpstream(callLong(program, cache));
    const model = await gateway.model("messages", upstream.baseUrl, program.modelPrefix);
    const { ran } = await this.ask({ url: gateway.url, model, key: await gateway.key() });
    await upstream.close();
    const { prompts, plain, read, written } = cache.sum();
    const all = plain + read + written;
    const percent = (tokens: number) => `${((100 * tokens) / all).toFixed(1)} %`;
    // Cached tokens cost a tenth of the price; written ones cost a quarter more.
    const paid = plain + read / 10 + written * 1.25;
    return [
      ran.code === 0 ? String(prompts) : `**broke off** after ${prompts}`,
      all.toLocaleString("en"),
      ...[read, written, plain, paid].map(percent),
      new Date().toISOString().slice(0, 10),
    ];
  }

  private async refused(endpoint: ModelEndpoint): Promise<string> {
    const { program } = this;
    const { ran, calls, task } = await this.ask(endpoint);
    const end = ran.code === null ? `still trying after ${PATIENCE_SECONDS} s` : `exit ${ran.code}`;
    return `${lastWords(ran, task, program.words)} (${calls}, ${end})`;
  }

  /** A wrong key, no quota, a model that does not exist. `url`: with or without the fields of COMPAT_ERRORS. */
  async refusals(url: string, model: string): Promise<string[]> {
    const { gateway } = this;
    const cells: string[] = [];
    for (const refusal of [
      { model, key: "tk-wrong" },
      { model, key: await gateway.key({ quota: "0" }) },
      { model: "no-such-model", key: await gateway.key() },
    ]) {
      cells.push(await this.refused({ url, ...refusal }));
    }
    return cells;
  }

  /** The second call of a minute, and an upstream that fails once. */
  async faults(model: string, failOnce: () => void): Promise<string[]> {
    const { gateway, program } = this;
    const { url } = gateway;
    const limited = await this.refused({ url, model, key: await gateway.key({ requestsPerMinute: 1 }) });
    failOnce();
    const { ran, calls, task } = await this.ask({ url, model, key: await gateway.key() });
    const isHealed = ran.code === 0 && ran.output.includes(PRODUCT);
    return [
      limited,
      isHealed
        ? `not seen (${calls})`
        : `${lastWords(ran, task, program.words)} (${calls}, exit ${ran.code})`,
    ];
  }
}

async function save(table: TableName, program: Program, cells: string[]): Promise<void> {
  const file = fileOf(table);
  const text = await readFile(file, "utf8");
  await writeFile(file, saveRow(text, { table, programs }, { program, cells }));
}

/** `CLIENT_TABLES`: the tables to write, separated by commas. */
const tables = (process.env.CLIENT_TABLES ?? "loops,refusals,compat-errors").split(",");

async function tryProgram(program: Program, trial: Trial): Promise<void> {
  if (tables.includes("loops")) {
    await save("loops", program, [program.dialect, ...(await trial.loops())]);
  }
  if (tables.includes("caching")) {
    await save("caching", program, await trial.caching());
  }
  const answer = callTool("chat", program, "one");
  const upstream = await startUpstream(answer);
  const model = await gateway.model("chat", upstream.baseUrl, program.modelPrefix);
  const failOnce = () =>
    upstream.answer((_asked, response) => {
      upstream.answer(answer);
      response.writeHead(500).end();
    });
  if (tables.includes("refusals")) {
    const refusals = await trial.refusals(gateway.url, model);
    await save("refusals", program, [...refusals, ...(await trial.faults(model, failOnce))]);
  }
  if (tables.includes("compat-errors")) {
    await save("compat-errors", program, await trial.refusals(gateway.compatUrl, model));
  }
  await upstream.close();
}

const ids = process.argv.slice(2);
const installs = await openInstalls();
const gateway = await startGateway();
try {
  for (const program of programs.filter(({ id }) => ids.length === 0 || ids.includes(id))) {
    const installed = await installs.install(program);
    if ("fault" in installed) {
      await save("loops", program, [program.dialect, `not installed here: ${installed.fault}`]);
      continue;
    }
    await tryProgram(program, new Trial(program, gateway, installed.directory));
  }
} finally {
  await gateway.close();
  await installs.close();
}
process.exit(0);
