import { createServer } from "node:http";
import { expect, test } from "vitest";
import { drawnCases } from "@/tests/support/drawn-cases";
import {
  chat,
  fill,
  largeCallRoom,
  MB,
  type ShortQuestion,
  writeChat,
  writeMessage,
} from "@/tests/support/large-calls";
import { listen } from "@/tests/support/listen";

const { gateway, vendors, setAnswers, measureCall, askShortly } = largeCallRoom();

/** Almost half of the largest answer. */
const ANSWER_SIZE = 25 * MB;
const answered: [path: string, upstream: ShortQuestion["upstream"], stream: boolean][] = [
  [chat, "openai", false],
  [chat, "anthropic", false],
  ["messages", "openai", false],
  ["messages", "openai", true],
  ["responses", "anthropic", false],
];

test.each(drawnCases(answered))(
  "a large answer to /v1/%s from %s (as a stream: %s) does not block the event loop for long",
  async (path, upstream, stream) => {
    const text = fill("word \n", ANSWER_SIZE);
    setAnswers(writeChat({ content: text }), writeMessage([{ type: "text", text }]));
    const { status, longestMs } = await askShortly({ path, upstream, more: { stream } });
    expect(status).toBe(200);
    // Measured: 30 to 40 ms. Before: 48 to 520 ms.
    expect(longestMs).toBeLessThan(100);
  },
);

const likelihood = { token: "word", logprob: -0.123456, bytes: [119, 111, 114, 100] };
const likelihoods = (count: number) =>
  Array(count).fill({ ...likelihood, top_logprobs: Array(20).fill(likelihood) });
const citation = { type: "url_citation", url_citation: { url: "https://a.test", title: "a", end_index: 3 } };
const callOf = (name: string, args: string) => ({
  id: "c",
  type: "function",
  function: { name, arguments: args },
});
const longArguments = () => JSON.stringify({ a: fill("word \n", ANSWER_SIZE) });
const chosen = (message: object, more: object) => {
  const whole = writeChat(message);
  return { ...whole, choices: [{ ...whole.choices[0], ...more }] };
};

/** More members of an answer and of its call. */
const handled: [what: string, asked: ShortQuestion, make: () => { completion?: object; message?: object }][] =
  [
    [
      "that is cut at a stop sequence",
      { path: chat, upstream: "anthropic", more: { stop: [" ", "xyzzy"] } },
      () => ({ message: writeMessage([{ type: "text", text: `${fill("word\n\n", ANSWER_SIZE)}xyzzy` }]) }),
    ],
    [
      "with the likelihoods of its tokens",
      {
        ...{ path: "responses", upstream: "openai" },
        more: { top_logprobs: 20, include: ["message.output_text.logprobs"] },
      },
      () => ({
        completion: chosen(
          { content: "word".repeat(40_000) },
          { logprobs: { content: likelihoods(40_000) } },
        ),
      }),
    ],
    [
      "with 300,000 citations",
      { path: "responses", upstream: "openai", more: {} },
      () => ({ completion: writeChat({ content: "word", annotations: Array(300_000).fill(citation) }) }),
    ],
    [
      "that calls a tool with one long text",
      {
        path: "messages",
        upstream: "openai",
        more: { tools: [{ name: "f", input_schema: { type: "object" } }] },
      },
      () => ({ completion: writeChat({ content: null, tool_calls: [callOf("f", longArguments())] }) }),
    ],
    [
      "that calls a tool with one long text as JSON",
      { path: chat, upstream: "anthropic", more: {} },
      () => ({
        message: writeMessage([{ type: "tool_use", id: "c", name: "f", input: JSON.parse(longArguments()) }]),
      }),
    ],
    [
      "that comes in two parts",
      { path: chat, upstream: "anthropic", more: { n: 2 } },
      () => ({ message: writeMessage([{ type: "text", text: fill("word \n", ANSWER_SIZE) }]) }),
    ],
  ];

test.each(drawnCases(handled))(
  "a large answer %s does not block the event loop for long",
  async (...[, call, make]) => {
    const { completion = {}, message = {} } = make();
    setAnswers(completion, message);
    const { status, longestMs } = await askShortly(call);
    expect(status).toBe(200);
    // Measured: 21 to 64 ms.
    expect(longestMs).toBeLessThan(100);
  },
);

/** A chat answer with more members, and a stream whose first event has more. */
const answerOf = (more: string) =>
  `{"id":"c",${more}${JSON.stringify(writeChat({ content: "fine" })).slice(1)}`;
const eventOf = (more: string) =>
  `data: {"id":"c"${more},"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n`;
const streamOf = (events: string) =>
  `${events}data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;
const names = (count: number) => Array.from({ length: count }, (_, each) => `"n${each}":1`).join();

const bulky: [what: string, stream: boolean, status: number, body: () => string][] = [
  ["white space", false, 200, () => answerOf(fill(" ", 16 * MB))],
  ["white space before it", false, 200, () => fill(" ", 16 * MB) + answerOf("")],
  ["many values", false, 502, () => answerOf(`"x":[${fill("1,", 18 * MB)}1],`)],
  ["many names", false, 502, () => answerOf(`"x":{${names(300_000)}},`)],
  [
    "many choices",
    false,
    502,
    () =>
      answerOf("").replace(
        "[",
        `[${`${JSON.stringify(writeChat({ content: "fine" }).choices[0])},`.repeat(150_000)}`,
      ),
  ],
  ["comments", false, 200, () => streamOf(eventOf("") + fill(":\n\n", 16 * MB))],
  ["an event of many values", true, 502, () => streamOf(eventOf(`,"x":[${fill("1,", 5 * MB)}1]`))],
  [
    "an event of deep lists",
    true,
    502,
    () => streamOf(eventOf(`,"x":${fill("[", 2 * MB)}${fill("]", 2 * MB)}`)),
  ],
];

test.each(drawnCases(bulky))(
  "an answer with %s (streamed: %s) does not block the event loop for long",
  async (...[, stream, expected, written]) => {
    const model = await gateway.model();
    const body = Buffer.from(written());
    const vendor = createServer((request, response) => {
      request.resume().once("end", () => response.end(body));
    });
    vendors.push(vendor);
    const baseUrl = `http://127.0.0.1:${await listen(vendor)}/v1`;
    await gateway.channel({ model, baseUrl });
    const callBody = { model, stream, max_tokens: 50, messages: [{ role: "user", content: "a" }] };
    const { status, longestMs } = await measureCall(chat, Buffer.from(JSON.stringify(callBody)));
    expect(status).toBe(expected);
    // Measured: 7 to 55 ms. Before: 0.15 to 1.5 seconds.
    expect(longestMs).toBeLessThan(100);
  },
);
