import { expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { startGateway, type TestGateway } from "@/tests/support/gateway";
import { messagesEvent } from "@/tests/support/messages-answer";
import { perFile, servedModel } from "@/tests/support/per-file";
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

const gateway = perFile(() => startGateway());
const upstream = perFile(() => startUpstream(claude));
const model = servedModel(
  { gateway, upstream },
  { maxOutputTokens: 8_000 },
  { dialect: "anthropic", capabilities: { thinking: "budget" } },
);

type TestCustomer = Awaited<ReturnType<TestGateway["customer"]>>;

const question = { role: "user", content: "Where is it?" };
const tool = { type: "function", function: { name: "find", parameters: { type: "object", properties: {} } } };

const ask = ({ secret }: TestCustomer, stream: boolean, more: object[]) =>
  gateway.chat(secret, {
    ...{ model, stream, max_tokens: 4_000, reasoning_effort: "medium", tools: [tool] },
    messages: [question, ...more],
  });

/** The identifier of the first turn's call. A plain client remembers only this, the name and the arguments. */
async function firstTurn(customer: TestCustomer, stream: boolean): Promise<string> {
  const text = await (await ask(customer, stream, [])).text();
  const [, id = ""] = /"id":"(toolu_[^"]+)"/.exec(text) ?? [];
  return id;
}

/** Sends the second turn with only that in its history and returns the upstream's request. */
async function secondTurn(customer: TestCustomer, stream: boolean, id: string) {
  const call = { id, type: "function", function: { name: "find", arguments: '{"a": 1}' } };
  const response = await ask(customer, stream, [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: id, content: "Paris" },
  ]);
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("Done.")]);
  return upstream.requests.at(-1)?.body as Record<string, unknown>;
}

const toClaude = (blocks: object[]) => [
  { role: "user", content: expect.anything() },
  { role: "assistant", content: blocks },
  { role: "user", content: [expect.objectContaining({ type: "tool_result", tool_use_id: callId })] },
];

test.each([false, true])(
  "Claude's signed thinking is sent again before its call (stream: %j)",
  async (stream) => {
    const customer = await gateway.customer();
    const id = await firstTurn(customer, stream);
    expect(id).not.toBe(callId);
    const body = await secondTurn(customer, stream, id);
    expect(body).toMatchObject({ thinking: { type: "enabled" }, messages: toClaude([thought, use]) });
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
])("if %s, the call is sent without its thinking", async (_, changed) => {
  const owner = await gateway.customer();
  const id = await firstTurn(owner, false);
  const body = await secondTurn(await changed(owner), false, id);
  expect(body.messages).toEqual(toClaude([use]));
  expect(body.thinking).toBeUndefined();
});

test("an account that stores nothing has no kept thinking, and its clients get the vendor's identifiers", async () => {
  const customer = await gateway.customer();
  await sqlOf(gateway.runtime.db)`
    update accounts set stores_responses = false where id = ${customer.accountId}`;
  gateway.runtime.access.forget();
  expect(await firstTurn(customer, false)).toBe(callId);
  expect(
    await sqlOf(gateway.runtime.db)`
    select 1 from kept_thinking where account_id = ${customer.accountId}`,
  ).toHaveLength(0);
});

test("no call fails because thinking can be neither written nor read", async () => {
  const customer = await gateway.customer();
  await sqlOf(gateway.runtime.db)`alter table kept_thinking rename to moved_away`;
  try {
    const body = await secondTurn(customer, true, await firstTurn(customer, true));
    expect(body.messages).toEqual(toClaude([use]));
  } finally {
    await sqlOf(gateway.runtime.db)`alter table moved_away rename to kept_thinking`;
  }
});
