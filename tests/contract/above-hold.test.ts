import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createLog } from "@/server/base/log";
import { sqlOf } from "@/server/db/handles";
import { newId } from "@/server/domain/ids";
import { commandsOn } from "@/tests/support/command";
import { startGateway } from "@/tests/support/gateway";
import { messages, perFile, servedModel, temporaryDirectory } from "@/tests/support/per-file";
import { incidentsOf } from "@/tests/support/scraped-metrics";
import { until } from "@/tests/support/until";
import { answerWith, startUpstream, usage } from "@/tests/support/upstream";

const LIMIT = 100;
const LONGEST = 1_000;

const dataDir = temporaryDirectory();
const env = { TOLLGATE_DATA_DIR: dataDir };
const gateway = perFile(() => startGateway({ log }));
// Answers one word, and reports far more tokens than the limit allowed.
const upstream = perFile(() => startUpstream(answerWith("one", usage(5, 5_000))));
const model = servedModel({ gateway, upstream }, { maxOutputTokens: LONGEST });
let logged = "";
const log = createLog("error", { write: (line: string) => (logged += line) });
afterAll(async () => {
  expect(await gateway.verify()).toEqual([]);
});

/** The charge of a call. `body` names the client's limit. */
async function charged(body: object) {
  const { accountId, secret } = await gateway.customer();
  const response = await gateway.chat(secret, { model, messages, ...body });
  await response.text();
  expect(response.status).toBe(200);
  const [entry] = await gateway.entries(accountId);
  return { requestId: response.headers.get("x-request-id") ?? "", entry };
}

const alarms = () => incidentsOf(gateway, "above_hold");

const { doctorOn } = commandsOn(() => gateway.databaseUrl, env);

describe("a charge above its hold", () => {
  test.each([false, true])("raises an alarm if the client named a limit (stream: %s)", async (stream) => {
    const before = await alarms();
    const { requestId, entry } = await charged({ stream, max_tokens: LIMIT });
    expect(Number(entry?.amount)).toBeGreaterThan(Number(entry?.held));
    expect(entry?.note).toBe("above hold");
    expect(await alarms()).toBe(before + 1);
    const lines = logged.split("\n").filter((line) => line.includes(requestId));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      msg: "a call with a limit was charged above its hold",
      model,
      charged: "0.010005",
    });
  });

  test("raises none if the client named no limit, because the money frozen for a call is no limit of the client", async () => {
    const before = await alarms();
    const { requestId, entry } = await charged({});
    expect(Number(entry?.amount)).toBeGreaterThan(Number(entry?.held));
    expect(entry?.note).toBeNull();
    expect(await alarms()).toBe(before);
    expect(logged).not.toContain(requestId);
  });

  test("does not occur if the upstream keeps to the limit", async () => {
    upstream.answer(answerWith("one", usage(5, LIMIT)));
    const before = await alarms();
    const { entry } = await charged({ max_tokens: LIMIT });
    expect(entry?.note).toBeNull();
    expect(await alarms()).toBe(before);
  });

  test("fails doctor's ledger check for a day, and no longer", async () => {
    upstream.answer(answerWith("one", usage(5, 5_000)));
    const { requestId } = await charged({ max_tokens: LIMIT });
    const detail = /^in the last day, [1-9]\d* requests with a limit were charged above their hold/;
    expect(await doctorOn("ledger")).toMatchObject({ ok: false, detail: expect.stringMatching(detail) });
    const sql = sqlOf(gateway.runtime.db);
    await sql`update ledger_entries set created_at = now() - interval '23 hours 59 minutes' where note = 'above hold'`;
    expect(await doctorOn("ledger")).toMatchObject({ ok: false });
    await sql`update ledger_entries set created_at = now() - interval '24 hours 1 minute' where note = 'above hold'`;
    const none = expect.stringContaining("0 requests with a limit");
    expect(await doctorOn("ledger")).toMatchObject({ ok: true, detail: none });
    expect((await sql`select 1 from ledger_entries where id = ${requestId}`).length).toBe(1);
  });
});

test("doctor fails while charges of delivered calls lie on disk, and passes once a server has charged them", async () => {
  expect(await doctorOn("charges")).toMatchObject({ ok: true });
  const { accountId, keyId } = await gateway.customer();
  await gateway.balance(accountId);
  const requestId = newId("req");
  const ids = { keyId, modelId: model, channelId: "chn_test" };
  const charge = { amount: "7", usage: null, source: null, prices: {}, ...ids };
  const directory = join(dataDir, "charges");
  await mkdir(directory, { recursive: true });
  const kept = { requestId, accountId, period: gateway.runtime.billing.period(), charge };
  await writeFile(join(directory, `${requestId}.json`), JSON.stringify(kept));
  const detail = expect.stringMatching(/^1 delivered requests are waiting in /);
  expect(await doctorOn("charges")).toMatchObject({ ok: false, detail });
  const next = await startGateway({ databaseUrl: gateway.databaseUrl, env });
  await until(async () => (await readdir(directory)).length === 0);
  expect(await doctorOn("charges")).toMatchObject({ ok: true });
  await next.close();
  expect(await gateway.entries(accountId)).toMatchObject([{ requestId, amount: 7n, note: "late" }]);
  expect(await doctorOn("ledger")).toMatchObject({ detail: expect.stringContaining("1 were charged late") });
});
