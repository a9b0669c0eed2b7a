import { afterAll, expect, onTestFinished, test } from "vitest";
import { createLog } from "@/server/base/log";
import { nanos, parseMoney } from "@/server/base/money";
import { statementTable } from "@/server/console/exports/tables";
import { sqlOf } from "@/server/db/handles";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { commandsOn } from "@/tests/support/command";
import { callerFor } from "@/tests/support/console";
import { startGateway } from "@/tests/support/gateway";
import { openLedger } from "@/tests/support/ledger";
import { perFile, servedModel } from "@/tests/support/per-file";
import { promised } from "@/tests/support/refusal";
import { until } from "@/tests/support/until";
import { heldAnswer, openStreams, startUpstream, usage } from "@/tests/support/upstream";
import { branded } from "../support/branded";

const LEASE_SECONDS = 2;
const log: string[] = [];
const gateway = perFile(() =>
  startGateway({
    leaseSeconds: LEASE_SECONDS,
    log: createLog("error", { write: (line: string) => void log.push(line) }),
  }),
);
const ledger = perFile(async () => {
  const books = openLedger(gateway.databaseUrl);
  await books.outlastStart(LEASE_SECONDS);
  return books;
});
const { answer, goOn } = heldAnswer();
const upstream = perFile(() => startUpstream(answer));
// Input is free. Every call is limited to 100 tokens of output, which cost 1.
const prices = { inputPrice: nanos(0n), outputPrice: parseMoney("10000") ?? nanos(0n) };
const model = servedModel({ gateway, upstream }, prices);
const openParts = openStreams(usage(10, 100));
let open = 0;
/** Every second stream never begins. */
const parts = perFile(() =>
  startUpstream((call, response, request) => {
    open++;
    response.once("close", () => open--);
    if (call.body.stream !== true || open % 2 === 1) {
      return openParts.answer(call, response, request);
    }
  }),
);
const parted = servedModel({ gateway, upstream: parts }, prices, {
  capabilities: { severalAnswers: false },
});
afterAll(async () => {
  expect(await gateway.verify()).toEqual([]);
});

const call = (secret: string, stream: boolean) =>
  gateway.chat(secret, { model, stream, max_tokens: 100, messages: [{ role: "user", content: "hi" }] });

const expire = (accountId: AccountId) => sqlOf(ledger.db)`
  update holds set expires_at = now() - interval '1 second' where account_id = ${accountId}`;

/** As if the process had stood still for longer than its lease and another one had swept its holds. */
async function lose(accountId: AccountId): Promise<void> {
  await until(async () => {
    // The process may renew its lease before the sweep.
    await expire(accountId);
    return (await gateway.runtime.billing.sweep()) > 0;
  });
}

/** As `lose`; then another call spends the frozen money. */
async function loseAndSpend(accountId: AccountId): Promise<void> {
  const { billing } = gateway.runtime;
  const requestId = `req_spends_${accountId}`;
  const payer = { requestId, accountId, keyId: branded<KeyId>("key_other"), keyCap: null };
  await until(async () => {
    await expire(accountId);
    const spent = await promised(() => billing.hold({ ...payer, amount: nanos(1_000_000_000n) })).catch(
      () => null,
    );
    if (spent) {
      onTestFinished(() => billing.release(spent, "test"));
    }
    return spent !== null;
  });
}

const kinds = async (accountId: AccountId) =>
  (await gateway.entries(accountId)).map(({ kind, note, amount }) => [kind, note, amount]).toReversed();

