import { expect, inject, test } from "vitest";
import { distributeDatabase, findDistribution } from "@/server/db";
import { commandsOn } from "@/tests/support/command";
import { freshDatabase } from "@/tests/support/database";
import { onEach, urlOf } from "@/tests/support/nodes";

const [server = "", ...workers] = inject("nodes").urls;
const isCitus = workers.length > 0;

test("a database is known as what it is", async () => {
  expect(await findDistribution(await freshDatabase())).toBe(isCitus);
});

test("a database without Citus is refused in words, and left as it is", async () => {
  const name = `${inject("template")}_plain_${process.pid}`;
  await onEach({ urls: [server] }, (sql) => sql.unsafe(`create database ${name} template template0`));
  const url = urlOf(server, name);
  await expect(distributeDatabase(url, { shards: 4 })).rejects.toThrow("this database has no Citus");
  expect(await findDistribution(url)).toBe(false);
});

test("distributing twice changes nothing; where there is nothing to distribute with, it never begins", async () => {
  const again = distributeDatabase(await freshDatabase(), { shards: 4 });
  if (!isCitus) {
    await expect(again).rejects.toThrow("create extension citus");
    return;
  }
  const tables = await again;
  expect(tables.map(({ table }) => table)).toContain("ledger_entries");
  expect(tables.filter(({ before }) => !before)).toEqual([]);
});

test("the command says what is done to each table, or why nothing is", async () => {
  const url = await freshDatabase();
  const { run } = commandsOn(() => url);
  const { code, out, err } = await run("db", "distribute", "--json");
  if (!isCitus) {
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^this database has no Citus: /);
    return;
  }
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(out)).toContainEqual({ table: "holds", as: "by account", done: "before" });
  expect(await run("db", "distribute", "--shards", "0")).toMatchObject({ code: 2 });
});
