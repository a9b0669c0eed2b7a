/** Ends of streams in unusual forms: errors, whole arguments, and members of the upstream's own. */
import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { clients } from "@/tests/support/dialect-pairs/clients";
import { dataOf } from "@/tests/support/dialect-pairs/model-answer";
import { planOf, relay } from "@/tests/support/dialect-pairs/pairs";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";

const sameDialect = { client: "responses", upstream: "responses" } as const;
const hi = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi" }] };
const response = (more: object = {}) => ({
  ...{ id: "r", object: "response", status: "completed", output: [hi], ...more },
});
const added = (item: object) => ({ type: "response.output_item.added", output_index: 0, item });
const completed = (more: object = {}) => ({ type: "response.completed", response: response(more) });

const eventsFor = (events: object[]): JsonObject[] =>
  dataOf(
    relay(
      sameDialect,
      events.map((event) => JSON.stringify(event)),
    ),
  );

const lastResponse = (events: object[]): unknown => eventsFor(events).at(-1)?.response;

test.each([
  [{ code: "server_error", message: "The model broke off" }, { code: "server_error" }],
  ["The model broke off", { message: "The model broke off" }],
])("the error %o of a response that was cut off reaches the client", (error, shown) => {
  const event = { type: "response.incomplete", response: response({ status: "incomplete", error }) };
  expect(lastResponse([event])).toMatchObject({ status: "incomplete", error: shown });
});

test.each([[{}], [""], [{ code: 0, message: "" }], [false]])("the empty error %o is no error", (error) => {
  expect(lastResponse([completed({ error })])).toMatchObject({ error: null });
});

test.each([
  [{}, null],
  [{ id: null }, null],
  ["conv_1", null],
  [null, null],
  [{ id: "conv_1" }, { id: "conv_1" }],
])("the conversation %o reaches the client with its identifier or not at all", (conversation, shown) => {
  const created = { type: "response.created", response: response({ status: "in_progress", conversation }) };
  const events = eventsFor([created, completed({ conversation })]);
  const responses = events.flatMap((event) => (isJsonObject(event.response) ? [event.response] : []));
  expect(responses.map((each) => each.conversation)).toEqual([shown, shown]);
  const context = { model: "public", inputTokens: 5, fallbackId: "gen_1", now: new Date(0) };
  const read = atOnce(planOf(sameDialect, false).readAnswer(response({ conversation }), context));
  expect(read).toMatchObject({ body: { conversation: shown } });
});

const call = { id: "fc_1", type: "function_call", call_id: "c", name: "f", arguments: "" };
const given = (step: "delta" | "done", value: unknown) => ({
  ...{ type: `response.function_call_arguments.${step}`, output_index: 0, item_id: "fc_1" },
  [step === "delta" ? "delta" : "arguments"]: value,
});

test.each<[string, object[]]>([
  ["in their last event", [given("done", { a: "1" })]],
  ["in a piece", [given("delta", { a: "1" }), given("done", '{"a":"1"}')]],
  ["that is empty before their text", [given("delta", {}), given("delta", '{"a":"1"}')]],
])("clients get arguments that come as an object %s", (_, events) => {
  const all = [added(call), ...events, completed({ output: [] })];
  for (const client of ["chat", "messages", "responses", "gemini"] as const) {
    const stringsOf = all.map((event) => JSON.stringify(event));
    const heard = clients[client].stream(relay({ client, upstream: "responses" }, stringsOf));
    expect(heard.calls).toEqual([{ name: "f", input: { a: "1" } }]);
  }
});

test("the input of a custom tool that only its last event has comes in a piece", () => {
  const tool = { id: "ct_1", type: "custom_tool_call", call_id: "c", name: "f", input: "" };
  const end = { type: "response.custom_tool_call_input.done", output_index: 0, item_id: "ct_1", input: "ls" };
  const events = eventsFor([added(tool), end, completed({ output: [] })]);
  const pieces = events.filter(({ type }) => type === "response.custom_tool_call_input.delta");
  expect(pieces.map(({ delta }) => delta)).toEqual(["ls"]);
  const strings = [added(tool), end, completed({ output: [] })].map((event) => JSON.stringify(event));
  const heard = clients.chat.stream(relay({ client: "chat", upstream: "responses" }, strings));
  expect(heard.calls).toEqual([{ name: "f", input: { input: "ls" } }]);
});

test("a text whose last event comes twice is shown once", () => {
  const said = { type: "response.output_text.done", output_index: 0, content_index: 0, text: "Hi" };
  const events = eventsFor([added({ ...hi, content: [] }), said, said, completed()]);
  expect(events.filter(({ type }) => type === "response.output_text.delta")).toHaveLength(1);
  const ends = events.filter(({ type }) => type === "response.output_item.done");
  const texts = ends.flatMap(({ item }) => objects(isJsonObject(item) ? item.content : []));
  expect(texts.map(({ text }) => textOf(text))).toEqual(["Hi"]);
});
