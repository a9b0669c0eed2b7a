/** Installations for configuration files. The example is that of the page. */
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { commandsOn } from "./command";
import { startGateway } from "./gateway";
import { perFile, temporaryDirectory } from "./per-file";
import { answerWith, startUpstream, usage } from "./upstream";

export const [UPSTREAM_SECRET, KEY_SECRET] = ["sk-upstream-4711", `sk-${"k3".repeat(21)}y`];

/**
 * Installations of a test file, which calls this once: workers keep modules, but each file has its own folder and
 * upstream. `page.example`: the text of the example with that upstream, from the first test on.
 */
export function fileInstallations() {
  const home = temporaryDirectory();
  const upstream = perFile(() => startUpstream(answerWith("It floats.", usage(1_000, 500))));
  const page = { example: "", upstream };
  beforeAll(async () => {
    const text = await readFile("docs/configuration-as-files.md", "utf8");
    const [, block = ""] = /```yaml\n(# yaml-language-server.*?)```/s.exec(text) ?? [];
    page.example = block.replace("https://api.openai.com/v1", upstream.baseUrl);
  });

  /** An empty installation with a folder of files. */
  async function install(env: Record<string, string> = {}) {
    const folder = await mkdtemp(join(home, "config-"));
    const gateway = await startGateway();
    const variables = { OPENAI_API_KEY: UPSTREAM_SECRET, ACME_PRODUCTION_KEY: KEY_SECRET, ...env };
    const commands = commandsOn(() => gateway.databaseUrl, variables);
    const write = (text: string, name = "tollgate.yaml") => writeFile(join(folder, name), text);
    const apply = (...flags: string[]) => commands.run("apply", "-f", folder, ...flags);
    await write(page.example);
    return { gateway, folder, write, apply, ...commands };
  }
  return { home, page, install };
}

export type Installation = Awaited<ReturnType<ReturnType<typeof fileInstallations>["install"]>>;

export const isApplied = { code: 0, err: "" };
export const sql = ({ gateway }: Pick<Installation, "gateway">) => sqlOf(gateway.runtime.db);
export const auditEntries = async (installation: Installation) =>
  await sql(installation)<
    { action: string; actor: string }[]
  >`select action, actor from audit_entries order by id`;
