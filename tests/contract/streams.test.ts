import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { eventually } from "@/tests/support/eventually";
import { startGateway } from "@/tests/support/gateway";
import { fakeUpstreams, messages, perFile } from "@/tests/support/per-file";
import { textReader } from "@/tests/support/text-reader";
import {
  answerEvents,
  answerJson,
  answerWith,
  beginEvents,
  chatDelta as delta,
  hangUp,
  refuseWith,
  sseChunk,
  type UpstreamHandler,
  usage,
} from "@/tests/support/upstream";
import { virtualTimers } from "@/tests/support/virtual-clock";

/** Virtual time for a stream's silences and deadlines. */
const timers = virtualTimers();
const gateway = perFile(() =>
  startGateway({
    timers,
    env: { KEEP_ALIVE_SECONDS: "10", UPSTREAM_IDLE_TIMEOUT_SECONDS: "30", UPSTREAM_TIMEOUT_SECONDS: "20" },
  }),
);
const start = fakeUpstreams();

/** A customer, and a model whose channels are these upstreams, the first with the highest priority. */
async function setUp(...answers: UpstreamHandler[]) {
  const model = await gateway.model();
  const upstreams = await Promise.all(answers.map(start));
  for (const [index, fake] of upstreams.entries()) {
    await gateway.channel({ model, baseUrl: fake.baseUrl, priority: upstreams.length - index });
  }
  const customer = await gateway.customer();
  const stream = (body: object = {}) =>
    gateway.chat(customer.secret, { model, messages, stream: true, ...body });
  return { model, upstreams, customer, stream };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** The gateway sees most hang-ups by then; a later one changes nothing. */
const HANG_UP_MS = 50;

/** The data of each event of a whole stream. */
const events = (text: string) =>
  text.split("\n\n").flatMap((block) => (block.startsWith("data: ") ? [block.slice("data: ".length)] : []));

const begin = (response: ServerResponse) =>
  beginEvents(response, delta({ role: "assistant", content: "one " }) + delta({ content: "two " }));

describe("a stream", () => {
  test("headroom#2026, apfel#100: ends with [DONE], without a usage chunk unless the client asked for it", async () => {
    const { stream, upstreams, model } = await setUp(answerWith("a b c"));
    const response = await stream();
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const all = events(await response.text());
    expect(all.at(-1)).toBe("[DONE]");
    const chunks = all.slice(0, -1).map((data) => JSON.parse(data));
    expect(
      chunks.every((chunk) => chunk.choices.length === 1 && !("usage" in chunk) && chunk.model === model),
    ).toBe(true);
    expect(upstreams[0]?.requests[0]?.body.stream_options).toEqual({ include_usage: true });
  });

  test("new-api#7062: is charged before its last byte leaves", async () => {
    const { stream, customer } = await setUp(answerWith("a b c", usage(7, 3)));
    await (await stream()).text();
    expect(await gateway.balance(customer.accountId)).toMatchObject({ used: 13_000n, frozen: 0n });
  });

  test("new-api#5235: without usage is charged by estimate", async () => {
    const { stream, customer } = await setUp((_asked, response) => {
      begin(response);
      response.end(`${delta({}, "stop")}data: [DONE]\n\n`);
    });
    await (await stream()).text();
    const [entry] = await gateway.entries(customer.accountId);
    expect(entry).toMatchObject({ kind: "capture", usageSource: "estimated", outputTokens: 2 });
  });
});

test("notices of a gateway in between break off no stream, before its first event and after it", async () => {
  const notice = 'data: {"message":"queued"}\n\ndata: 1\n\ndata: working\n\n';
  const { stream, upstreams, customer } = await setUp((_asked, response) => {
    beginEvents(response, notice + delta({ role: "assistant", content: "one " }) + notice);
    response.end(
      `${delta({}, "stop")}${sseChunk({ id: "c", choices: [], usage: usage(7, 3) })}data: [DONE]\n\n`,
    );
  }, answerWith("not needed"));
  const text = await (await stream()).text();
  expect(text).not.toContain("error");
  expect(events(text).at(-1)).toBe("[DONE]");
  expect(upstreams.map((fake) => fake.requests.length)).toEqual([1, 0]);
  expect(await gateway.balance(customer.accountId)).toMatchObject({ used: 13_000n, frozen: 0n });
});

test("an upstream that does not end after its counts is not waited for", async () => {
  const { stream, customer } = await setUp((_asked, response) => {
    beginEvents(response, delta({ role: "assistant", content: "one " }) + delta({}, "tool_calls"));
    response.write(sseChunk({ id: "c", choices: [], usage: usage(7, 3) }));
  });
  const client = textReader(await stream());
  await client.until("one ");
  let text: string | null = null;
  const ended = client.rest().then((rest) => {
    text = rest;
  });
  // Less than it waits for counts that have not come.
  for (let passedMs = 0; passedMs < 4_000; passedMs += 500) {
    timers.advance(500);
    await pause(HANG_UP_MS);
  }
  await eventually(() => text !== null).toBe(true);
  await ended;
  const all = events(text ?? "");
  expect(all.at(-1)).toBe("[DONE]");
  expect(all.join("")).toContain('"finish_reason":"stop"');
  expect(await gateway.balance(customer.accountId)).toMatchObject({ used: 13_000n });
});

describe("a stream that fails before its first event", () => {
  const failures: Record<string, UpstreamHandler> = {
    "a refusal": refuseWith(503),
    "a hang-up": hangUp,
    "an error event": answerEvents(sseChunk({ error: { message: "overloaded", code: 529 } })),
    "an end without events": answerEvents(),
    "mere words": answerEvents('data: {"message":"no room"}\n\n'),
    "a JSON error with status 200": answerJson({ error: { message: "busy" } }),
    silence: (_asked, response) => {
      beginEvents(response, ": wait\n\n");
      timers.advance(20_000);
    },
  };
  test.each(Object.entries(failures))(
    "is replaced by another channel, and the client sees no error: %s",
    async (_name, failure) => {
      const { stream, customer, upstreams } = await setUp(failure, answerWith("rescued", usage(7, 3)));
      const text = await (await stream()).text();
      expect(text).toContain("rescued");
      expect(text).not.toContain("error");
      expect(upstreams.map((fake) => fake.requests.length)).toEqual([1, 1]);
      expect(await gateway.entries(customer.accountId)).toMatchObject([{ kind: "capture", amount: 13000n }]);
    },
  );
});

describe("a stream that breaks off", () => {
  const malformed = /上游响应格式异常/;
  const fallen = sseChunk({ error: { message: "the model fell over" } });
  const breaks: [name: string, end: (response: ServerResponse) => unknown, words?: RegExp][] = [
    ["a hang-up", (response) => response.write(": wait\n\n", () => response.destroy())],
    ["an end without a finish reason", (response) => response.end()],
    ["half an event", (response) => response.end('data: {"choices":[{"del')],
    ["an error event", (response) => response.end(fallen), /the model fell over/],
    ["mere words", (response) => response.end('data: {"message":"no room"}\n\n'), /no room/],
    [
      "an error in an envelope, though the rest had none",
      (response) => response.end('data: {"data":{"error":{"message":"no room"}}}\n\ndata: [DONE]\n\n'),
      /no room/,
    ],
    ["silence beyond the limit", () => {}],
  ];
  test.each(breaks)(
    "new-api#4168: ends with a frame that every SDK reads, without [DONE], and pays for what arrived: %s",
    async (name, end, words = malformed) => {
      const { stream, customer } = await setUp((_asked, response) => {
        begin(response);
        end(response);
      });
      const client = textReader(await stream());
      await client.until("two ");
      const rest = client.rest();
      const all = events(await (name.startsWith("silence") ? timers.passUntil(rest, 10_000) : rest));
      expect(all).not.toContain("[DONE]");
      const last = JSON.parse(all.at(-1) ?? "");
      expect(last).toMatchObject({
        code: 502,
        data: null,
        error: { type: "upstream_error", code: 502, message: expect.stringMatching(words) },
      });
      expect(last.message).toBe(last.error.message);
      // The customer pays for the part that arrived: the prompt and two words.
      expect(await gateway.entries(customer.accountId)).toMatchObject([
        { kind: "capture", usageSource: "estimated", outputTokens: 2 },
      ]);
      expect(await gateway.balance(customer.accountId)).toMatchObject({ frozen: 0n });
    },
  );
});

test.each([
  ["chat/completions", { "x-stainless-lang": "js" }],
  ["messages", {}],
  ["responses", {}],
])("a client that asks for English reads in English why its stream broke off: %s", async (path, headers) => {
  const { model, customer } = await setUp((_asked, response) => {
    begin(response);
    response.write(": wait\n\n", () => response.destroy());
  });
  const body = { model, stream: true, max_tokens: 9, messages, input: "hi" };
  const english = { headers: { ...headers, "accept-language": "en" } };
  const text = await (await gateway.post(customer.secret, path, body, english)).text();
  expect(text).toMatch(/"message":"The connection to the upstream was lost/);
});

describe("a client that hangs up in mid-stream", () => {
  const hangUpAt = async (response: Response, word: string) => {
    const client = textReader(response);
    expect(await client.until(word)).toContain(word);
    await client.leave();
  };
  /** Looks after the moment for which the gateway drains an upstream. */
  const afterMoment = <T>(look: () => T): T => {
    timers.advance(1_000);
    return look();
  };

  test("ends the upstream call and pays for what it got", async () => {
    let upstreamClosed = false;
    const { stream, customer } = await setUp((_asked, response) => {
      begin(response);
      response.once("close", () => (upstreamClosed = true));
    });
    await hangUpAt(await stream(), "two ");
    await eventually(() => afterMoment(() => upstreamClosed)).toBe(true);
    await eventually(() => gateway.entries(customer.accountId)).toMatchObject([
      { kind: "capture", usageSource: "estimated", outputTokens: 2 },
    ]);
    expect(await gateway.balance(customer.accountId)).toMatchObject({ frozen: 0n });
  });

  /** A model whose thinking is hidden: the client reads 2 tokens, the upstream counts 5,000. */
  const counts = `${sseChunk({ id: "c1", choices: [], usage: usage(100, 5_000) })}data: [DONE]\n\n`;
  const counted = [{ kind: "capture", usageSource: "upstream", inputTokens: 100, outputTokens: 5000 }];
  const guessed = [{ kind: "capture", usageSource: "estimated", outputTokens: 2 }];

  test.each([
    { when: "at the finish reason", word: '"stop"', before: delta({}, "stop"), after: counts },
    {
      when: "at the last word, just before the finish reason",
      word: "two ",
      before: "",
      after: delta({}, "stop") + counts,
    },
  ])("pays what the upstream counts all the same: $when", async ({ word, before, after }) => {
    let end = () => {};
    const { stream, customer } = await setUp((_asked, response) => {
      begin(response);
      response.write(before || ": wait\n\n");
      end = () => void response.end(after);
    });
    await hangUpAt(await stream(), word);
    await pause(HANG_UP_MS);
    end();
    await eventually(() => gateway.entries(customer.accountId), 5_000).toMatchObject(counted);
  });

  test("leaves no endless stream open: a finished upstream that sends on is cut after a megabyte", async () => {
    let written = 0;
    const { stream, customer } = await setUp(async (_asked, response) => {
      begin(response);
      response.write(delta({}, "stop"));
      const block = sseChunk({ id: "c1", choices: [], pad: "x".repeat(64 * 1024) });
      while (!response.destroyed && written < 256 * 1024 * 1024) {
        written += block.length;
        response.write(block);
        await pause(1);
      }
    });
    await hangUpAt(await stream(), '"stop"');
    await eventually(() => gateway.entries(customer.accountId), 2_500).toMatchObject(guessed);
  });
});
