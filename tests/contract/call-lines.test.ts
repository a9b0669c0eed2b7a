import { expect, test } from "vitest";
import { createLog } from "@/server/base/log";
import { eventually } from "@/tests/support/eventually";
import { messages, perFile } from "@/tests/support/per-file";
import { startGateway } from "../support/gateway";
import { answerWith, beginEvents, chatDelta, refuseWith, startUpstream } from "../support/upstream";

const lines: Record<string, unknown>[] = [];
const write = (text: string) => {
  for (const line of text.split("\n").filter(Boolean)) {
    lines.push(JSON.parse(line) as Record<string, unknown>);
  }
};

const gateway = perFile(() => startGateway({ log: createLog("info", { write }) }));
const first = perFile(() => startUpstream((_asked, response) => void response.end()));
const second = perFile(() => startUpstream(answerWith("here")));

/** The log lines of the calls that `run` makes. */
async function linesOf(run: () => Promise<unknown>) {
  lines.length = 0;
  await run();
  await eventually(() => lines.filter(({ msg }) => msg === "request").length).toBeGreaterThan(0);
  return lines.filter(({ msg }) => msg === "request");
}

async function modelWithTwoChannels(...secrets: string[]) {
  const model = await gateway.model();
  const name = `first of ${model}`;
  await gateway.channel({ model, name, baseUrl: first.baseUrl, secrets, priority: 2 });
  await gateway.channel({ model, name: `second of ${model}`, baseUrl: second.baseUrl, priority: 1 });
  const { secret } = await gateway.customer();
  return { model, name, secret };
}

test("a call's log line has every attempt in order, with the known terms of the upstream's error", async () => {
  const { model, name, secret } = await modelWithTwoChannels("sk-first-key-0001", "sk-first-key-0002");
  first.answer(refuseWith(429, "Rate limit reached for Ada Lovelace"));
  const [line, ...others] = await linesOf(() => gateway.chat(secret, { model, messages }));
  expect(others).toEqual([]);
  const refused = { channel: name, outcome: "refused", status: 429, words: "…Rate limit reached…" };
  expect(line).toMatchObject({
    model,
    status: 200,
    attempts: [
      { ...refused, credential: expect.stringMatching(/^000[12]$/) },
      { ...refused, credential: expect.stringMatching(/^000[12]$/) },
      { channel: `second of ${model}`, outcome: "ok", status: 200, headMs: expect.any(Number) },
    ],
  });
});

test("a stream's log line is written at its end, and says how it ended", async () => {
  const { model, name, secret } = await modelWithTwoChannels("sk-first-key-0001");
  first.answer((_asked, response) => {
    beginEvents(response, chatDelta({ content: "h" }));
    setTimeout(() => response.end(), 50);
  });
  const [line, ...others] = await linesOf(async () => {
    const answer = await gateway.chat(secret, { model, messages, stream: true });
    await answer.text();
  });
  expect(others).toEqual([]);
  expect(line).toMatchObject({
    outcome: "broken",
    error: "upstream_malformed",
    cost: expect.any(String),
    firstTokenMs: expect.any(Number),
    attempts: [{ channel: name, outcome: "broken", status: 200, firstMs: expect.any(Number) }],
  });
  const { elapsedMs } = (line as { attempts: [{ elapsedMs: number }] }).attempts[0];
  expect(elapsedMs).toBeGreaterThanOrEqual(49);
});
