/** Streams of responses that other gateways broke, of upstreams of both older dialects. */
import { describe, expect, test } from "vitest";
import { eventually } from "@/tests/support/eventually";
import { messagesEvent } from "@/tests/support/messages-answer";
import { perFile, servedModel } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import {
  type Answer,
  answerWith,
  chatDelta,
  chatUsage,
  refuseWith,
  startUpstream,
  usage,
} from "@/tests/support/upstream";

type Item = Record<string, unknown> & { id: string; type: string; call_id?: string };
type Event = Record<string, unknown> & {
  type: string;
  sequence_number: number;
  output_index?: number;
  item_id?: string;
  item?: Item;
  response?: Record<string, unknown> & { output: Item[] };
};

const gateway = perFile(sharedGateway);
const chat = perFile(() => startUpstream(answerWith("x")));
const claude = perFile(() => startUpstream(answerWith("x")));
const overChat = servedModel({ gateway, upstream: chat });
const overMessages = servedModel({ gateway, upstream: claude }, {}, { dialect: "anthropic" });
const customer = perFile(() => gateway.customer());

const events =
  (...frames: string[]): Answer =>
  (_asked, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(frames.join(""));
  };

const call = (index: number, id: string, more: object = {}) => ({
  tool_calls: [{ index, id, type: "function", function: { name: "f", arguments: "" }, ...more }],
});
const grown = (index: number, text: string) => ({ tool_calls: [{ index, function: { arguments: text } }] });

/** Thinking, a text, and two calls at once; `finish`: as the vendor names its end. */
const chatTurn = (finish: string, last = chatUsage(usage(10, 20))) =>
  events(
    chatDelta({ role: "assistant", reasoning_content: "let me " }),
    chatDelta({ reasoning_content: "think" }),
    chatDelta({ content: "Both " }),
    chatDelta({ content: "now." }),
    chatDelta(call(0, "call_a")),
    chatDelta(grown(0, '{"n":')),
    chatDelta(grown(0, "1}")),
    chatDelta(call(1, "call_b")),
    chatDelta(grown(1, '{"n":2}')),
    chatDelta({}, finish),
    last,
    "data: [DONE]\n\n",
  );

const block = (index: number, content_block: object, deltas: object[]) =>
  messagesEvent({ type: "content_block_start", index, content_block }) +
  deltas.map((delta) => messagesEvent({ type: "content_block_delta", index, delta })).join("") +
  messagesEvent({ type: "content_block_stop", index });
const tool = (id: string) => ({ type: "tool_use", id, name: "f", input: {} });
const json = (partial_json: string) => ({ type: "input_json_delta", partial_json });

/** The same of a messages upstream. */
const claudeTurn = (stop_reason: string) =>
  events(
    messagesEvent({
      type: "message_start",
      message: {
        id: "msg_up",
        type: "message",
        role: "assistant",
        model: "up",
        content: [],
        stop_reason: null,
        usage: { input_tokens: 10, output_tokens: 1 },
      },
    }),
    block(0, { type: "thinking", thinking: "" }, [
      { type: "thinking_delta", thinking: "let me " },
      { type: "thinking_delta", thinking: "think" },
      { type: "signature_delta", signature: "sig" },
    ]),
    block(1, { type: "text", text: "" }, [
      { type: "text_delta", text: "Both " },
      { type: "text_delta", text: "now." },
    ]),
    block(2, tool("call_a"), [json('{"n":'), json("1}")]),
    block(3, tool("call_b"), [json('{"n":2}')]),
    messagesEvent({ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 20 } }),
    messagesEvent({ type: "message_stop" }),
  );

const tools = [{ type: "function", name: "f", parameters: { type: "object", properties: {} } }];
const ask = (body: object, secret = customer.secret) =>
  fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

async function eventsOf(model: string): Promise<Event[]> {
  const text = await (await ask({ model, input: "go", tools, stream: true, store: false })).text();
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)) as Event);
}

const typed = (all: Event[], type: string) => all.filter((event) => event.type === `response.${type}`);

