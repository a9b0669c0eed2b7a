import { expect, test } from "vitest";
import { renameAccount, signOutEverywhere } from "@/server/access";
import { recordChange } from "@/server/audit";
import { nanos } from "@/server/base/money";
import { toResponse } from "@/server/base/reply";
import { topUp } from "@/server/billing";
import { exportCsv } from "@/server/console/exports/answer";
import { type CsvTable, csvOf } from "@/server/console/exports/csv";
import { transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { collectUnheld } from "@/tests/support/collect-garbage";
import { eventually } from "@/tests/support/eventually";
import { perFile, sandboxModel } from "@/tests/support/per-file";
import { callerFor, contextFor, type Seat } from "../support/console";
import { sharedGateway } from "../support/shared-gateway";

const FORMULA = '=HYPERLINK("http://evil.example","open")';
const BOM = "\uFEFF";

const gateway = perFile(sharedGateway);
const model = sandboxModel(gateway);

const month = () => gateway.runtime.billing.period();

/** An account with one call; its key's name is a formula. */
async function newCustomer() {
  const customer = await gateway.customer();
  await sqlOf(gateway.runtime.db)`update api_keys set name = ${FORMULA} where id = ${customer.keyId}`;
  const messages = [{ role: "user", content: "hi" }];
  const answer = await gateway.chat(customer.secret, { model, messages, max_tokens: 10 });
  await answer.text();
  await gateway.runtime.calls.flush();
  return { ...customer, requestId: answer.headers.get("x-request-id") ?? "" };
}

async function download(seat: Seat | null, path: string, headers: Record<string, string> = {}) {
  return await exportCsv(await contextFor(gateway, seat), askFor(path, { headers }));
}

const askFor = (path: string, { headers, ...init }: RequestInit = {}) =>
  new Request(`https://console.example/api/export/${path}`, {
    headers: { "sec-fetch-site": "same-origin", ...(headers as Record<string, string>) },
    ...init,
  });

const insertCalls = async ({ accountId, keyId }: { accountId: AccountId; keyId: KeyId }, count: number) =>
  await sqlOf(gateway.runtime.db)`
    insert into calls (request_id, account_id, key_id, endpoint, status, elapsed_ms, started_at)
    select 'req_' || lpad(to_hex(${Date.now()}::bigint), 12, '0') || lpad(to_hex(i), 20, '0'), ${accountId}, ${keyId},
      'messages', 200, 1, now() from generate_series(1, ${count}::int) as i`;

/** The text of the file, including its byte order mark. */
const bytesOf = async (answer: Response) =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(await answer.arrayBuffer());

/** Rows of cells, for files without line ends in their cells. */
async function rowsOf(answer: Response): Promise<Record<string, string>[]> {
  const [head = "", ...lines] = (await answer.text()).trimEnd().split("\r\n");
  const cells = (line: string) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, bare]) =>
      quoted === undefined ? (bare ?? "") : quoted.replaceAll('""', '"'),
    );
  const names = cells(head);
  return lines.map((line) =>
    Object.fromEntries(cells(line).map((cell, index) => [names[index] ?? "", cell])),
  );
}

test("requests are exported as a file that spreadsheets read as UTF-8, with exact costs", async () => {
  const { accountId, requestId } = await newCustomer();
  const answer = await download({ role: "owner", accountId }, "requests");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(answer.headers.get("content-disposition")).toMatch(
    /^attachment; filename="tollgate-requests-.*\.csv"$/,
  );
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(await bytesOf(answer.clone())).toMatch(new RegExp(`^${BOM}started_at,`));
  const [entry] = await gateway.entries(accountId);
  const [row] = await rowsOf(answer);
  expect(row).toMatchObject({
    ...{ request_id: requestId, charge_id: requestId, model },
    ...{ status: "200", money: "charged" },
  });
  expect(Math.round(Number(row?.cost) * 1e9)).toBe(Number(entry?.amount));
});

test("a name that is a formula is exported as text in every file", async () => {
  const { accountId } = await newCustomer();
  const { db } = gateway.runtime;
  await topUp(db, { accountId, period: month(), amount: nanos(1n), reason: "@SUM(1+1)" });
  await renameAccount(db, { accountId, name: `+1+${accountId}` });
  await transaction(db, (tx) =>
    recordChange(tx, {
      ...{ action: "account.rename", accountId, target: { id: accountId, name: "\t=1" } },
      actor: { userId: null, name: "-2+3", address: null },
    }),
  );
  const owner: Seat = { role: "owner", accountId };
  const operator: Seat = { role: "operator" };
  const files = [
    await download(owner, "requests"),
    await download(owner, `statement?period=${month()}`),
    await download(operator, `all-requests?accountId=${accountId}`),
    await download(operator, `audit?accountId=${accountId}`),
  ];
  const cells = (await Promise.all(files.map(rowsOf))).flat().flatMap((row) => Object.values(row));
  for (const inert of [`'${FORMULA}`, "'@SUM(1+1)", `'+1+${accountId}`, "'\t=1", "'-2+3"]) {
    expect(cells).toContain(inert);
  }
  expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
});

test("an export takes the filters of its list", async () => {
  const { accountId } = await newCustomer();
  const owner: Seat = { role: "owner", accountId };
  expect(await rowsOf(await download(owner, "requests?status=failed"))).toEqual([]);
  expect(await rowsOf(await download(owner, `requests?status=ok&modelId=${model}`))).toHaveLength(1);
  expect((await download(owner, "requests?color=red")).status).toBe(400);
  expect((await download(owner, "statement?period=2020-01")).status).toBe(400);
});

