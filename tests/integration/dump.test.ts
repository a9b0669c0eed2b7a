import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import postgres from "postgres";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { dumpDatabase, restoreDatabase } from "@/server/db/dump";
import type { AccountId } from "@/server/domain/ids";
import { commandsOn } from "@/tests/support/command";
import { freshDatabase } from "@/tests/support/database";
import { eventually } from "@/tests/support/eventually";
import { gate } from "@/tests/support/gate";
import { postTo, startGateway } from "@/tests/support/gateway";
import { perFile, servedModel, temporaryDirectory } from "@/tests/support/per-file";
import { sleep } from "@/tests/support/until";
import { answerWith, startUpstream } from "@/tests/support/upstream";
import { virtualTimers } from "@/tests/support/virtual-clock";

/** In a time that stands still: the server's background work changes no row while a test compares all rows. */
const gateway = perFile(() => startGateway({ timers: virtualTimers() }));
const upstream = perFile(() => startUpstream(answerWith("Hello there")));
const modelId = servedModel({ gateway, upstream });
const { run, json } = commandsOn(() => gateway.databaseUrl);

/** Characters that end a line or a field in some format. */
const ODD = 'a\tb\nc\r\nd\\e\\.\u2028f\u2029"g"';

const directory = temporaryDirectory();
let customer: { accountId: AccountId; secret: string };
/** The moment just before the last call. */
let lastAskedAt: Date;

const call = (url: string) => {
  const body = { model: String(modelId), messages: [{ role: "user", content: "hi" }] };
  return postTo(url)(customer.secret, "chat/completions", body);
};
const respond = () => gateway.post(customer.secret, "responses", { model: String(modelId), input: "hi" });

async function withSql<T>(url: string, ask: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await ask(sql);
  } finally {
    await sql.end();
  }
}

/** All rows of all tables as text. */
const contentsOf = (url: string) =>
  withSql(url, async (sql) => {
    const tables = await sql<{ name: string }[]>`
      select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`;
    const contents: Record<string, string[]> = {};
    for (const { name } of tables) {
      const rows = await sql<{ row: string }[]>`select t::text as row from ${sql(name)} t order by 1`;
      contents[name] = rows.map(({ row }) => row);
    }
    return contents;
  });

/** Whether the rows that follow a call by some moments exist, and no hold is left. */
const isQuiet = (url: string) =>
  withSql(url, async (sql) => {
    const [settled] = await sql<{ is: boolean }[]>`
      select (select count(*) from calls) = 3 and (select count(*) from call_attempts) = 3
        and (select sum(calls) from model_hours) = 3
        and not exists (select from holds)
        and (select bool_and(last_used_at >= ${lastAskedAt}) from api_keys) as is`;
    return settled?.is === true;
  });

const restoreTarget = async () => {
  const url = await freshDatabase();
  return { url, ...commandsOn(() => url) };
};

beforeAll(async () => {
  customer = await gateway.customer();
  await json("account", "topup", "--account", customer.accountId, "--amount", "5", "--reason", ODD);
  await json("user", "create", "--email", "owner@example.com", "--account", customer.accountId);
  for (const ask of [() => call(gateway.url), () => call(gateway.url), respond]) {
    lastAskedAt = new Date();
    const response = await ask();
    expect(response.status).toBe(200);
    await response.text();
  }
});

const refusedWith = (words: string) => ({ code: 1, err: expect.stringContaining(words) });

const newDump = async (name: string) => {
  const file = join(directory, name);
  return { file, ...(await json<{ tables: number; rows: number }>("db", "dump", "--to", file)) };
};

describe("a dump of a database that is in use", () => {
  test("restores every row, correct books, working keys and continuing sequences elsewhere", async () => {
    const { calls, modelHours, access } = gateway.runtime;
    await eventually(async () => {
      await Promise.all([calls.flush(), modelHours.flush(), access.flushUses()]);
      return await isQuiet(gateway.databaseUrl);
    }, 30_000).toBe(true);
    const { file, tables, rows } = await newDump("whole.gz");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const copy = await restoreTarget();
    expect(await copy.json("db", "restore", "--from", file)).toEqual({ tables, rows });
    const [before, after] = [await contentsOf(gateway.databaseUrl), await contentsOf(copy.url)];
    expect(after).toEqual(before);
    expect(JSON.stringify(after)).toContain("\u2028f");

    expect((await copy.run("ledger", "verify")).code).toBe(0);
    const restored = await startGateway({ databaseUrl: copy.url });
    onTestFinished(() => restored.close());
    const response = await call(restored.url);
    expect([response.status, JSON.stringify(await response.json())]).toEqual([
      200,
      expect.stringContaining("Hello there"),
    ]);
    await copy.json("account", "rename", "--account", customer.accountId, "--name", "renamed");
    expect(await restored.verify()).toEqual([]);
  });

  test("is a snapshot of one moment, whatever is paid meanwhile", async () => {
    const busy = new AbortController();
    const callers = Array.from({ length: 4 }, async () => {
      while (!busy.signal.aborted) {
        const response = await call(gateway.url);
        expect(response.status).toBe(200);
        await response.text();
      }
    });
    const { file } = await newDump("busy.gz");
    busy.abort();
    await Promise.all(callers);
    const copy = await restoreTarget();
    await copy.json("db", "restore", "--from", file);
    expect(await copy.run("ledger", "verify")).toMatchObject({ code: 0 });
  });
});