describe.each([
  ["chat", () => chat.answer(chatTurn("tool_calls")), () => overChat],
  // Some say that they have stopped although they call (9router#354).
  ["chat that names its end wrongly", () => chat.answer(chatTurn("stop")), () => overChat],
  ["messages", () => claude.answer(claudeTurn("tool_use")), () => overMessages],
])("a turn of thinking, text and two calls of %s", (_name, begin, modelOf) => {
  const turn = async () => {
    begin();
    return await eventsOf(modelOf());
  };

  test("is numbered without a gap, and ends with everything (litellm PR#28899, llama.cpp#24957, litellm PR#38719, bifrost#5259)", async () => {
    const all = await turn();
    expect(all.map((event) => event.sequence_number)).toEqual(all.map((_, index) => index));
    const last = all.at(-1);
    expect([last?.type, last?.response?.status]).toEqual(["response.completed", "completed"]);
    expect(last?.response?.output.map(({ type }) => type)).toEqual([
      "reasoning",
      "message",
      "function_call",
      "function_call",
    ]);
    expect(last?.response?.output).toMatchObject([
      { summary: [{ type: "summary_text", text: "let me think" }] },
      { content: [{ type: "output_text", text: "Both now." }] },
      { call_id: "call_a", arguments: '{"n":1}' },
      { call_id: "call_b", arguments: '{"n":2}' },
    ]);
    expect(last?.response?.usage).toMatchObject({ input_tokens: 10, output_tokens: 20 });
  });

  test("has each item at its own place, under one identifier (litellm#21331, litellm#32607, vllm PR#47916)", async () => {
    const all = await turn();
    const done = typed(all, "output_item.done");
    expect(done.map((event) => event.output_index)).toEqual([0, 1, 2, 3]);
    expect(done.map(({ item }) => item)).toEqual(all.at(-1)?.response?.output);
    for (const { item, output_index } of done) {
      const own = all.filter((event) => event.output_index === output_index && event.item_id !== undefined);
      expect(new Set(own.map((event) => event.item_id))).toEqual(new Set([item?.id]));
    }
    const prefixes = done.map(({ item }) => item?.id.split("_", 1)[0]);
    // Without them a replay is refused (litellm PR#37946).
    expect(prefixes).toEqual(["rs", "msg", "fc", "fc"]);
  });

  test("opens each item and part before its text, and closes all (litellm PR#32777, bifrost#5169, bifrost#5149, vllm PR#37071)", async () => {
    const all = await turn();
    const opened = new Map<number, string>();
    const parts = new Set<number>();
    for (const event of all) {
      const index = event.output_index ?? -1;
      if (event.type === "response.output_item.added") {
        expect(opened.size, "the one before is closed").toBe(0);
        opened.set(index, event.item?.type ?? "");
      } else if (/(?:content|summary)_part\.added$/.test(event.type)) {
        parts.add(index);
      } else if (event.type === "response.output_item.done") {
        expect(event.item?.type).toBe(opened.get(index));
        opened.delete(index);
      } else if (event.delta !== undefined) {
        expect(opened.has(index)).toBe(true);
        expect(parts.has(index)).toBe(!event.type.includes("function_call"));
      }
    }
    expect(opened.size).toBe(0);
    expect(typed(all, "reasoning_summary_text.done")).toMatchObject([{ text: "let me think" }]);
    expect(typed(all, "output_text.done")).toMatchObject([{ text: "Both now." }]);
    expect(typed(all, "function_call_arguments.done").map((event) => event.arguments)).toEqual([
      '{"n":1}',
      '{"n":2}',
    ]);
  });

  test("has all that decoders insist on (bifrost#6329, CodexPlusPlus#1908, one-hub#868, freebuff2api#10, 9router#2082)", async () => {
    const whole = (await turn()).at(-1)?.response;
    expect(whole?.output[0]).toMatchObject({ id: expect.any(String), summary: expect.any(Array) });
    expect(whole?.usage).toMatchObject({
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: expect.any(Number) },
      total_tokens: 30,
    });
    expect(Object.keys(whole?.usage as object).filter((name) => /prompt|completion/.test(name))).toEqual([]);
  });

  test("is gone on from without state, its thinking where it was (zed#59207, litellm PR#37953)", async () => {
    const output = (await turn()).at(-1)?.response?.output ?? [];
    const results = ["call_a", "call_b"].map((call_id) => ({
      type: "function_call_output",
      call_id,
      output: "1",
    }));
    const input = [{ role: "user", content: "go" }, ...output, ...results];
    const upstream = modelOf() === overChat ? chat : claude;
    await (await ask({ model: modelOf(), input, tools, stream: true, store: false })).text();
    const asked = (upstream.asked.at(-1)?.body.messages ?? []) as { role: string }[];
    const roles = asked.map(({ role }) => role);
    expect(roles).toEqual(
      upstream === chat ? ["user", "assistant", "tool", "tool"] : ["user", "assistant", "user"],
    );
  });
});