test("an export is refused with a reason until a password that someone else chose is changed", async () => {
  const context = await contextFor(gateway, { role: "operator" });
  const held = { ...context, viewer: context.viewer && { ...context.viewer, mustChangePassword: true } };
  const answer = await exportCsv(held, askFor("audit"));
  expect([answer.status, await answer.text()]).toEqual([
    403,
    "someone else set this password: change it first\n",
  ]);
});

test.each(["key", "model"] as const)(
  "usage by %s is exported with the numbers of the page, for an owner and for an operator",
  async (by) => {
    const { accountId } = await newCustomer();
    const seat: Seat = { role: "owner", accountId };
    const { total, rows } = await (await callerFor(gateway, seat)).usage.show({ by, range: "today" });
    expect(rows.length).toBeGreaterThan(0);
    const own = await rowsOf(await download(seat, `usage?by=${by}&range=today`));
    const all = await download({ role: "operator" }, `all-usage?by=${by}&range=today&accountId=${accountId}`);
    expect(await rowsOf(all)).toEqual(own);
    expect(own).toEqual(
      rows.map(({ id, amount, before, calls, ...row }) =>
        expect.objectContaining({
          [`${by}_id`]: id,
          ...{ amount, before: before.amount, calls: String(calls) },
          ...{ input_tokens: String(row.inputTokens), cached_tokens: String(row.cachedTokens) },
          output_tokens: String(row.outputTokens),
        }),
      ),
    );
    expect(own[0]?.amount).toBe(total.amount);
  },
);

test("an export without a session, without permission, or of an unknown name has a status of its own", async () => {
  expect((await download(null, "audit")).status).toBe(401);
  expect((await download({ role: "operator" }, "requests")).status).toBe(403);
  expect((await download({ role: "operator" }, "toString")).status).toBe(404);
});

test("another site cannot make a browser download a file, but a typed address can", async () => {
  const { accountId } = await newCustomer();
  const from = async (site: string) =>
    (await download({ role: "owner", accountId }, "requests", { "sec-fetch-site": site })).status;
  expect([await from("cross-site"), await from("same-site")]).toEqual([403, 403]);
  expect([await from("same-origin"), await from("none")]).toEqual([200, 200]);
});

test("a viewer has at most three open exports, and each end of one makes room for another", async () => {
  const { accountId, keyId } = await gateway.customer();
  await insertCalls({ accountId, keyId }, 2_000);
  const context = await contextFor(gateway, { role: "owner", accountId });
  const open = (init?: RequestInit) => exportCsv(context, askFor("requests", init));
  const gone = new AbortController();
  const read = await open();
  const cancelled = await open();
  await open({ signal: gone.signal });
  const refused = await open();
  expect(refused.status).toBe(429);
  expect(await refused.text()).toMatch(/^Three exports are under way already/);
  expect((await download({ role: "owner", accountId }, "requests")).status).toBe(200);

  await read.text();
  await cancelled.body?.cancel();
  // A request that the garbage collector took would not notice that its client has gone.
  await collectUnheld();
  gone.abort();
  const statuses = [await open(), await open(), await open(), await open()].map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 200, 429]);
});

test("a HEAD request opens no export", async () => {
  const { accountId } = await gateway.customer();
  const context = await contextFor(gateway, { role: "owner", accountId });
  for (const _ of Array.from({ length: 4 })) {
    expect((await exportCsv(context, askFor("requests", { method: "HEAD" }))).status).toBe(405);
  }
  expect((await exportCsv(context, askFor("requests"))).status).toBe(200);
});

test("the end of a session breaks off its downloads", async () => {
  const { accountId, keyId } = await gateway.customer();
  await insertCalls({ accountId, keyId }, 5_000);
  const context = await contextFor(gateway, { role: "owner", accountId });
  expect((await rowsOf(await exportCsv(context, askFor("requests")))).length).toBe(5_000);
  const answer = await exportCsv(context, askFor("requests"));
  await signOutEverywhere(gateway.runtime.db, context.viewer?.id ?? "");
  await expect(answer.text()).rejects.toThrow("the session has ended");
});

function endlessTable() {
  const state = { batchCount: 0, isClosed: false };
  async function* batches() {
    try {
      for (;;) {
        state.batchCount++;
        yield Array.from({ length: 100 }, () => [state.batchCount, "x"]);
      }
    } finally {
      state.isClosed = true;
    }
  }
  const table: CsvTable = { name: "endless", columns: ["n", "text"], batches: batches() };
  return { table, state };
}

const asFile = (body: AsyncGenerator<string>) => toResponse({ status: 200, headers: {}, body });

const neverFails = (error: unknown) => {
  throw error;
};

test("batches are read as fast as the reader takes them, and none after the reader left", async () => {
  const { table, state } = endlessTable();
  const reader = asFile(csvOf(table, { onError: neverFails })).body?.getReader();
  await reader?.read();
  await reader?.read();
  await eventually(() => state.batchCount).toBeLessThan(10);
  await reader?.cancel();
  await eventually(() => state.isClosed).toBe(true);
});

test("a file ends at its maximum of rows and says so", async () => {
  const { table, state } = endlessTable();
  const text = await asFile(csvOf(table, { onError: neverFails, maxRows: 250 })).text();
  const lines = text.trimEnd().split("\r\n");
  expect(lines).toHaveLength(1 + 250 + 1);
  expect(lines.at(-1)).toMatch(/cut off after 250 rows/);
  expect(state.isClosed).toBe(true);
});

test("a file that fails midway breaks off instead of looking complete", async () => {
  async function* batches() {
    yield [["a"]];
    throw new Error("the database is gone");
  }
  const failures: unknown[] = [];
  const pieces = csvOf(
    { name: "broken", columns: ["n"], batches: batches() },
    { onError: (error) => failures.push(error) },
  );
  await expect(asFile(pieces).text()).rejects.toThrow("the database is gone");
  expect(failures).toHaveLength(1);
});
