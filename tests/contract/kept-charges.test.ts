import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { countArrears } from "@/server/billing";
import type { AccountId } from "@/server/domain/ids";
import { freshDatabase } from "@/tests/support/database";
import { linkTo } from "@/tests/support/database-link";
import { startGateway } from "@/tests/support/gateway";
import { openLedger } from "@/tests/support/ledger";
import { messages, perFile, servedModel, temporaryDirectory } from "@/tests/support/per-file";
import { incidentsOf, metricOf } from "@/tests/support/scraped-metrics";
import { until } from "@/tests/support/until";
import { heldAnswer, startUpstream } from "@/tests/support/upstream";

const SETTLED_WITHIN_MS = 30_000;

const dataDir = temporaryDirectory();
const link = perFile(async () => await linkTo(await freshDatabase()));
const ledger = perFile(async () => openLedger(link.directUrl));
const gateway = perFile(() => startGateway({ databaseUrl: link.url, env: { TOLLGATE_DATA_DIR: dataDir } }));
const { answer, goOn } = heldAnswer();
const upstream = perFile(() => startUpstream(answer));
const model = servedModel({ gateway, upstream });
afterAll(async () => {
  expect(await ledger.verify()).toEqual([]);
});

const chargesOnDisk = () => countArrears(join(dataDir, "charges"));
const waiting = () => metricOf(gateway, "tollgate_charges_waiting");
const usedBy = async (accountId: AccountId) => (await ledger.months([accountId]))[0]?.used;

/** A call whose database goes away just before its upstream sends the rest. */
async function callAsDatabaseGoes(stream: boolean) {
  const { accountId, secret } = await gateway.customer();
  const before = upstream.requests.length;
  const pending = gateway.chat(secret, { model, stream, max_tokens: 200, messages });
  await until(() => upstream.requests.length > before);
  // The client of a stream has its beginning by then.
  const answered = stream ? await pending : null;
  link.cut();
  goOn();
  return { accountId, response: answered ?? pending };
}

test("the charge of a stream that its client has while the database is away is on disk at once, and written later", async () => {
  const { accountId, response } = await callAsDatabaseGoes(true);
  const text = (await response).text();
  await until(async () => (await chargesOnDisk()) === 1);
  expect(await usedBy(accountId)).toBe(0n);
  expect([await incidentsOf(gateway, "kept"), await waiting()]).toEqual([1, 1]);
  link.mend();
  expect(await text).toContain("two");
  await until(async () => (await usedBy(accountId)) === 210_000n, SETTLED_WITHIN_MS);
  await until(async () => (await chargesOnDisk()) === 0);
  expect(await waiting()).toBe(0);
});

test("the charge of a JSON answer is not on disk, because no client has the answer before it is charged", async () => {
  const { accountId, response } = await callAsDatabaseGoes(false);
  // Longer than the gateway needs to write a stream's charge to disk.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(await chargesOnDisk()).toBe(0);
  link.mend();
  expect((await response).status).toBe(200);
  expect(await usedBy(accountId)).toBe(210_000n);
});
