import { readFileSync } from "node:fs";
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { commandsOn } from "@/tests/support/command";
import { postTo, serverEnvironment } from "@/tests/support/gateway";
import { messages, served } from "@/tests/support/per-file";
import { startServer } from "@/tests/support/process";
import { answerWith, usage } from "@/tests/support/upstream";

const { gateway, model } = served(answerWith("Hello there", usage(7, 3)));

/** The grants of docs/upgrading.md, for a role of this file. */
const [, GRANTS = ""] = /```sql\n([\s\S]+?)```/.exec(readFileSync("docs/upgrading.md", "utf8")) ?? [];

/** The URL of a database for a new role with exactly the documented permissions. */
async function asServingRole(databaseUrl: string): Promise<string> {
  const role = `tollgate_serve_${process.pid}`;
  const owner = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await owner.unsafe(`create role ${role} login password 'serve'`);
  await owner.unsafe(GRANTS.replaceAll("tollgate_serve", role));
  onTestFinished(async () => {
    await owner.unsafe(`drop owned by ${role}`);
    await owner.unsafe(`drop role ${role}`);
    await owner.end();
  });
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = "serve";
  return url.href;
}

test("a server whose role may create, alter and drop nothing serves and charges without drift", async () => {
  const url = await asServingRole(gateway.databaseUrl);
  const bare = postgres(url, { max: 1, onnotice: () => {} });
  await expect(bare`create table more ()`).rejects.toThrow("permission denied for schema public");
  await expect(bare`alter table holds add column more text`).rejects.toThrow("must be owner of table holds");
  await bare.end();
  const { accountId, secret } = await gateway.customer();
  const server = await startServer({ ...serverEnvironment(url), MIGRATE: "verify", WEB_CONCURRENCY: "1" });
  try {
    const answer = await postTo(server.url)(secret, "chat/completions", { model, messages });
    expect(answer.status).toBe(200);
    expect((await gateway.entries(accountId)).map(({ kind }) => kind)).toContain("capture");
    expect((await fetch(`${server.url}/sign-in`)).status).toBe(200);
    const { json } = commandsOn(() => url);
    expect(await json("ledger", "verify")).toEqual({ ok: true, drift: [] });
    await json("account", "create", "--name", "by-role", "--quota", "10");
    expect(await gateway.verify()).toEqual([]);
  } finally {
    await server.stop();
  }
});
