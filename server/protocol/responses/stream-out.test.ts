import fc from "fast-check";
import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { answerOf, anyAnswer, eventsOf, words } from "@/tests/support/answer-events";
import { sampleUsage } from "@/tests/support/sample-usage";
import { namedEventsOf } from "@/tests/support/sse-events";
import { type JsonObject, objects } from "../fields";
import type { Answer } from "../pivot/answer";
import { echoOf, toResponse } from "./answer-out";
import { mintResponseId, responseIdOf } from "./ids";
import { ResponsesOut } from "./stream-out";
import { readClientTools } from "./tools-in";

const context = { model: "public", inputTokens: 9, fallbackId: "gen_1", now: new Date(5_000) };
const fields: JsonObject = {
  instructions: "Be brief",
  tools: [
    { type: "function", name: "f", parameters: {}, strict: null },
    { type: "custom", name: "patch", format: { type: "text" } },
    { type: "namespace", name: "ns", tools: [{ type: "function", name: "g", parameters: {} }] },
  ],
};
const form = { id: mintResponseId(), echo: echoOf(fields), tools: readClientTools(fields, []), context };

function streamed(answer: Answer, counts = sampleUsage) {
  const kept: JsonObject[] = [];
  const writer = new ResponsesOut(form, (response) => kept.push(response));
  const text = eventsOf(answer)
    .map((event) => writer.write(event))
    .join("");
  const events = namedEventsOf(text + writer.end(counts));
  return { events, kept };
}

const call = fc.constantFrom("f", "patch", "ns__g", "unknown").chain((name) =>
  fc.record({
    type: fc.constant("call" as const),
    id: fc.constantFrom("call_1", "call_2", ""),
    name: fc.constant(name),
    arguments: name === "patch" ? words.map((input) => JSON.stringify({ input })) : fc.constant('{"a":1}'),
  }),
);
const answers = anyAnswer({
  ...{ call, id: ["msg_1"], origins: ["anthropic", "google"] },
  reasons: ["end", "length", "refusal"],
});

test("a stream ends with the whole response, and stores it", () => {
  fc.assert(
    fc.property(answers, (answer) => {
      const { events, kept } = streamed(answer);
      const whole = atOnce(toResponse(answer, sampleUsage, form));
      const last = events.at(-1);
      expect(last?.type).toBe(`response.${whole.status}`);
      expect(last?.response).toEqual(whole);
      expect(kept).toEqual([whole]);
    }),
  );
});

const itemsOf = ({ response }: JsonObject) => objects((response as JsonObject).output);

test("with keep-alives at any place and after a break, numbers have no gap, each item has one identifier, and each open item is ended", () => {
  const cut = fc.option(fc.nat(40));
  fc.assert(
    fc.property(answers, cut, fc.array(fc.boolean(), { maxLength: 40 }), (answer, end, alive) => {
      const writer = new ResponsesOut(form, () => {});
      const all = eventsOf(answer);
      const written = end === null ? all : all.slice(0, 1 + (end % all.length));
      const text = written.map((event, at) => writer.write(event) + (alive[at] ? writer.keepAlive() : ""));
      const last = end === null ? writer.end(sampleUsage) : writer.fail({ code: 502, message: "broken" });
      const events = namedEventsOf(text.join("") + last);
      expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
      expect(
        new Set(events.flatMap(({ response }) => (response ? [(response as JsonObject).id] : []))).size,
      ).toBe(1);
      const ids = new Map<unknown, unknown>();
      for (const event of events.filter(({ output_index: place }) => place !== undefined)) {
        const id = event.item_id ?? (event.item as JsonObject).id;
        expect(ids.get(event.output_index) ?? id).toBe(id);
        ids.set(event.output_index, id);
      }
      const items = itemsOf(events.at(-1) ?? {});
      expect(items.map(({ id }) => id)).toEqual([...ids.values()]);
      expect(new Set(ids.values()).size).toBe(ids.size);
      expect(items.filter(({ call_id: id }) => id === "")).toEqual([]);
      const itemEvents = (type: string) =>
        events.filter((event) => event.type === `response.output_item.${type}`);
      expect(itemEvents("added").length - itemEvents("done").length).toBeLessThanOrEqual(
        end === null ? 0 : 1,
      );
      expect(items.slice(0, itemEvents("done").length)).toEqual(itemEvents("done").map(({ item }) => item));
      const ofType = (type: RegExp) => events.filter((event) => type.test(String(event.type)));
      expect(ofType(/^response\.(?:completed|incomplete|failed)$/)).toHaveLength(1);
      expect(ofType(/^error$/)).toHaveLength(end === null ? 0 : 1);
    }),
  );
});

test("each item has one place, and its deltas add up to its text", () => {
  fc.assert(
    fc.property(answers, (answer) => {
      const { events } = streamed(answer);
      const done = events.filter(({ type }) => type === "response.output_item.done");
      expect(done.map((event) => event.output_index)).toEqual(done.map((_, index) => index));
      for (const [index, event] of done.entries()) {
        const item = event.item as JsonObject;
        const deltas = events.filter((each) => each.output_index === index && each.delta !== undefined);
        expect(deltas.every((each) => each.item_id === item.id)).toBe(true);
        expect(deltas.map((each) => each.delta).join("")).toBe(textOfItem(item));
        expect(responseIdOf(String(item.id))).toBe(form.id);
      }
    }),
  );
});

