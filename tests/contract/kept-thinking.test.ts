import { expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { startGateway, type TestGateway } from "@/tests/support/gateway";
import { messagesEvent } from "@/tests/support/messages-answer";
import { perFile, servedModel } from "@/tests/support/per-file";
import { responseUsage } from "@/tests/support/responses-answer";
import { sendJson, startUpstream, type UpstreamHandler } from "@/tests/support/upstream";

const callId = "toolu_01A09q90qw90lq917835lq9";
const thought = { type: "thinking", thinking: "It is in Paris.", signature: "c2lnbmVk" };
const use = { type: "tool_use", id: callId, name: "find", input: { a: 1 } };

/** Claude's first turn, and the second one after the result of the first. */
const claude: UpstreamHandler = (call, response) => {
  const isAgain = call.raw.includes("tool_result");
  const content = isAgain ? [{ type: "text", text: "Done." }] : [thought, use];
  const head = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: call.body.model,
    stop_sequence: null,
  };
  const stop_reason = isAgain ? "end_turn" : "tool_use";
  const usage = { input_tokens: 10, output_tokens: 5 };
  if (call.body.stream !== true) {
    sendJson(response, 200, { ...head, content, stop_reason, usage });
    return;
  }
  const begun = content.map((block) => ({ ...block, ...("input" in block && { input: {} }) }));
  const input = { type: "input_json_delta", partial_json: '{"a":1}' };
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(
    [
      { type: "message_start", message: { ...head, content: [], stop_reason: null, usage } },
      ...begun.flatMap((content_block, index) => [
        { type: "content_block_start", index, content_block },
        ...("input" in content_block ? [{ type: "content_block_delta", index, delta: input }] : []),
        { type: "content_block_stop", index },
      ]),
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ]
      .map(messagesEvent)
      .join(""),
  );
};

const gptCallId = "call_9q90qw90lq917835lq9A0101";
const reasoning = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "c2VhbGVk" };
const gptCall = { id: "fc_1", type: "function_call", call_id: gptCallId, name: "find", arguments: '{"a":1}' };

const gpt: UpstreamHandler = (call, response) => {
  const isAgain = call.raw.includes("function_call_output");
  const part = { type: "output_text", text: "Done.", annotations: [] };
  const message = { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [part] };
  const output = isAgain ? [message] : [reasoning, { ...gptCall, status: "completed" }];
  const head = { id: "resp_1", object: "response", created_at: 1_700_000_000, model: call.body.model };
  const whole = { ...head, error: null, status: "completed", output, usage: responseUsage(10, 5) };
  if (call.body.stream !== true) {
    sendJson(response, 200, whole);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(
    [
      { type: "response.created", response: { ...whole, status: "in_progress", output: [] } },
      ...output.flatMap((item, output_index) => [
        { type: "response.output_item.added", output_index, item },
        { type: "response.output_item.done", output_index, item },
      ]),
      { type: "response.completed", response: whole },
    ]
      .map((event) => messagesEvent(event))
      .join(""),
  );
};

const gateway = perFile(() => startGateway());
const upstreams = { claude: perFile(() => startUpstream(claude)), gpt: perFile(() => startUpstream(gpt)) };
const stage = (name: keyof typeof upstreams) => ({ gateway, upstream: upstreams[name] });
const models = {
  claude: servedModel(
    stage("claude"),
    { maxOutputTokens: 8_000 },
    {
      dialect: "anthropic",
      capabilities: { thinking: "budget" },
    },
  ),
  gpt: servedModel(stage("gpt"), {}, { dialect: "openai-responses", upstreamName: "gpt-5" }),
};

type TestCustomer = Awaited<ReturnType<TestGateway["customer"]>>;
type ThinkingCall = { name: keyof typeof models; stream: boolean };

const question = { role: "user", content: "Where is it?" };
const tool = { type: "function", function: { name: "find", parameters: { type: "object", properties: {} } } };

const ask = ({ secret }: TestCustomer, { name, stream }: ThinkingCall, more: object[]) =>
  gateway.chat(secret, {
    ...{ model: models[name], stream, max_tokens: 4_000, reasoning_effort: "medium", tools: [tool] },
    messages: [question, ...more],
  });

/** The identifier of the first turn's call. A plain client remembers only this, the name and the arguments. */
async function firstTurn(customer: TestCustomer, way: ThinkingCall): Promise<string> {
  const text = await (await ask(customer, way, [])).text();
  const [, id = ""] = /"id":"((?:call|toolu)_[^"]+)"/.exec(text) ?? [];
  return id;
}

