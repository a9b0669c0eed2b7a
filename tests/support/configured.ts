/** Installations for configuration files. The example is that of the page. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { commandsOn } from "./command";
import { startGateway } from "./gateway";
import { temporaryDirectory } from "./temporary-directory";
import { answerWith, type FakeUpstream, startUpstream, usage } from "./upstream";

export const home = temporaryDirectory();
export const [UPSTREAM_SECRET, KEY_SECRET] = ["sk-upstream-4711", `sk-${"k3".repeat(21)}y`];

/** The text of the example, and its channel's upstream: from the first test on. */
export const page = {} as { example: string; upstream: FakeUpstream };

beforeAll(async () => {
  page.upstream = await startUpstream(answerWith("It floats.", usage(1_000, 500)));
  const text = await readFile("docs/configuration-as-files.md", "utf8");
  const [, block = ""] = /```yaml\n(# yaml-language-server.*?)```/s.exec(text) ?? [];
  page.example = block.replace("https://api.openai.com/v1", page.upstream.baseUrl);
});
afterAll(() => page.upstream.close());

let serial = 0;

/** An empty installation with a folder of files. */
export async function install(env: Record<string, string> = {}) {
  const gateway = await startGateway();
  const folder = join(home, `config-${serial++}`);
  await mkdir(folder);
  const variables = { OPENAI_API_KEY: UPSTREAM_SECRET, ACME_PRODUCTION_KEY: KEY_SECRET, ...env };
  const commands = commandsOn(() => gateway.databaseUrl, variables);
  const write = (text: string, name = "tollgate.yaml") => writeFile(join(folder, name), text);
  const apply = (...flags: string[]) => commands.run("apply", "-f", folder, ...flags);
  await write(page.example);
  return { gateway, folder, write, apply, ...commands };
}

export type Installation = Awaited<ReturnType<typeof install>>;

export const isApplied = { code: 0, err: "" };
export const sql = ({ gateway }: Pick<Installation, "gateway">) => sqlOf(gateway.runtime.db);
export const auditEntries = async (installation: Installation) =>
  await sql(installation)<
    { action: string; actor: string }[]
  >`select action, actor from audit_entries order by id`;