test("a dump to a disk that is slower than the database completes", async () => {
  const url = await freshDatabase();
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  // Tables of many sizes: one of them ends with the piece that is too much for the reader.
  for (let size = 1; size <= 40; size++) {
    await sql.unsafe(`create table wide_${size} as
      select repeat('x', 500) as text from generate_series(1, ${size * 40})`);
  }
  await sql.end();
  const { rows } = await dumpDatabase(url, async (pieces) => {
    for await (const _ of pieces) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  expect(rows).toBeGreaterThanOrEqual((40 * 41 * 40) / 2);
});

describe("a refused command changes nothing:", () => {
  test("a dump to a file that exists already", async () => {
    const { file } = await newDump("taken.gz");
    const before = await readFile(file);
    expect(await run("db", "dump", "--to", file)).toMatchObject(refusedWith("already exists"));
    expect(await readFile(file)).toEqual(before);
  });

  test("a restore into a database that is in use", async () => {
    const { file } = await newDump("again.gz");
    const before = await contentsOf(gateway.databaseUrl);
    expect(await run("db", "restore", "--from", file)).toMatchObject(refusedWith("in use"));
    expect((await contentsOf(gateway.databaseUrl)).accounts).toEqual(before.accounts);
  });

  const inText = (change: (text: string) => string) => (whole: Buffer) =>
    gzipSync(change(gunzipSync(whole).toString("utf8")));

  test.each<[string, (whole: Buffer) => Buffer, RegExp?]>([
    ["cut short", (whole) => whole.subarray(0, whole.length - 200)],
    ["with a changed byte", (whole) => whole.fill(0x55, whole.length - 300, whole.length - 290)],
    ["with bytes after its compressed end", (whole) => Buffer.concat([whole, Buffer.from("more")])],
    ["that is not compressed", () => Buffer.from("hello")],
    ["cut between two lines", inText((text) => text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1))],
    ["without its last table", inText((text) => text.slice(0, text.lastIndexOf('{"table"')))],
    ["with one row less", inText((text) => text.replace(/(\n\{"table":"accounts".*\n).*\n/, "$1"))],
    ["with a changed row", inText((text) => text.replace("acc_", "bcc_")), /dump is incomplete|violates/],
    ["with a line after its end", inText((text) => `${text}{}\n`)],
    [
      "of another schema",
      inText((text) => text.replace(/"migration":"\d+"/, '"migration":"1"')),
      /release that wrote it/,
    ],
    ["of another format", inText((text) => text.replace('"format":1', '"format":2'))],
    ["that is empty", inText(() => "")],
    [
      "whose partition has a statement in its bound",
      inText((text) => text.replace(/"bound":"[^"]*"/, '"bound":"DEFAULT; drop table accounts"')),
    ],
  ])("a restore of a dump %s", async (name, change, words = /dump is incomplete/) => {
    const { file } = await newDump(`${name}.gz`);
    await writeFile(file, change(await readFile(file)));
    const copy = await restoreTarget();
    const before = await contentsOf(copy.url);
    expect(await copy.run("db", "restore", "--from", file)).toMatchObject({
      code: 1,
      err: expect.stringMatching(words),
    });
    expect(await contentsOf(copy.url)).toEqual(before);
  });
});

test("a restore with other secrets than those of the dumped installation says which are needed", async () => {
  const { file } = await newDump("secrets.gz");
  const copy = await restoreTarget();
  const other = commandsOn(() => copy.url, { ENCRYPTION_KEY: "x".repeat(32) });
  expect(await other.run("db", "restore", "--from", file)).toMatchObject({
    code: 0,
    err: expect.stringContaining("ENCRYPTION_KEY"),
  });
});

describe("a restore into a database whose server starts", () => {
  test("before it is refused, although no row exists yet", async () => {
    const { file } = await newDump("served.gz");
    const copy = await restoreTarget();
    const early = await startGateway({ databaseUrl: copy.url, timers: virtualTimers() });
    const before = await contentsOf(copy.url);
    try {
      expect(await copy.run("db", "restore", "--from", file)).toMatchObject(
        refusedWith("a server uses this database"),
      );
      expect(await contentsOf(copy.url)).toEqual(before);
    } finally {
      await early.close();
    }
    expect(await copy.run("db", "restore", "--from", file)).toMatchObject({ code: 0 });
  });

  test("during it makes the server wait, which then serves the restored data", async () => {
    const { file } = await newDump("meanwhile.gz");
    const text = gunzipSync(await readFile(file));
    const copy = await restoreTarget();
    let late: ReturnType<typeof startGateway> | undefined;
    let isUp = false;
    async function* slowly() {
      yield text.subarray(0, text.length / 2);
      late = startGateway({ databaseUrl: copy.url });
      late.then(
        () => {
          isUp = true;
        },
        () => {},
      );
      await sleep(2_000);
      expect(isUp).toBe(false);
      yield text.subarray(text.length / 2);
    }
    await restoreDatabase(copy.url, slowly());
    const server = await late;
    onTestFinished(() => server?.close());
    expect((await call(server?.url ?? "")).status).toBe(200);
    expect(await server?.verify()).toEqual([]);
  });

  test("is refused if a row is being written when it begins, and keeps that row", async () => {
    const { file } = await newDump("racing.gz");
    const copy = await restoreTarget();
    const sql = postgres(copy.url, { max: 1, onnotice: () => {} });
    onTestFinished(() => sql.end());
    const [written, committing] = [gate(), gate()];
    const writing = sql.begin(async (tx) => {
      await tx`insert into users (id, email, role) values ('usr_early', 'early@example.com', 'operator')`;
      written.open();
      await committing.opened;
    });
    await written.opened;
    const restoring = copy.run("db", "restore", "--from", file);
    await sleep(1_500);
    committing.open();
    await writing;
    expect(await restoring).toMatchObject(refusedWith("in use"));
    expect(await sql`select email from users`).toEqual([{ email: "early@example.com" }]);
  });
});
