import { afterEach, describe, expect, test, vi } from "vitest";
import { issueKey, setAccountLimits } from "@/server/access";
import { sqlOf } from "@/server/db/handles";
import { eventually } from "@/tests/support/eventually";
import { startGateway } from "@/tests/support/gateway";
import { messages, perFile } from "@/tests/support/per-file";
import { connectTo } from "@/tests/support/raw-request";
import { until } from "@/tests/support/until";
import {
  answerWith,
  beginEvents,
  chatDelta,
  openStreams,
  refuseWith,
  startUpstream,
  type UpstreamHandler,
} from "@/tests/support/upstream";

const gateway = perFile(() => startGateway({ env: { CLIENT_STALL_SECONDS: "1", MAX_WAIT_SECONDS: "10" } }));
const upstream = perFile(() => startUpstream(answerWith("hello")));

async function setUp(answer: UpstreamHandler, limits: Parameters<typeof gateway.customer>[0] = {}) {
  upstream.answer(answer);
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl: upstream.baseUrl });
  const customer = await gateway.customer(limits);
  const call = (more: object = {}, init?: RequestInit) =>
    gateway.chat(customer.secret, { model, messages, ...more }, init);
  return { ...customer, model, call };
}

afterEach(() => {
  vi.restoreAllMocks();
});

const live = () => gateway.runtime.access.liveCalls();

describe("places for concurrent calls", () => {
  test.each<{ end: string; answer: UpstreamHandler; more?: object; status: number }>([
    { end: "an answer", answer: answerWith("hello"), status: 200 },
    { end: "a large answer", answer: answerWith("word ".repeat(1_000_000)), status: 200 },
    { end: "a stream", answer: answerWith("hello"), more: { stream: true }, status: 200 },
    { end: "an upstream's refusal", answer: refuseWith(400), status: 400 },
    { end: "an upstream that fails", answer: refuseWith(500), status: 502 },
    { end: "a faulty call", answer: answerWith("hello"), more: { messages: [] }, status: 400 },
  ])("are returned after $end", async ({ answer, more, status }) => {
    const { call } = await setUp(answer, { maxConcurrent: 1 });
    const before = live();
    const response = await call(more);
    await response.text();
    expect(response.status).toBe(status);
    await eventually(live).toBe(before);
  });

  test("are returned by a client that hangs up in the middle of a stream", async () => {
    const { answer, gone } = openStreams();
    const { call } = await setUp(answer, { maxConcurrent: 1 });
    const before = live();
    const client = new AbortController();
    const response = await call({ stream: true }, { signal: client.signal });
    expect(response.status).toBe(200);
    expect(live()).toBe(before + 1);
    client.abort();
    await gone();
    await eventually(live).toBe(before);
  });
});

test("an account's calls a minute are counted over its keys, without those that a key's own limit refuses", async () => {
  const { runtime } = gateway;
  const { model, accountId, secret } = await setUp(answerWith("hello"), { requestsPerMinute: 1 });
  await setAccountLimits(runtime.db, { accountId, requestsPerMinute: 2 });
  const other = await issueKey(runtime.db, { accountId, name: "other" }, runtime.secrets.keyPepper);
  const status = async (key: string) => (await gateway.chat(key, { model, messages })).status;
  expect([await status(secret), await status(secret), await status(secret)]).toEqual([200, 429, 429]);
  expect(await status(other.secret)).toBe(200);
  const refused = await gateway.chat(other.secret, { model, messages });
  expect([refused.status, refused.headers.get("x-ratelimit-scope")]).toEqual([429, "account"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
});

/** A call whose client does not read the answer. */
function askWithoutReading(secret: string, call: object) {
  const socket = connectTo(gateway.url);
  socket.on("error", () => {});
  const body = JSON.stringify(call);
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  socket.pause();
  return socket;
}

test("a whole answer that its client does not read counts as a running call, for no longer than a stream", async () => {
  const { model, secret, accountId, call } = await setUp(answerWith("word ".repeat(6_000_000)), {
    maxConcurrent: 1,
  });
  const before = live();
  const socket = askWithoutReading(secret, { model, messages });
  await eventually(() => gateway.entries(accountId)).toMatchObject([{ kind: "capture" }]);
  expect([live(), (await call()).status]).toEqual([before + 1, 429]);
  await eventually(live, 30_000).toBe(before);
  socket.destroy();
});

test("a client that stops reading loses its place, its upstream and its hold in time, and pays for what was made", async () => {
  let isClosed = false;
  const flood: UpstreamHandler = (_asked, response) => {
    const words = chatDelta({ content: "word ".repeat(10_000) });
    const more = () => {
      while (!response.destroyed && response.write(words)) {
        // Writes as much as fits.
      }
    };
    response.on("drain", more);
    response.on("close", () => (isClosed = true));
    beginEvents(response, words);
    more();
  };
  const { model, secret, accountId } = await setUp(flood);
  const before = live();
  const socket = askWithoutReading(secret, { model, messages, stream: true });
  await eventually(live).toBe(before + 1);
  await eventually(live, 30_000).toBe(before);
  await eventually(() => isClosed).toBe(true);
  await eventually(async () => (await gateway.balance(accountId)).frozen).toBe(0n);
  expect(await gateway.entries(accountId)).toMatchObject([{ kind: "capture" }]);
  expect(await gateway.verify()).toEqual([]);
  socket.destroy();
});

test("a call that waits for longer than ten seconds is refused before its money is frozen", async () => {
  const { accountId, call } = await setUp(answerWith("hello"));
  const sql = sqlOf(gateway.runtime.db);
  const isWaiting = async () => {
    const rows = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return rows.length > 0;
  };
  let answer: Promise<Response> | undefined;
  await sql.begin(async (tx) => {
    await tx`lock table models in access exclusive mode`;
    gateway.runtime.catalog.forget();
    answer = call();
    await until(isWaiting);
    // Waiting that long in the test would end the look-up first.
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() + 11_000);
  });
  const refused = await answer;
  expect([refused?.status, refused?.headers.get("x-error-code")]).toEqual([503, "unavailable"]);
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
  vi.restoreAllMocks();
  expect(await gateway.entries(accountId)).toEqual([]);
  expect((await gateway.balance(accountId)).frozen).toBe(0n);
  expect((await call()).status).toBe(200);
});