describe("a stream that does not end well", () => {
  test("for its limit is incomplete, its items closed (CLIProxyAPI#3133, bifrost#6782, CLIProxyAPI#5439)", async () => {
    chat.answer(events(chatDelta({ role: "assistant", content: "half" }, "length"), "data: [DONE]\n\n"));
    const all = await eventsOf(overChat);
    expect(all.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
    });
    expect(typed(all, "output_item.done")).toMatchObject([{ item: { status: "incomplete" } }]);
  });

  test.each([
    ["chat", () => chat.answer(events(chatDelta({ role: "assistant", content: "half" }))), () => overChat],
    [
      "messages",
      () =>
        claude.answer(
          events(
            messagesEvent({
              type: "message_start",
              message: {
                id: "m",
                type: "message",
                role: "assistant",
                content: [],
                usage: { input_tokens: 1 },
              },
            }),
            messagesEvent({
              type: "content_block_start",
              index: 0,
              content_block: { type: "text", text: "half" },
            }),
          ),
        ),
      () => overMessages,
    ],
  ])(
    "in the middle of %s has its last event all the same (codex#41340, Switchyard#796)",
    async (_name, begin, modelOf) => {
      begin();
      const all = await eventsOf(modelOf());
      expect(all.slice(-2).map(({ type }) => type)).toEqual(["error", "response.failed"]);
      expect(all.at(-1)?.response).toMatchObject({ status: "failed", error: { code: "server_error" } });
    },
  );
});

describe("money", () => {
  test("that is not there is a 402 and no fault of the server's (langwatch#6304)", async () => {
    const { secret } = await gateway.customer({ quota: "0.000001" });
    const refused = await ask({ model: overChat, input: "x" }, secret);
    expect([refused.status, refused.headers.get("x-error-code")]).toEqual([402, "insufficient_quota"]);
  });

  test("of tokens from a cache is taken once, in a usage that comes after the end (orbit#1274, docker-agent PR#2848)", async () => {
    const model = await gateway.model({ cacheReadPrice: null });
    await gateway.channel({ model, baseUrl: chat.baseUrl });
    const counts = { ...usage(100, 10), prompt_tokens_details: { cached_tokens: 40 } };
    chat.answer(
      events(chatDelta({ role: "assistant", content: "so" }, "stop"), chatUsage(counts), "data: [DONE]\n\n"),
    );
    const payer = await gateway.customer();
    const text = await (await ask({ model, input: "x", stream: true }, payer.secret)).text();
    expect(text).toContain('"input_tokens":100');
    expect(text).toContain('"cached_tokens":40');
    // 100 tokens of the prompt at 1 a million, 10 of the answer at 2: the cached ones are among the first.
    expect((await gateway.entries(payer.accountId)).map(({ amount }) => amount)).toEqual([120_000n]);
  });

  test("is not taken for what the upstream refuses, which is no 500", async () => {
    chat.answer(refuseWith(400, "context too long"));
    const payer = await gateway.customer();
    expect((await ask({ model: overChat, input: "x" }, payer.secret)).status).toBe(400);
    const kinds = async () => (await gateway.entries(payer.accountId)).map(({ kind }) => kind);
    await eventually(kinds).toEqual(["release"]);
  });
});
