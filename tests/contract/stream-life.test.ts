import type { ServerResponse } from "node:http";
import OpenAI from "openai";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AccountId } from "@/server/domain/ids";
import { callQueries } from "@/server/queries";
import { eventually } from "@/tests/support/eventually";
import { startGateway, type TestGateway } from "@/tests/support/gateway";
import { messages, perFile } from "@/tests/support/per-file";
import { textReader } from "@/tests/support/text-reader";
import {
  beginEvents,
  breakAfter,
  chatDelta as chunk,
  startUpstream,
  type UpstreamHandler,
} from "@/tests/support/upstream";
import { virtualTimers } from "@/tests/support/virtual-clock";

/** Virtual time for a stream's silences and deadlines. */
const timers = virtualTimers();
const KEEP_ALIVE_MS = 10_000;
const upstream = perFile(() => startUpstream(() => {}));
let gateway: TestGateway;

beforeEach(async () => {
  gateway = await startGateway({
    timers,
    env: { UPSTREAM_IDLE_TIMEOUT_SECONDS: "20", KEEP_ALIVE_SECONDS: "10", UPSTREAM_TIMEOUT_SECONDS: "60" },
  });
});
afterEach(() => gateway.close());

const textChunk = chunk({ role: "assistant", content: "one two three" });
const END = `${chunk({ content: "two" })}${chunk({}, "stop")}data: [DONE]\n\n`;

/** Begins a stream, to which the test then writes. */
function newStream() {
  let written: ServerResponse | undefined;
  const answer: UpstreamHandler = (_asked, response) => {
    written = response;
    beginEvents(response, chunk({ role: "assistant", content: "one " }));
  };
  return {
    answer,
    write: (text: string) => void written?.write(text),
    end: (text: string) => void written?.end(text),
  };
}

async function ask(channel: { idleTimeoutSeconds?: number; timeoutSeconds?: number } = {}) {
  const model = await gateway.model();
  const { secret, accountId } = await gateway.customer();
  await gateway.channel({ model, baseUrl: upstream.baseUrl, ...channel });
  const response = await gateway.chat(secret, { model, messages, stream: true });
  return { response, accountId, secret, model };
}

const COMMENT = ": PROCESSING\n\n";

test("a vendor's comments count as a sign of life", async () => {
  const stream = newStream();
  upstream.answer(stream.answer);
  const living = textReader((await ask()).response);
  await living.until("one ");
  for (let silences = 1; silences <= 6; silences++) {
    stream.write(COMMENT);
    timers.advance(KEEP_ALIVE_MS);
    await living.until(": keep-alive", silences);
  }
  stream.end(END);
  expect(await living.rest()).toContain("two");
});

test("a channel's own timeouts replace the installation's", async () => {
  const stream = newStream();
  upstream.answer(stream.answer);
  const patient = textReader((await ask({ idleTimeoutSeconds: 100 })).response);
  await patient.until("one ");
  for (let silences = 1; silences <= 4; silences++) {
    timers.advance(KEEP_ALIVE_MS);
    await patient.until(": keep-alive", silences);
  }
  stream.end(END);
  expect(await patient.rest()).toContain("two");
  upstream.answer(() => timers.advance(5_000));
  expect((await ask({ timeoutSeconds: 5 })).response.status).toBe(502);
});

test("one of several streams that adds no more to its answer is ended, and the others continue", async () => {
  const written: ServerResponse[] = [];
  upstream.answer((_asked, response) => {
    written.push(response);
    beginEvents(response, chunk({ content: "one " }));
  });
  const model = await gateway.model();
  const { secret } = await gateway.customer();
  const capabilities = { [model]: { severalAnswers: false, maxStops: 0 } };
  await gateway.channel({ model, baseUrl: upstream.baseUrl, capabilities });
  const body = { model, messages, n: 3, stop: "STOP", stream: true };
  const client = textReader(await gateway.chat(secret, body));
  await client.until("one ", 3);
  const [cut, finished, going] = written;
  const isOpen = () => [cut, finished, going].map((response) => response?.destroyed === false);
  cut?.write(chunk({ content: "STOP" }));
  finished?.write(chunk({}, "stop"));
  await client.until('"finish_reason":"stop"', 2);
  let wordCount = 1;
  const goOn = async (ms: number) => {
    timers.advance(ms);
    cut?.write(chunk({ content: "behind it" }));
    finished?.write(COMMENT);
    going?.write(chunk({ content: `word ${++wordCount} ` }));
    await client.until(`word ${wordCount} `);
  };
  // It lingers, and so does its connection.
  await goOn(6_000);
  await goOn(6_000);
  await eventually(isOpen).toEqual([true, false, true]);
  for (let seconds = 12; seconds < 70; seconds += 10) {
    await goOn(10_000);
  }
  await eventually(isOpen).toEqual([false, false, true]);
  going?.end(END);
  expect(await client.rest()).toContain("[DONE]");
});

