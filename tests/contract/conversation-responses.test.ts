import { describe, expect, test } from "vitest";
import { backgroundCustomers } from "@/tests/support/background-room";
import { callerFor } from "@/tests/support/console";
import { conversationRoom, user } from "@/tests/support/conversation-room";
import { eventually } from "@/tests/support/eventually";
import { gate } from "@/tests/support/gate";
import { answerWith, chatDelta, chatUsage, heldAnswer, refuseWith, usage } from "@/tests/support/upstream";

const { gateway, chat, model, clientOf, client, textsOf, newConversation, call, sql } = conversationRoom();
const hello = answerWith("Hello there");
const newCustomer = backgroundCustomers({ gateway, model });

/** A response that is under way in a conversation of a new customer. `finish` lets it end well and waits for it. */
async function startResponse(background: boolean) {
  const own = await newCustomer();
  const by = clientOf(own);
  const { id } = await by.conversations.create({ items: [user("zero")] });
  const { answer, goOn } = heldAnswer();
  chat.answer(answer);
  const before = chat.requests.length;
  const making = by.responses.create({ model, input: "x", conversation: id, background });
  const begun = async () => {
    await gateway.runtime.backgroundRuns.work();
    return chat.requests;
  };
  await eventually(begun, 30_000).toHaveLength(before + 1);
  const finish = () => {
    goOn();
    chat.answer(hello);
    return making;
  };
  return { own, by, id, finish };
}

test("all responses that run at the same time are added to their conversation, one after the other", async () => {
  const id = await newConversation("zero");
  const inputs = ["one", "two", "three", "four", "five"];
  const by = client();
  await Promise.all(inputs.map((input) => by.responses.create({ model, input, conversation: id })));
  const [zero, ...turns] = await textsOf(id);
  expect(zero).toBe("zero");
  expect(turns.filter((_, at) => at % 2 === 0).sort()).toEqual(inputs.toSorted());
  expect(turns.filter((_, at) => at % 2 === 1)).toEqual(inputs.map(() => "Hello there"));
});

test("a conversation keeps an answer that is not stored as a response, and nothing of a failed one", async () => {
  const id = await newConversation();
  const kept = await client().responses.create({ model, input: "one", conversation: id, store: false });
  expect(kept).toMatchObject({ store: false });
  await expect(client().responses.retrieve(kept.id)).rejects.toMatchObject({ status: 404 });
  await expect(client().responses.delete(kept.id)).rejects.toMatchObject({ status: 404 });
  const on = { previous_response_id: kept.id, input: "x" };
  await expect(client().responses.create({ model, ...on })).rejects.toMatchObject({ status: 400 });
  const before = await textsOf(id);
  expect(before).toEqual(["one", "Hello there"]);
  chat.answer(refuseWith(400));
  await expect(client().responses.create({ model, input: "x", conversation: id })).rejects.toThrow();
  chat.answer(hello);
  expect(await textsOf(id)).toEqual(before);
  // An item that a client sends again is a new item with a new identifier.
  const { data } = await client().conversations.items.list(id);
  await client().responses.create({
    model,
    input: data.map(({ id: itemId }) => ({ type: "item_reference", id: String(itemId) })),
    conversation: id,
  });
  const listed = await client().conversations.items.list(id, { limit: 100 });
  expect(new Set(listed.data.map((item) => item.id)).size).toBe(5);
});

test("a conversation keeps nothing of a stream whose client hangs up", async () => {
  const own = await gateway.customer();
  const by = clientOf(own);
  const { id } = await by.conversations.create();
  const { answer, goOn } = heldAnswer();
  let isLeft = false;
  chat.answer((call, response, request) => {
    response.once("close", () => {
      isLeft = true;
    });
    return answer(call, response, request);
  });
  const stream = await by.responses.create({ model, input: "one", conversation: id, stream: true });
  let responseId = "";
  for await (const event of stream) {
    if (event.type === "response.created") {
      responseId = event.response.id;
      expect(event.response.conversation).toEqual({ id });
    }
    if (event.type === "response.output_text.delta") {
      break;
    }
  }
  await eventually(() => isLeft).toBe(true);
  goOn();
  await eventually(() => gateway.entries(own.accountId)).toHaveLength(1);
  chat.answer(hello);
  expect((await call("GET", `responses/${responseId}`, { by: own })).status).toBe(404);
  expect(await textsOf(id, by)).toEqual([]);
  const whole = await by.responses.create({ model, input: "two", conversation: id, stream: true });
  for await (const event of whole) {
    // A response whose stream has ended can be read at once.
    expect(event.type === "response.completed" && (await textsOf(id, by))).toEqual(
      event.type === "response.completed" ? ["two", "Hello there"] : false,
    );
  }
});

