/** Each case for its own client, and for the other dialects if the case is about their answers. */
import { expect, test } from "vitest";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { answerWith, startUpstream } from "@/tests/support/upstream";
import { at, type Case, type CaseResult, casesDirectory, listCases, playCase } from "./cases";

const cases = listCases();
const world = {
  gateway: perFile(sharedGateway),
  upstream: perFile(() => startUpstream(answerWith("not told yet"))),
};

const messages = [{ role: "user", content: "Hello there" }];
/** The same question by clients of the other dialects. */
const others = (isStream: boolean): Record<string, Case["request"]> => ({
  messages: {
    path: "/v1/messages",
    headers: { "anthropic-version": "2023-06-01" },
    body: { model: "M", max_tokens: 4_000, messages, stream: isStream },
  },
  responses: { path: "/v1/responses", body: { model: "M", input: "Hello there", stream: isStream } },
  gemini: {
    path: `/v1beta/models/M:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: { contents: [{ role: "user", parts: [{ text: "Hello there" }] }] },
  },
});

/** The members in which the dialects give the reason for an answer's end. */
const ENDS = [
  ...["choices.0.finish_reason", "candidates.0.finishReason", "stop_reason", "delta.stop_reason"],
  ...["incomplete_details.reason", "response.incomplete_details.reason"],
];

/** The reason for an answer's end, in a dialect's words; `error`: the answer broke off with an error. */
function endOf({ status, json, events, text }: CaseResult): string {
  const all = [json, ...events];
  const isBroken = all.some(({ type, error }) => error || type === "error" || type === "response.failed");
  const reasons = all.flatMap((event) => ENDS.map((path) => at(event, path)));
  const word = reasons.findLast((reason) => typeof reason === "string");
  return status !== 200 || isBroken ? "error" : String(word ?? `nothing in ${text}`);
}

const FAILURE = { chat: "error", messages: "error", responses: "error", gemini: "error" };
const REFUSAL = {
  chat: "content_filter",
  messages: "refusal",
  responses: "content_filter",
  gemini: "SAFETY",
};
const LENGTH = {
  chat: "length",
  messages: "max_tokens",
  responses: "max_output_tokens",
  gemini: "MAX_TOKENS",
};

/** The reason for an answer's end that each client gets. */
const ends: Record<string, Record<string, string>> = {
  "finish-insufficient_system_resource": FAILURE,
  "finish-error": FAILURE,
  "finish-abort": FAILURE,
  "finish-timeout": FAILURE,
  "finish-malformed_model_output-whole": FAILURE,
  "finish-sensitive": REFUSAL,
  "finish-recitation": REFUSAL,
  "finish-blocklist": REFUSAL,
  "finish-spii": REFUSAL,
  "finish-image_safety": REFUSAL,
  "finish-guardrail_intervened-whole": REFUSAL,
  "finish-model_context_window_exceeded-whole": LENGTH,
  "finish-max_output_tokens-whole": LENGTH,
  "finish-gemini-model_armor": { chat: "content_filter" },
  "finish-gemini-unexpected_tool_call": { chat: "error" },
  "finish-gemini-missing_thought_signature": { chat: "error" },
  "finish-gemini-no_image": { chat: "error" },
  "finish-messages-unknown": { chat: "error" },
  "finish-calls-but-stop-streamed": { chat: "tool_calls" },
};

/** The charged tokens: input, cache reads, cache writes, output. */
const counts: Record<string, [number, number, number, number]> = {
  "usage-qwen-explicit-cache-whole": [111, 0, 1_889, 10],
  "usage-input-output-tokens-whole": [3_000, 0, 0, 700],
  "usage-chat-names-in-messages": [3_000, 0, 0, 700],
  "usage-messages-cache-at-the-end": [0, 3_604, 0, 878],
  "usage-messages-write-becomes-read": [14, 35_203, 0, 9],
  "usage-messages-whole-overlap": [2, 3_600, 0, 5],
};

/** A member of streamed tool calls, put together from its fragments as openai-python does. */
const addedUp = ({ events }: CaseResult, path: string): string =>
  events.map((event) => at(event, `choices.0.delta.tool_calls.0.${path}`) ?? "").join("");
const textOf = ({ events }: CaseResult): string =>
  events.map((event) => at(event, "delta.text") ?? "").join("");
const content = ({ json }: CaseResult) => at(json, "choices.0.message.content");

const single: Record<string, (result: CaseResult) => void> = {
  "finish-null-as-text": ({ events }) => expect(at(events[0], "choices.0.finish_reason")).toBeNull(),
  "encoding-gzip-json": (result) => expect(content(result)).toBe("one"),
  "encoding-deflate-json": (result) => expect(content(result)).toBe("one"),
  "encoding-gzip-stream": ({ events }) => expect(at(events[0], "choices.0.delta.content")).toBe("one"),
  "http10-without-host": ({ status }) => expect(status).toBe(200),
  "sse-kind-in-event-name-only": (result) => expect(textOf(result)).toBe("hi"),
  "messages-no-block-start": (result) => {
    const kinds = result.events.map(({ type }) => type);
    expect(kinds.slice(0, 3)).toEqual(["message_start", "content_block_start", "content_block_delta"]);
    expect(textOf(result)).toBe("hi");
  },
  "messages-no-index": ({ events }) => {
    const places = events
      .filter(({ type }) => String(type).startsWith("content_block"))
      .map(({ index }) => index);
    expect(places).toEqual([0, 0, 0]);
  },
  "tool-name-in-every-fragment": (result) => {
    const fields = ["id", "function.name", "function.arguments"].map((path) => addedUp(result, path));
    expect(fields).toEqual(["a", "look", '{"q":"x"}']);
  },
  "tool-arguments-once-more-at-the-end": (result) =>
    expect(addedUp(result, "function.arguments")).toBe('{"q":"x"}'),
  "tool-empty-arguments-same-dialect": ({ json }) => {
    const argumentTexts = [0, 1].map((place) =>
      at(json, `choices.0.message.tool_calls.${place}.function.arguments`),
    );
    expect(argumentTexts).toEqual(["{}", "{}"]);
  },
  "responses-arguments-in-completed-only": (result) =>
    expect(addedUp(result, "function.arguments")).toBe('{"q":"x"}'),
  "responses-snapshot-only-same-dialect": ({ events }) => {
    const items = events
      .filter(({ item }) => item !== undefined)
      .map(({ type, item }) => [type, at(item, "arguments")]);
    expect(items).toEqual([
      ["response.output_item.added", ""],
      ["response.output_item.done", '{"q":"x"}'],
    ]);
  },
  "messages-input-as-text-whole": ({ json }) => expect(at(json, "content.0.input")).toEqual({ q: "x" }),
  "empty-error-text": (result) => expect([content(result), result.requests.length]).toEqual(["one", 1]),
  "empty-error-code-0": (result) => expect([content(result), result.requests.length]).toEqual(["one", 1]),
  "prompt-with-lone-surrogate": ({ requests }) => {
    expect(requests[0]).toMatch(/cut (?:\ufffd|\\ufffd)/i);
    expect(requests[0]).not.toMatch(/ud83d/i);
  },
  "json-asked-stream-came": (result) =>
    expect([content(result), result.requests.length]).toEqual(["onetwo", 1]),
  "stream-asked-json-came": (result) => {
    const text = result.events.map((event) => at(event, "choices.0.delta.content") ?? "").join("");
    expect([text, result.requests.length]).toEqual(["onetwo", 1]);
  },
  "stream-of-messages-not-deltas": ({ events }) =>
    expect(at(events[0], "choices.0.delta.content")).toBe("hi"),
  "choice-without-message": (result) => expect(content(result)).toBe("hi"),
};

const DIGITS = "2512292042121000001";
/** Where the exact digits of a number must stay: in the client's answer, or in the upstream's request. */
const digits: Record<string, "answer" | "request"> = {
  "number-messages-same-dialect": "answer",
  "number-messages-to-chat": "answer",
  "number-gemini-to-chat": "answer",
  "number-gemini-stream-same-dialect": "answer",
  "number-chat-whole-to-messages": "answer",
  "number-arguments-object": "answer",
  "number-history-chat-to-messages": "request",
  "number-history-messages-to-chat": "request",
  "number-tool-schema": "request",
};

const caseNamed = (name: string): Case => {
  const match = cases?.get(name);
  expect(match, `${name} is in ${casesDirectory}`).toBeDefined();
  return match as Case;
};

if (cases === null) {
  const notice = `there are no cases at ${casesDirectory} (CASES_DIR)`;
  console.log(`recorded: ${notice}`);
  test(`NOT RUN: ${notice}`, () => {
    expect(cases).toBeNull();
  });
} else {
  test.each(Object.entries(ends))("%s ends as %j", async (name, expected) => {
    const played = caseNamed(name);
    const { chat, ...clients } = expected;
    const outcomes: Record<string, string> = { chat: endOf(await playCase(world, played)) };
    for (const client of Object.keys(clients)) {
      const request = others(played.request.body.stream === true)[client];
      outcomes[client] = endOf(await playCase(world, played, request));
    }
    expect(outcomes).toEqual({ chat, ...clients });
  });

  test.each(Object.entries(counts))("%s is charged as %j", async (name, expected) => {
    const { entries } = await playCase(world, caseNamed(name));
    const charged = entries.map(({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens }) => [
      ...[inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens],
    ]);
    expect(charged).toEqual([expected]);
  });

  test.each(Object.entries(digits))("%s: the digits are in the %s", async (name, where) => {
    const { text, requests } = await playCase(world, caseNamed(name));
    expect(where === "answer" ? text : requests.join("")).toContain(DIGITS);
  });

  test("gemini-signature-twice: a signature is sent back once, on its call", async () => {
    const played = caseNamed("gemini-signature-twice");
    const { json } = await playCase(world, played);
    const message = at(json, "choices.0.message");
    const calls = at(message, "tool_calls") as { id: string }[];
    const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "1" }));
    const { path, body } = played.request;
    const again = { path, body: { ...body, messages: [...messages, message, ...results] } };
    const { requests } = await playCase(world, played, again);
    const parts = at(JSON.parse(requests[0] ?? "{}"), "contents.1.parts") as Record<string, unknown>[];
    expect(parts.map((part) => [Object.keys(part).sort(), part.thoughtSignature])).toEqual([
      [["functionCall", "thoughtSignature"], "U0lHMQ=="],
      [["functionCall"], undefined],
    ]);
  });

  test("openrouter-reasoning-details-to-messages: the details are sent back with the next turn", async () => {
    const played = caseNamed("openrouter-reasoning-details-to-messages");
    const { json } = await playCase(world, played);
    const { path, headers = {}, body } = played.request;
    const assistantTurn = { role: "assistant", content: json.content };
    const result = { type: "tool_result", tool_use_id: at(json, "content.1.id"), content: "1" };
    const history = [...messages, assistantTurn, { role: "user", content: [result] }];
    const { requests } = await playCase(world, played, {
      path,
      headers,
      body: { ...body, messages: history },
    });
    const upstreamTurn = at(JSON.parse(requests[0] ?? "{}"), "messages.1");
    expect(upstreamTurn).toMatchObject({
      reasoning_details: at(played.upstream?.body, "choices.0.message.reasoning_details"),
      tool_calls: [{ function: { name: "look" } }],
    });
  });

  test("inline-think-tags: with the capability, thinking is not in the answer's text", async () => {
    const { events } = await playCase(world, {
      ...caseNamed("inline-think-tags"),
      capabilities: { thinkTags: true },
    });
    const all = (member: string) =>
      events.map((event) => at(event, `choices.0.delta.${member}`) ?? "").join("");
    expect([all("reasoning_content"), all("content")]).toEqual(["secret thoughts", "Answer"]);
  });

  test.each(Object.entries(single))("%s", async (name, check) => {
    check(await playCase(world, caseNamed(name)));
  });
}
