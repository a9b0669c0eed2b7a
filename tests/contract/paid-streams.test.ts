import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { drawnCases } from "@/tests/support/drawn-cases";
import { eventually } from "@/tests/support/eventually";
import { fill, MB } from "@/tests/support/large-calls";
import { listen } from "@/tests/support/listen";
import { longestTurnOf } from "@/tests/support/longest-turn";
import { perFile } from "@/tests/support/per-file";
import { postFromOutside } from "../support/caller";
import { sharedGateway } from "../support/shared-gateway";
import { usage } from "../support/upstream";

type Answer = { type: string; body: Buffer };
const gateway = perFile(sharedGateway);
let vendor: Server;
/** The vendor's answer, written ahead: otherwise that work would be in this thread's turns. */
let answer: Answer = { type: "", body: Buffer.from("") };
/** One model for each kind of upstream. */
const models: Record<string, string> = {};

beforeAll(async () => {
  vendor = createServer((request, response) => {
    request.resume().once("end", () => {
      response.setHeader("content-type", answer.type);
      response.end(answer.body);
    });
  });
  const baseUrl = `http://127.0.0.1:${await listen(vendor)}/v1`;
  for (const dialect of ["openai", "anthropic", "gemini", "embeddings"] as const) {
    const isVectors = dialect === "embeddings";
    const model = await gateway.model({ kind: isVectors ? "embedding" : "chat" });
    models[dialect] = model;
    await gateway.channel({ dialect: isVectors ? "openai" : dialect, baseUrl, model });
  }
  const single = await gateway.model();
  models.single = single;
  await gateway.channel({ baseUrl, model: single, capabilities: { [single]: { severalAnswers: false } } });
});
afterAll(() => {
  vendor.closeAllConnections();
  vendor.close();
});

const json = (body: object): Answer => ({
  type: "application/json",
  body: Buffer.from(JSON.stringify(body)),
});
const turn = { role: "user", content: "hi" };

/** The longest turn of this thread during a call. */
async function longestTurnOfCall(path: string, upstream: string, fields: object): Promise<number> {
  const { secret } = await gateway.customer();
  const isGemini = path.startsWith("v1beta");
  const address = isGemini ? path.replace("MODEL", models[upstream] ?? "") : `v1/${path}`;
  const body = Buffer.from(JSON.stringify({ ...(!isGemini && { model: models[upstream] }), ...fields }));
  const headers = {
    ...{ "x-api-key": secret, "x-goog-api-key": secret },
    ...{ "content-type": "application/json", "anthropic-version": "2023-06-01" },
  };
  const call = { url: `${gateway.url}/${address}`, headers, body, times: 1 };
  const { result, longestMs } = await longestTurnOf(() => postFromOutside(call));
  expect(result[0]?.status).toBe(200);
  return longestMs;
}

/** 25 MB in events of 64 kB. */
const stream = (deltas: object[]): Answer => {
  const events = deltas.map((delta) => ({ id: "c", choices: [{ index: 0, delta }] }));
  const last = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: usage(10, 5) };
  const frames = [...events, last].map((event) => `data: ${JSON.stringify(event)}\n\n`);
  return { type: "text/event-stream", body: Buffer.from(`${frames.join("")}data: [DONE]\n\n`) };
};
const pieces = (text: string) => Array<string>(25 * 16).fill(fill(text, 64 * 1024));
const growing = (args: string) => ({ tool_calls: [{ index: 0, function: { arguments: args } }] });
const called = {
  tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "f", arguments: "" } }],
};
const longCall = () => [called, ...[`{"a":"`, ...pieces("word "), `"}`].map(growing)];

type LargeCall = { what: string; path: string; upstream: string; fields: () => object; answer: () => Answer };
const tools = [{ type: "function", name: "f", parameters: {} }];
const prompt = { messages: [turn], max_tokens: 50 };
const GEMINI = "v1beta/models/MODEL";
const geminiTurn = { role: "user", parts: [{ text: "hi" }] };

/** A stream whose last events repeat what came before. */
const repeated: LargeCall[] = [
  { what: "a text", deltas: () => pieces("word \n").map((content) => ({ content })) },
  { what: "a refusal", deltas: () => pieces("word \n").map((refusal) => ({ refusal })) },
  { what: "thinking", deltas: () => pieces("word \n").map((reasoning_content) => ({ reasoning_content })) },
  { what: "arguments", deltas: longCall },
].map(({ what, deltas }) => ({
  what: `a stream whose last events repeat ${what} of 25 MB`,
  ...{ path: "responses", upstream: "openai" },
  fields: () => ({ stream: true, input: [turn], tools }),
  answer: () => stream(deltas()),
}));

const toGemini: LargeCall[] = ["alt=sse", ""].map((query) => ({
  what: `arguments of 25 MB in a stream to a Gemini client (${query})`,
  ...{ path: `${GEMINI}:streamGenerateContent?${query}`, upstream: "openai" },
  fields: () => ({ contents: [geminiTurn] }),
  answer: () => stream(longCall()),
}));

const oneEvent: LargeCall[] = ["messages", "responses", "chat/completions"].map((path) => ({
  what: `one event of 15 MB in a stream to /v1/${path}`,
  ...{ path, upstream: "openai" },
  fields: () => ({ stream: true, ...(path === "responses" ? { input: [turn] } : prompt) }),
  answer: () => stream([{ content: fill("word \n", 13 * MB) }]),
}));

