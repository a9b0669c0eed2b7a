import { describe, expect, test } from "vitest";
import { startGateway } from "@/tests/support/gateway";
import { messagesEvent, textEvents } from "@/tests/support/messages-answer";
import { fakeUpstreams, perFile } from "@/tests/support/per-file";
import type { Answer } from "@/tests/support/upstream";

const gateway = perFile(() => startGateway({ env: { UPSTREAM_IDLE_TIMEOUT_SECONDS: "1" } }));
const start = fakeUpstreams();

const pinging =
  (events: string[]): Answer =>
  (_asked, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(events.join(""));
    const timer = setInterval(() => response.write(messagesEvent({ type: "ping" })), 200);
    response.on("close", () => clearInterval(timer));
  };
const whole = textEvents("one two", { input_tokens: 10, output_tokens: 2 }).slice(0, -1);

async function ask(answer: Answer): Promise<{ last: string; tookMs: number }> {
  const model = await gateway.model();
  const upstream = await start(answer);
  await gateway.channel({ model, dialect: "anthropic", baseUrl: upstream.baseUrl });
  const { secret } = await gateway.customer();
  const began = performance.now();
  const messages = [{ role: "user", content: "hi" }];
  const response = await gateway.chat(secret, { model, messages, stream: true });
  const events = (await response.text()).match(/(?<=^data: ).*$/gm) ?? [];
  return { last: events.at(-1) ?? "", tookMs: performance.now() - began };
}

describe.concurrent("an upstream that goes on pinging", () => {
  test("after its end is given five seconds to close", async () => {
    expect(await ask(pinging(whole))).toMatchObject({ last: "[DONE]" });
  });

  test("instead of working, as one that thinks in silence does, is given up after five silences", async () => {
    const { last, tookMs } = await ask(pinging(whole.slice(0, 4)));
    expect(tookMs).toBeGreaterThan(4_500);
    expect(JSON.parse(last)).toMatchObject({ code: 502, message: "上游响应格式异常" });
  });
});