test("a conversation keeps a stream whose client hangs up when only its counts are missing", async () => {
  const own = await gateway.customer();
  const by = clientOf(own);
  const { id } = await by.conversations.create();
  const { open: goOn, opened: release } = gate();
  chat.answer(async (_asked, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chatDelta({ content: "all" }, "stop"));
    await release;
    response.end(`${chatUsage(usage(10, 5))}data: [DONE]\n\n`);
  });
  const stream = await by.responses.create({ model, input: "one", conversation: id, stream: true });
  for await (const event of stream) {
    if (event.type === "response.output_text.delta") {
      break;
    }
  }
  // The client hangs up before this call.
  expect(await textsOf(id, by)).toEqual([]);
  goOn();
  chat.answer(hello);
  await eventually(() => textsOf(id, by)).toEqual(["one", "all"]);
});

test.each([true, false])(
  "a conversation keeps a response that began before its account stopped storing responses (%o)",
  async (background) => {
    const { own, by, id, finish } = await startResponse(background);
    const owner = await callerFor(gateway, { role: "owner", accountId: own.accountId });
    await owner.account.setStoresResponses({ storesResponses: false });
    const status = async () => (await call("GET", `conversations/${id}`, { by: own })).status;
    await eventually(status).toBe(404);
    const made = await finish();
    expect(made).toMatchObject({ store: true });
    await eventually(() => gateway.entries(own.accountId), 30_000).toHaveLength(1);
    expect(await status()).toBe(404);
    const refused = await call("POST", "responses", {
      body: { model, input: "x", conversation: id },
      by: own,
    });
    expect(refused).toMatchObject({ status: 404, slug: "conversation_not_found" });
    await owner.account.setStoresResponses({ storesResponses: true });
    await eventually(status).toBe(200);
    expect((await textsOf(id, by)).join()).toMatch(/^zero,x,one/);
  },
);

describe("a response in the background", () => {
  test("is added when it has completed, after what was added meanwhile, and not if it is cancelled", async () => {
    const own = await newCustomer();
    const by = clientOf(own);
    const { id } = await by.conversations.create({ items: [user("zero")] });
    const { answer, goOn } = heldAnswer();
    chat.answer(answer);
    const begin = async (input: string) => {
      const made = await by.responses.create({ model, input, conversation: id, background: true });
      expect(made).toMatchObject({ conversation: { id } });
      await gateway.runtime.backgroundRuns.work();
      await own.untilBegun();
      return made.id;
    };
    const cancelled = await begin("x");
    await by.responses.cancel(cancelled);
    await eventually(async () => (await own.money())[1], 30_000).toBe(0n);
    expect(await textsOf(id, by)).toEqual(["zero"]);

    const made = await begin("later");
    expect(chat.requests.at(-1)?.raw).toMatch(/zero.*later/);
    await by.conversations.items.create(id, { items: [user("first")] });
    // As if it had waited for a day.
    await sql()`update stored_responses set expires_at = expires_at - interval '1 day'
      where account_id = ${own.accountId} and hash = encode(sha256(${made}), 'hex')`;
    goOn();
    await own.until(made, "completed");
    const sooner = await sql()`
      select 1 from stored_responses s join conversations c using (account_id)
      where account_id = ${own.accountId} and s.parent_hash is not null and s.expires_at < c.expires_at`;
    expect(sooner).toEqual([]);
    await gateway.runtime.backgroundRuns.work();
    expect(await textsOf(id, by)).toEqual(["zero", "first", "later", "one two"]);
    expect(await gateway.verify()).toEqual([]);
    await by.responses.delete(cancelled);
    await by.responses.delete(made);
    expect(await textsOf(id, by)).toHaveLength(4);
    chat.answer(hello);
  });
});

test.each([true, false])(
  "a response that ends after its conversation was deleted stays, and cannot be continued (%o)",
  async (background) => {
    const { own, by, id, finish } = await startResponse(background);
    await by.conversations.delete(id);
    const made = await finish();
    await own.until(made.id, "completed");
    const on = { previous_response_id: made.id, input: "x" };
    await expect(by.responses.create({ model, ...on })).rejects.toMatchObject({ status: 400 });
    await by.responses.delete(made.id);
    expect(await sql()`select 1 from stored_responses where account_id = ${own.accountId}`).toEqual([]);
  },
);