test("a stream whose money is spent meanwhile ends with an error frame, and pays for what was delivered", async () => {
  const { accountId, secret } = await gateway.customer({ quota: "1" });
  const response = await call(secret, true);
  await loseAndSpend(accountId);
  const text = await response.text();
  expect(text).not.toContain("[DONE]");
  const last = JSON.parse(text.trim().split("\n\n").at(-1)?.slice("data: ".length) ?? "");
  expect(last).toMatchObject({ code: 402, data: null, error: { code: 402 } });
  expect(await kinds(accountId)).toEqual([
    ["release", "expired", 1_000_000_000n],
    ["capture", "late, cut: hold_lost", 10_000_000n],
  ]);
  const requestId = response.headers.get("x-request-id") ?? "";
  await gateway.runtime.calls.flush();
  const owner = await callerFor(gateway, { role: "owner", accountId });
  // The console shows that the charge was late. It does not show the freeze, which had been returned.
  expect(await owner.calls.get({ requestId })).toMatchObject({
    ...{ isLate: true, cut: "hold_lost" },
    ...{ cost: "0.01", held: null },
  });
  const operator = await callerFor(gateway, { role: "operator" });
  expect(await operator.allCalls.get({ requestId })).toMatchObject({ isLate: true });
  const table = await statementTable(gateway.runtime, {
    accountId,
    period: gateway.runtime.billing.period(),
  });
  const [kind, note] = [table.columns.indexOf("kind"), table.columns.indexOf("note")];
  const notes: unknown[] = [];
  for await (const batch of table.batches) {
    notes.push(...batch.filter((row) => row[kind] === "capture").map((row) => row[note]));
  }
  expect(notes).toEqual(["late, cut: hold_lost"]);
});

test("a whole answer whose money is spent meanwhile is delivered, and charged late", async () => {
  const { accountId, secret } = await gateway.customer({ quota: "1" });
  const before = upstream.requests.length;
  const pending = call(secret, false);
  await until(() => upstream.requests.length > before);
  log.length = 0;
  await loseAndSpend(accountId);
  // The gateway knows that the money is gone, as it would know for a stream.
  await until(() => log.some((line) => line.includes("returned while it lived, and is spent")));
  goOn();
  const response = await pending;
  expect([response.status, await response.json()]).toMatchObject([
    200,
    { choices: [{ message: { content: "one" } }] },
  ]);
  expect(await kinds(accountId)).toEqual([
    ["release", "expired", 1_000_000_000n],
    ["capture", "late", 1_000_000_000n],
  ]);
});

/** A call for twenty answers, of which eight are under way at once when another call spends their money. */
async function loseSeveral(isStream: boolean) {
  const { accountId, secret } = await gateway.customer({ quota: "20" });
  const before = parts.requests.length;
  log.length = 0;
  const pending = gateway.chat(secret, {
    ...{ model: parted, stream: isStream, max_tokens: 100, n: 20 },
    messages: [{ role: "user", content: "hi" }],
  });
  await until(() => parts.requests.length === before + 8);
  await loseAndSpend(accountId);
  await until(() => log.some((line) => line.includes("returned while it lived, and is spent")));
  return { accountId, pending, callCount: () => parts.requests.length - before };
}

test("a lost hold ends all streams of one call, and no more of them begin", async () => {
  const { accountId, pending, callCount } = await loseSeveral(true);
  const text = await (await pending).text();
  await until(() => open === 0);
  expect([text.includes('"code":402'), text.includes("[DONE]"), callCount()]).toEqual([true, false, 8]);
  expect(await kinds(accountId)).toMatchObject([
    ["release", "expired", 20_000_000_000n],
    ["capture", "late, cut: hold_lost", 40_000_000n],
  ]);
});

test("a lost hold lets the whole answers under way finish, and no more of them begin", async () => {
  const { accountId, pending, callCount } = await loseSeveral(false);
  openParts.finish();
  const { choices } = await (await pending).json();
  const ends = choices.map(({ finish_reason }: { finish_reason: string }) => finish_reason).sort();
  expect([ends, callCount()]).toEqual([[...Array(12).fill("error"), ...Array(8).fill("stop")], 8]);
  expect(await kinds(accountId)).toMatchObject([
    ["release", "expired", 20_000_000_000n],
    ["capture", "late", 8_000_000_000n],
  ]);
});

test("doctor reports a call whose money was returned, until the call is charged", async () => {
  const { accountId, secret } = await gateway.customer({ quota: "1" });
  const { doctorOn } = commandsOn(() => gateway.databaseUrl);
  const ledgerLine = async () => (await doctorOn("ledger"))?.detail;
  expect(await ledgerLine()).toContain("and 0 were not charged because their process died");
  const response = await call(secret, true);
  await lose(accountId);
  expect(await ledgerLine()).toContain("and 1 were not charged because their process died");
  goOn();
  await response.text();
  expect(await ledgerLine()).toContain("and 0 were not charged because their process died");
});
