import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase } from "@/tests/support/database";
import { type DatabaseLink, linkTo } from "@/tests/support/database-link";
import { startGateway, type TestGateway } from "@/tests/support/gateway";
import { type Ledger, openLedger } from "@/tests/support/ledger";
import { waitFor } from "@/tests/support/process";
import { type FakeUpstream, sendJson, sseChunk, startUpstream, usage } from "@/tests/support/upstream";

const SETTLED_WITHIN_MS = 30_000;

let link: DatabaseLink;
let ledger: Ledger;
let gateway: TestGateway;
let upstream: FakeUpstream;
let model: string;
let dataDir: string;
let goOn = () => {};

const chunk = (more: object) =>
  sseChunk({ id: "c1", object: "chat.completion.chunk", created: 1, model: "m", ...more });
const delta = (content: string, finish: string | null) =>
  chunk({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] });

beforeAll(async () => {
  const databaseUrl = await freshDatabase();
  link = await linkTo(databaseUrl);
  ledger = openLedger(databaseUrl);
  dataDir = await mkdtemp(join(tmpdir(), "tollgate-kept-"));
  gateway = await startGateway({ databaseUrl: link.url, env: { TOLLGATE_DATA_DIR: dataDir } });
  // Begins, and says the rest when it is told to.
  upstream = await startUpstream(async (asked, response) => {
    const told = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    if (asked.body.stream !== true) {
      await told;
      const choices = [{ index: 0, message: { role: "assistant", content: "one" }, finish_reason: "stop" }];
      const head = { id: "c1", object: "chat.completion", created: 1, model: "m" };
      sendJson(response, 200, { ...head, choices, usage: usage(10, 100) });
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(delta("one ", null));
    await told;
    response.write(delta("two", "stop") + chunk({ choices: [], usage: usage(10, 100) }));
    response.end("data: [DONE]\n\n");
  });
  model = await gateway.model();
  await gateway.channel({ model, baseUrl: upstream.baseUrl });
});
afterAll(async () => {
  expect(await ledger.verify()).toEqual([]);
  await ledger.db.close();
  await gateway.close();
  await link.close();
  await upstream.close();
  await rm(dataDir, { recursive: true, force: true });
});

const chargesOnDisk = async () => (await readdir(join(dataDir, "charges")).catch(() => [])).length;
/** A number of the gateway's metrics; 0: it has not been counted yet. */
async function metric(name: string): Promise<number> {
  const lines = (await (await fetch(`${gateway.url}/metrics`)).text()).split("\n");
  return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length) ?? 0);
}
const incidents = (kind: string) => metric(`tollgate_billing_incidents_total{kind="${kind}"}`);
const usedBy = async (accountId: string) => (await ledger.months([accountId]))[0]?.used;

/** A call whose upstream is about to say the rest when the database goes. */
async function callAsDatabaseGoes(stream: boolean) {
  const { accountId, secret } = await gateway.customer();
  const asked = upstream.asked.length;
  const messages = [{ role: "user", content: "hi" }];
  const pending = gateway.chat(secret, { model, stream, max_tokens: 200, messages });
  await waitFor(() => upstream.asked.length > asked);
  // Of a stream its client has the beginning by then.
  const answered = stream ? await pending : null;
  link.cut();
  goOn();
  return { accountId, response: answered ?? pending };
}

test("a stream that its client has while the database is away is on disk at once, and charged when it is back", async () => {
  const { accountId, response } = await callAsDatabaseGoes(true);
  const text = (await response).text();
  await waitFor(async () => (await chargesOnDisk()) === 1);
  expect(await usedBy(accountId)).toBe(0n);
  expect([await incidents("kept"), await metric("tollgate_charges_waiting")]).toEqual([1, 1]);
  link.mend();
  expect(await text).toContain("two");
  await waitFor(async () => (await usedBy(accountId)) === 210_000n, SETTLED_WITHIN_MS);
  await waitFor(async () => (await chargesOnDisk()) === 0);
  expect(await metric("tollgate_charges_waiting")).toBe(0);
});

test("a JSON answer is not: nobody has it before it is charged", async () => {
  const { accountId, response } = await callAsDatabaseGoes(false);
  // Longer than it takes for a stream's to be kept.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(await chargesOnDisk()).toBe(0);
  link.mend();
  expect((await response).status).toBe(200);
  expect(await usedBy(accountId)).toBe(210_000n);
});
