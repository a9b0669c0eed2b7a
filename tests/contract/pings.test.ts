import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { startGateway } from "@/tests/support/gateway";
import { messagesEvent, textEvents } from "@/tests/support/messages-answer";
import { fakeUpstreams, perFile } from "@/tests/support/per-file";
import { type TextReader, textReader } from "@/tests/support/text-reader";
import { beginEvents } from "@/tests/support/upstream";
import { virtualTimers } from "@/tests/support/virtual-clock";

const timers = virtualTimers();
const KEEP_ALIVE_MS = 15_000;
const gateway = perFile(() =>
  startGateway({ timers, env: { UPSTREAM_IDLE_TIMEOUT_SECONDS: "30", KEEP_ALIVE_SECONDS: "15" } }),
);
const start = fakeUpstreams();

const PING = messagesEvent({ type: "ping" });
const whole = textEvents("one two", { input_tokens: 10, output_tokens: 2 }).slice(0, -1);

/**
 * A client that has read the first word of a stream. The upstream sends `events`, and then only what the test sends.
 */
async function begin(events: string[]): Promise<{ client: TextReader; ping: () => void }> {
  const model = await gateway.model();
  let written: ServerResponse | undefined;
  const upstream = await start((_asked, response) => {
    written = response;
    beginEvents(response, events.join(""));
  });
  await gateway.channel({ model, dialect: "anthropic", baseUrl: upstream.baseUrl });
  const { secret } = await gateway.customer();
  const messages = [{ role: "user", content: "hi" }];
  const client = textReader(await gateway.chat(secret, { model, messages, stream: true }));
  await client.until("one");
  return { client, ping: () => void written?.write(PING) };
}

const lastOf = (text: string) => text.match(/(?<=^data: ).*$/gm)?.at(-1) ?? "";

test("an upstream that goes on pinging after its end gets five seconds to close", async () => {
  const { client, ping } = await begin(whole);
  await client.until("two");
  ping();
  expect(lastOf(await timers.passUntil(client.rest(), 1_000))).toBe("[DONE]");
});

test("an upstream that only pings, as during silent thinking, is given up after five idle timeouts", async () => {
  const { client, ping } = await begin(whole.slice(0, 4));
  for (let silences = 1; silences <= 9; silences++) {
    ping();
    timers.advance(KEEP_ALIVE_MS);
    await client.until(": keep-alive", silences);
  }
  ping();
  const last = lastOf(await timers.passUntil(client.rest(), KEEP_ALIVE_MS));
  expect(JSON.parse(last)).toMatchObject({ code: 502, message: "上游响应格式异常" });
});