/** Sends the second turn with only that in its history and returns the upstream's request. */
async function secondTurn(customer: TestCustomer, way: ThinkingCall, id: string) {
  const call = { id, type: "function", function: { name: "find", arguments: '{"a": 1}' } };
  const response = await ask(customer, way, [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: id, content: "Paris" },
  ]);
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("Done.")]);
  return upstreams[way.name].requests.at(-1)?.body as Record<string, unknown>;
}

const toClaude = (blocks: object[]) => [
  { role: "user", content: expect.anything() },
  { role: "assistant", content: blocks },
  { role: "user", content: [expect.objectContaining({ type: "tool_result", tool_use_id: callId })] },
];

test.each([false, true])(
  "Claude's signed thinking goes back before its call (stream: %j)",
  async (stream) => {
    const [way, customer] = [{ name: "claude" as const, stream }, await gateway.customer()];
    const id = await firstTurn(customer, way);
    expect(id).not.toBe(callId);
    const body = await secondTurn(customer, way, id);
    expect(body).toMatchObject({ thinking: { type: "enabled" }, messages: toClaude([thought, use]) });
  },
);

test.each([false, true])(
  "OpenAI's encrypted reasoning goes back before its call (stream: %j)",
  async (stream) => {
    const [way, customer] = [{ name: "gpt" as const, stream }, await gateway.customer()];
    const body = await secondTurn(customer, way, await firstTurn(customer, way));
    const { encrypted_content } = reasoning;
    expect(body.input).toMatchObject([
      { role: "user" },
      { type: "reasoning", encrypted_content },
      { type: "function_call", call_id: gptCallId },
      { type: "function_call_output", call_id: gptCallId },
    ]);
  },
);

test.each<[string, (owner: TestCustomer) => Promise<TestCustomer>]>([
  ["another account sends the identifier", async () => await gateway.customer()],
  [
    "it has expired",
    async (owner) => {
      await sqlOf(
        gateway.runtime.db,
      )`update kept_thinking set expires_at = now() where account_id = ${owner.accountId}`;
      return owner;
    },
  ],
])("where %s, the call goes without, as one whose thinking is lost", async (_, changed) => {
  const way = { name: "claude" as const, stream: false };
  const owner = await gateway.customer();
  const id = await firstTurn(owner, way);
  const body = await secondTurn(await changed(owner), way, id);
  expect(body.messages).toEqual(toClaude([use]));
  expect(body.thinking).toBeUndefined();
});

test("of an account that keeps nothing, nothing is kept, and its identifiers are the vendor's", async () => {
  const customer = await gateway.customer();
  await sqlOf(gateway.runtime.db)`
    update accounts set stores_responses = false where id = ${customer.accountId}`;
  gateway.runtime.access.forget();
  expect(await firstTurn(customer, { name: "claude", stream: false })).toBe(callId);
  expect(
    await sqlOf(gateway.runtime.db)`
    select 1 from kept_thinking where account_id = ${customer.accountId}`,
  ).toHaveLength(0);
});

test("where it can be neither written nor read, no call fails for it", async () => {
  const [way, customer] = [{ name: "claude" as const, stream: true }, await gateway.customer()];
  await sqlOf(gateway.runtime.db)`alter table kept_thinking rename to moved_away`;
  try {
    const body = await secondTurn(customer, way, await firstTurn(customer, way));
    expect(body.messages).toEqual(toClaude([use]));
  } finally {
    await sqlOf(gateway.runtime.db)`alter table moved_away rename to kept_thinking`;
  }
});