/**
 * The notes of the account's charges in the ledger, and the reason that a request's page, `call show` and the admin API
 * show.
 */
async function cutsOf(accountId: AccountId) {
  const entries = await gateway.entries(accountId);
  const cut = async ({ requestId }: { requestId: string | null }) =>
    (await callQueries.get.read(gateway.runtime, { requestId: requestId ?? "", accountId }, "owner"))?.cut;
  await eventually(() => Promise.all(entries.map(cut)).catch(() => null)).toBeTruthy();
  return { notes: entries.map(({ note }) => note), shown: await Promise.all(entries.map(cut)) };
}

test("the end of a drain is an error that SDKs understand, and the charge names the reason", async () => {
  upstream.answer((_asked, response) => void beginEvents(response, textChunk));
  const { response, accountId, secret, model } = await ask();
  const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const stream = await client.chat.completions.create({ model, messages, stream: true });
  const read = async () => {
    for await (const _chunk of stream) {
      // Only the end matters.
    }
  };
  gateway.runtime.endCalls();
  await expect(read()).rejects.toThrow(/服务暂不可用/);
  expect(await response.text()).toContain('"code":503');
  await eventually(() => gateway.balance(accountId)).toMatchObject({ frozen: 0n });
  const entries = await gateway.entries(accountId);
  expect(entries.map(({ kind }) => kind)).toEqual(["capture", "capture"]);
  expect(await cutsOf(accountId)).toEqual({
    notes: ["cut: server_stopped", "cut: server_stopped"],
    shown: ["server_stopped", "server_stopped"],
  });
});

test("the charge of a stream that its upstream or its client broke off names the reason, and that of a whole one none", async () => {
  upstream.answer(breakAfter(textChunk));
  const broken = await ask();
  expect(await broken.response.text()).toContain('"code":502');
  expect((await cutsOf(broken.accountId)).shown).toEqual(["upstream_failed"]);
  const stream = newStream();
  upstream.answer(stream.answer);
  const left = await ask();
  const client = textReader(left.response);
  await client.until("one ");
  await client.leave();
  const chargesAfterRest = async () => {
    // The gateway reads the stream for another moment, because it may have nearly finished.
    timers.advance(500);
    return (await gateway.entries(left.accountId)).length;
  };
  await eventually(chargesAfterRest).toBe(1);
  expect((await cutsOf(left.accountId)).shown).toEqual(["client_gone"]);
  const whole = await ask();
  stream.end(END);
  expect(await whole.response.text()).toContain("two");
  expect(await cutsOf(whole.accountId)).toEqual({ notes: [null], shown: [null] });
});

test.each([true, false])(
  "an answer that has not begun by the end of a drain is a 503, and its money is returned (stream: %s)",
  async (stream) => {
    upstream.answer(() => {});
    const model = await gateway.model();
    const { secret, accountId } = await gateway.customer();
    await gateway.channel({ model, baseUrl: upstream.baseUrl });
    const before = upstream.requests.length;
    const answer = gateway.chat(secret, { model, messages, stream });
    await eventually(() => upstream.requests.length).toBe(before + 1);
    gateway.runtime.endCalls();
    const refused = await answer;
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({ code: 503, data: null });
    await eventually(() => gateway.balance(accountId)).toMatchObject({ frozen: 0n });
    expect((await gateway.entries(accountId)).map(({ kind }) => kind)).toEqual(["release"]);
  },
);