const candidate = (text: string, more: object = {}) => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, ...more }],
});
const lastCandidate = (text: string, more: object = {}) => ({
  ...candidate(text, { finishReason: "STOP", ...more }),
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
});

function citation(): Answer {
  const text = fill("\u{1f600}", 6 * MB);
  const groundingMetadata = {
    groundingChunks: [{ web: { uri: "https://a.example", title: "a" } }],
    groundingSupports: [{ segment: { startIndex: 0, text }, groundingChunkIndices: [0] }],
  };
  return json(lastCandidate(text, { groundingMetadata }));
}

function vectors(): Answer {
  const embedding = Array.from({ length: 1_536 }, (_, each) => each / 1_537);
  const data = Array.from({ length: 2_048 }, (_, index) => ({ object: "embedding", index, embedding }));
  return json({ object: "list", data, usage: { prompt_tokens: 5, total_tokens: 5 } });
}

const ofAnswers: LargeCall[] = [
  {
    what: "two answers of one event of 15 MB each",
    ...{ path: "chat/completions", upstream: "single" },
    fields: () => ({ stream: true, n: 2, ...prompt }),
    answer: () => stream([{ content: fill("word \n", 13 * MB) }]),
  },
  {
    what: "a list of 40 MB in place of a stream",
    ...{ path: "chat/completions", upstream: "gemini" },
    fields: () => ({ stream: true, messages: [turn] }),
    answer: () => json([...Array(640).fill(candidate(fill("word \n", 64 * 1024))), lastCandidate("end")]),
  },
  {
    what: "a citation of 12 MB",
    ...{ path: "chat/completions", upstream: "gemini" },
    ...{ fields: () => ({ messages: [turn] }), answer: citation },
  },
  {
    what: "the vectors of the largest call on their way to base64",
    ...{ path: "embeddings", upstream: "embeddings" },
    fields: () => ({ input: Array(2_048).fill("a"), encoding_format: "base64" }),
    answer: vectors,
  },
];

const object = () => ({ a: fill("word \n", 21 * MB) });
const fine = {
  openai: () =>
    json({
      choices: [{ index: 0, message: { role: "assistant", content: "fine" }, finish_reason: "stop" }],
      usage: usage(10, 5),
    }),
  anthropic: () =>
    json({
      ...{ id: "m", type: "message", role: "assistant", content: [{ type: "text", text: "fine" }] },
      ...{ stop_reason: "end_turn", usage: { input_tokens: 10, output_tokens: 5 } },
    }),
};

/** Objects that become text on their way to the other dialect, and a tool that is written again for the cache. */
const ofObjects: LargeCall[] = [
  {
    what: "a call to chat/completions at anthropic whose object of 21 MB becomes text",
    ...{ path: "chat/completions", upstream: "anthropic" },
    fields: () => ({
      messages: [
        turn,
        {
          role: "assistant",
          tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: object() } }],
        },
        { role: "tool", tool_call_id: "c", content: "x" },
      ],
    }),
    answer: fine.anthropic,
  },
  {
    what: "a call to messages at openai whose object of 21 MB becomes text",
    ...{ path: "messages", upstream: "openai" },
    fields: () => ({
      max_tokens: 50,
      messages: [
        turn,
        { role: "assistant", content: [{ type: "tool_use", id: "c", name: "f", input: object() }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "x" }] },
      ],
    }),
    answer: fine.openai,
  },
  {
    what: "a call to generateContent at openai whose object of 21 MB becomes text",
    ...{ path: `${GEMINI}:generateContent`, upstream: "openai" },
    fields: () => ({
      contents: [
        geminiTurn,
        { role: "model", parts: [{ functionCall: { name: "f", args: object() } }] },
        { role: "user", parts: [{ functionResponse: { name: "f", response: { a: "x" } } }] },
      ],
    }),
    answer: fine.openai,
  },
  {
    what: "a tool of 19 MB if the prompt is marked for the cache",
    ...{ path: "chat/completions", upstream: "anthropic" },
    fields: () => {
      const description = fill("word \n", 16 * MB);
      const parameters = { type: "object", properties: { a: { type: "string", description } } };
      return { ...prompt, tools: [{ type: "function", function: { name: "f", parameters } }] };
    },
    answer: fine.anthropic,
  },
];

const largeCalls = [...repeated, ...toGemini, ...oneEvent, ...ofAnswers, ...ofObjects];

test.each(drawnCases(largeCalls).map((call) => [call.what, call] as const))(
  "%s: no other call is delayed",
  async (...[, call]) => {
    answer = call.answer();
    const longestMs = await longestTurnOfCall(call.path, call.upstream, call.fields());
    // Measured: 19 to 48 ms. Before: 55 to 818 ms.
    expect(longestMs).toBeLessThan(100);
  },
);

test("a background response of 25 MB delays no other call when it ends", async () => {
  answer = stream(pieces("word \n").map((content) => ({ content })));
  const { secret, accountId } = await gateway.customer();
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const body = JSON.stringify({ model: models.openai, input: "hi", background: true });
  const { longestMs } = await longestTurnOf(async () => {
    const created = await fetch(`${gateway.url}/v1/responses`, { method: "POST", headers, body });
    expect(created.status).toBe(200);
    await gateway.runtime.backgroundRuns.work();
    // A charge is made in the transaction that stores the response.
    await eventually(() => gateway.entries(accountId)).toMatchObject([{ kind: "capture" }]);
  });
  // Measured: 36 ms. Before: 79 ms.
  expect(longestMs).toBeLessThan(100);
});