test("an item and its part are opened before its text, and each is closed before the next one opens (bifrost#5169, vllm PR#37071)", () => {
  fc.assert(
    fc.property(answers, (answer) => {
      const { events } = streamed(answer);
      let opened: { index: unknown; type: unknown } | null = null;
      const parts = new Set<unknown>();
      for (const event of events) {
        const item = event.item as JsonObject | undefined;
        if (event.type === "response.output_item.added") {
          expect(opened).toBeNull();
          opened = { index: event.output_index, type: item?.type };
        } else if (/(?:content|summary)_part\.added$/.test(String(event.type))) {
          parts.add(event.output_index);
        } else if (event.type === "response.output_item.done") {
          expect(opened).toEqual({ index: event.output_index, type: item?.type });
          opened = null;
        } else if (event.delta !== undefined) {
          expect(opened?.index).toBe(event.output_index);
          expect(parts.has(event.output_index)).toBe(!/_call/.test(String(event.type)));
        }
      }
      expect(opened).toBeNull();
    }),
  );
});

test("a response that its limit ended is incomplete, and so is its item, and counts of zero are written (CLIProxyAPI#3133, one-hub#868)", () => {
  const none = { cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0, reasoningTokens: 0 };
  const half = answerOf([{ type: "text", text: "half" }], "length");
  const usage = { ...sampleUsage.usage, ...none, inputTokens: 7 };
  const { events } = streamed(half, { ...sampleUsage, usage });
  expect(events.find(({ type }) => type === "response.output_item.done")?.item).toMatchObject({
    id: expect.stringMatching(/^msg_/),
    status: "incomplete",
  });
  expect(events.at(-1)).toMatchObject({
    type: "response.incomplete",
    response: {
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      usage: {
        ...{ input_tokens: 7, output_tokens: 6, total_tokens: 13 },
        ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
      },
    },
  });
});

function textOfItem(item: JsonObject): string {
  const parts = [...objects(item.content), ...objects(item.summary)];
  const text = parts.map((part) => String(part.text ?? part.refusal)).join("");
  return text + String(item.arguments ?? item.input ?? "");
}

test("a client gets a call of a custom tool or of a namespace in its own form", () => {
  const { events } = streamed(
    answerOf([
      { type: "call", id: "call_1", name: "patch", arguments: '{"input":"*** Begin"}' },
      { type: "call", id: "call_2", name: "ns__g", arguments: '{"a":1}' },
    ]),
  );
  expect(events.at(-1)).toHaveProperty("response.output");
  const { output } = (events.at(-1)?.response as { output?: unknown }) ?? {};
  expect(output).toMatchObject([
    { type: "custom_tool_call", name: "patch", input: "*** Begin", status: "completed", call_id: "call_1" },
    { type: "function_call", name: "g", namespace: "ns", arguments: '{"a":1}', call_id: "call_2" },
  ]);
});

test("a stream that breaks off ends with an error and a failed response, with consecutive numbers", () => {
  const writer = new ResponsesOut(form, () => {});
  const begun = namedEventsOf(writer.write({ type: "start", id: "x" }) + writer.keepAlive());
  const failed = namedEventsOf(writer.fail({ code: 502, message: "gone" }));
  expect([...begun, ...failed].map(({ type, sequence_number }) => [type, sequence_number])).toEqual([
    ["response.created", 0],
    ["response.in_progress", 1],
    ["response.in_progress", 2],
    ["error", 3],
    ["response.failed", 4],
  ]);
  expect(failed[0]).toMatchObject({ code: "server_error", message: "gone", param: null });
  expect(failed[1]?.response).toMatchObject({ status: "failed", error: { message: "gone" } });
});

test("no keep-alive comes before the first event, and a later one has the free text so far", () => {
  const writer = new ResponsesOut(form, () => {});
  expect(writer.keepAlive()).toBe("");
  const begun = namedEventsOf(writer.write({ type: "start", id: "x" }));
  expect(begun[0]).toMatchObject({ type: "response.created", sequence_number: 0 });
  writer.write({ type: "open", index: 0, block: { type: "call", id: "c", name: "patch" } });
  const grown = writer.write({ type: "grow", index: 0, text: '{"input":"*** Be\\' });
  expect(namedEventsOf(grown)).toMatchObject([
    { type: "response.custom_tool_call_input.delta", delta: "*** Be" },
  ]);
  const [alive] = namedEventsOf(writer.keepAlive());
  expect(alive?.response).toMatchObject({ output: [{ type: "custom_tool_call", input: "*** Be" }] });
});

test("events with many logprobs are written in parts, and their beginning at once", () => {
  const writer = new ResponsesOut(form, () => {});
  const top = { token: "word", logprob: -1, bytes: [1, 2, 3, 4] };
  const logprobs = Array.from({ length: 60 }, () => ({ ...top, top: Array(5).fill(top) }));
  const begun =
    writer.write({ type: "start", id: "x" }) +
    writer.write({ type: "open", index: 0, block: { type: "text" } }) +
    writer.write({ type: "grow", index: 0, text: "word", logprobs: logprobs.slice(0, 20) }) +
    writer.write({ type: "grow", index: 0, text: "word", logprobs: logprobs.slice(20, 40) });
  expect(writer.rest()).toBeNull();
  const alive = writer.keepAlive();
  expect(alive).toBe("event: response.in_progress\ndata: ");
  const parts = [...(writer.rest() ?? [])];
  expect(parts.length).toBeGreaterThan(2);
  const [event] = namedEventsOf(begun + alive + parts.join("")).slice(-1);
  expect(event).toMatchObject({ type: "response.in_progress", response: { status: "in_progress" } });
});
