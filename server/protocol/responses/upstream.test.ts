/** A responses upstream, streamed and whole: both must give the same result, for clients of every dialect. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { dataOf } from "@/tests/support/dialect-pairs/model-answer";
import { eventsOf, pieces, whole, wholeOf } from "@/tests/support/responses-pieces";
import { namedEventsOf } from "@/tests/support/sse-events";
import { terms } from "@/tests/support/terms";
import { callOf, planFor } from "@/tests/support/upstream-request";
import { usualCapabilities } from "../capabilities";
import { isJsonObject, type JsonObject, objects } from "../fields";
import type { AnswerBlock, AnswerEvent } from "../pivot/answer";
import type { Conversation } from "../pivot/conversation";
import { fromEnvelope } from "../pivot/sealed";
import type { AnswerStream, ConversationRequest } from "../upstream-plan";
import { responsesConversation } from "./conversation";
import { toResponses } from "./dialect";
import { mintResponseId } from "./ids";
import { parseResponsesRequest } from "./request";

const idsOf = (items: JsonObject[]) => items.map(({ id }) => id);

const upstream = { dialect: "responses", name: "m", capabilities: usualCapabilities.responses } as const;
const limits = terms(1_000);
const context = { model: "public", inputTokens: 5, fallbackId: "x", now: new Date(0) };
const conversation: Conversation = {
  ...{ isStream: false, system: [], isPrefill: false, tools: [], choice: null, allowed: null },
  ...{
    isSerial: false,
    format: null,
    thinking: null,
    stops: [],
    stopsField: "stop",
    cache: null,
  },
  scalars: {},
  turns: [{ role: "user", blocks: [{ type: "text", text: "a" }] }],
};

/** Assembles the blocks of events. */
function collect(events: AnswerEvent[]): { blocks: AnswerBlock[]; stop: unknown } {
  const blocks: AnswerBlock[] = [];
  let stop: unknown = null;
  for (const event of events) {
    const block = "index" in event ? blocks[event.index] : undefined;
    if (event.type === "open") {
      const { block: head } = event;
      blocks.push(
        head.type === "call"
          ? { ...head, arguments: "" }
          : ({ seal: null, text: "", ...head } as AnswerBlock),
      );
    } else if (event.type === "grow" && block?.type === "call") {
      block.arguments += event.text;
    } else if (event.type === "grow" && block && "text" in block) {
      block.text += event.text;
    } else if (event.type === "seal" && block?.type === "thinking") {
      block.seal = event.seal;
    } else if (event.type === "stop") {
      stop = { reason: event.reason, sequence: event.sequence };
    }
  }
  return { blocks, stop };
}

const plain = (blocks: AnswerBlock[]) =>
  blocks.map((block) => {
    const { seal = null, ...rest } = block as AnswerBlock & { seal?: unknown };
    return block.type === "thinking" ? { ...rest, seal } : rest;
  });

test("a client of another dialect gets the same answer, streamed and whole", () => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const plan = atOnce(toResponses(conversation, upstream, limits));
      const read = atOnce(plan.readAnswer(wholeOf(parts), context));
      if (typeof read === "string") {
        throw new Error(read);
      }
      const { reader, events } = plan.openReader(context);
      const answerEvents = eventsOf(parts).flatMap((event) => {
        const step = reader.read(JSON.stringify(event));
        return step.kind === "events" ? step.events.flatMap((each) => events.read(each)) : [];
      });
      const streamed = collect([...answerEvents, ...(events.end() ?? [])]);
      expect(plain(streamed.blocks)).toEqual(plain(read.answer.blocks));
      const seals = read.answer.blocks.flatMap((block) => (block.type === "thinking" && block.seal) || []);
      const sealed = parts.flatMap(({ item }) => item.encrypted_content ?? []);
      expect(seals).toEqual(sealed.map((data) => ({ origin: "openai", data })));
      expect(streamed.stop).toEqual(read.answer.stop);
      expect(reader.settled(true).usage).toEqual(read.usage);
    }),
  );
});

const push = (stream: AnswerStream, event: JsonObject): string => {
  const step = stream.push(JSON.stringify(event));
  return step.kind === "frames" ? step.text : "";
};

/** The text that waits. */
const restOf = (stream: AnswerStream): string => [...(stream.rest?.() ?? [])].join("");

test("a response of the same dialect is the same, streamed and whole, with keep-alives at any place", () => {
  fc.assert(
    fc.property(
      pieces,
      fc.array(fc.nat(30), { maxLength: 4 }),
      fc.boolean(),
      (parts, silences, isEndWhole) => {
        const id = mintResponseId();
        const kept: JsonObject[] = [];
        const request = parseResponsesRequest('{"model":"m","input":"a"}');
        const keep = (response: JsonObject) => kept.push(response);
        const call = { id, request, items: request.input, keep };
        const plan = atOnce(responsesConversation(call, 5).planFor(upstream, limits));
        const read = atOnce(plan.readAnswer(structuredClone(wholeOf(parts)), context));
        const whole = typeof read === "string" ? {} : read.body;
        const stream = plan.openStream(context);
        const text = eventsOf(parts, isEndWhole)
          .map((event, index) => push(stream, event) + (silences.includes(index) ? stream.keepAlive() : ""))
          .join("");
        const frames = dataOf(text + stream.ending());
        expect(frames.map((frame) => frame.sequence_number)).toEqual(frames.map((_frame, index) => index));
        const last = frames.at(-1)?.response as JsonObject;
        const sealed = (response: JsonObject) =>
          objects(response.output).map(({ encrypted_content: envelope, ...item }) => ({
            ...item,
            carried: fromEnvelope(String(envelope)),
          }));
        expect(sealed(last)).toEqual(sealed(whole));
        expect({ ...last, output: null }).toEqual({ ...whole, ...last, output: null });
        expect(kept).toHaveLength(2);
        // A keep-alive shows the first items of the final response.
        for (const { response } of frames) {
          const begun = objects(isJsonObject(response) ? response.output : []);
          expect(idsOf(begun)).toEqual(idsOf(objects(whole.output).slice(0, begun.length)));
        }
      },
    ),
  );
});

const any = fc.constantFrom<unknown[]>;
const anyItem = fc.oneof(
  any(null, undefined, "item", [], {}),
  fc.record({
    id: any("a", "b", "", null, 7),
    type: any("message", "reasoning", "function_call", "custom_tool_call", "other", null),
    content: any(null, "text", [{ type: "output_text", text: "x" }], [null, { text: 1 }]),
    summary: any(null, "text", [{ text: "thought" }], [7]),
    name: any("f", "", null),
    arguments: any("{}", "{", null, {}),
    encrypted_content: any(undefined, "", "blob", 1),
  }),
);
const anyEvent = fc.record({
  type: fc.constantFrom(
    ...["created", "in_progress", "queued", "output_item.added", "output_item.done", "content_part.added"],
    ...["content_part.done", "output_text.delta", "refusal.delta", "reasoning_summary_part.added"],
    ...["reasoning_summary_text.delta", "reasoning_text.delta", "function_call_arguments.delta"],
    ...["custom_tool_call_input.delta", "unheard_of", "completed", "incomplete"],
  ),
  output_index: any(0, 1, 2, undefined, null, "0", -1, 1e9),
  content_index: any(0, 1, undefined, 1e9),
  item_id: any("a", "b", undefined, 7),
  delta: any("x", "", undefined, { stdout: "x" }),
  part: any({ type: "output_text", text: "" }, null, "part"),
  item: anyItem,
  response: fc.option(fc.record({ output: any([], null, [{}], "no"), usage: fc.constant(1) })),
});

const clients = {
  chat: () => callOf.chat({ messages: [{ role: "user", content: "a" }], stream: true }),
  messages: () => callOf.messages({ messages: [{ role: "user", content: "a" }], stream: true }),
  responses: () => callOf.responses({ input: "a", stream: true }),
};

test.each(Object.entries(clients))(
  "a stream of any events breaks no client's stream (%s)",
  (_name, client) => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 12 }), (events) => {
        const stream = atOnce(client().planFor(upstream, limits)).openStream(context);
        for (const { type, ...rest } of events) {
          push(stream, { type: `response.${type}`, ...rest });
          stream.keepAlive();
        }
        const last = stream.isFinished
          ? stream.ending()
          : stream.failing({ code: 502, message: "", data: null });
        expect(last).not.toBe("");
        const { usage: counted } = stream.settled(stream.isFinished);
        const isCount = (count: unknown) => Number.isInteger(count) && Number(count) >= 0;
        expect(Object.values(counted).every(isCount)).toBe(true);
      }),
      { numRuns: 500 },
    );
  },
);

test.each(Object.entries(clients))(
  "a stream without its last event is broken (%s) (Switchyard#796, codex#41340)",
  (_name, client) => {
    const stream = atOnce(client().planFor(upstream, limits)).openStream(context);
    const events = eventsOf([whole({ type: "message" })]).slice(0, -1);
    const delta = { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Half" };
    const text = [...events.slice(0, 2), delta, ...events.slice(2)]
      .map((event) => push(stream, event))
      .join("");
    expect([text.includes("Half"), stream.isFinished]).toEqual([true, false]);
    expect(stream.settled(false).source).toBe("estimated");
  },
);

test.each([
  ["max_output_tokens", "length", "max_tokens"],
  ["content_filter", "content_filter", "refusal"],
])("%s never becomes a complete answer (bifrost#4679, better-ccflare#324)", (reason, finish, stop) => {
  const half = { type: "message", status: "incomplete", content: [{ type: "output_text", text: "Half" }] };
  const response = {
    ...wholeOf([whole(half)]),
    ...{ status: "incomplete", incomplete_details: { reason } },
  };
  const expected = {
    chat: `"finish_reason":"${finish}"`,
    messages: `"stop_reason":"${stop}"`,
    responses: `"incomplete_details":{"reason":"${reason}"}`,
  };
  for (const [name, client] of Object.entries(clients)) {
    const plan = atOnce(client().planFor(upstream, limits));
    const read = atOnce(plan.readAnswer(structuredClone(response), context));
    expect(typeof read === "string" ? read : JSON.stringify(read.body)).toContain(
      expected[name as keyof typeof expected],
    );
    const stream = plan.openStream(context);
    const last = { type: "response.incomplete", response };
    const events = [...eventsOf([whole(half)]).slice(0, -1), last];
    const text = events.map((event) => push(stream, event)).join("") + stream.ending();
    expect(text).toContain(expected[name as keyof typeof expected]);
  }
});

test("an answer with a picture counts as another model's work (sub2api#1999)", () => {
  const plan = atOnce(toResponses(conversation, upstream, limits));
  const tool_usage = { image_gen: { total_tokens: 40 } };
  const whole = { ...wholeOf([]), tool_usage };
  expect(atOnce(plan.readAnswer(structuredClone(whole), context))).toMatchObject({ hasOtherModel: true });
  const { reader } = plan.openReader(context);
  reader.read(JSON.stringify({ type: "response.completed", response: whole }));
  expect(reader.settled(true).hasOtherModel).toBe(true);
});

test("a message of many parts is read and written with a pause after each part", () => {
  const count = 40;
  const list = (type: string) => Array.from({ length: count }, () => ({ type, text: "a" }));
  const stepsOf = (call: ConversationRequest, from: "messages" | "responses", answer: JsonObject) =>
    [...planFor(call, from).readAnswer(answer, context)].length;
  const usage = { input_tokens: 1, output_tokens: 1 };
  const content = list("output_text");
  const response = { status: "completed", output: [{ type: "message", content }], usage };
  const request = { messages: [{ role: "user", content: "a" }] };
  expect(stepsOf(callOf.messages(request), "responses", response)).toBeGreaterThanOrEqual(2 * count);
  const message = { content: list("text"), usage };
  expect(stepsOf(callOf.responses({ input: "a" }), "messages", message)).toBeGreaterThanOrEqual(3 * count);
});

test("a long keep-alive is sent whole, after later events, with what came before it", () => {
  const stream = planFor(callOf.responses({ input: "a", stream: true }), "responses").openStream(context);
  const delta = (type: string, at: number, text: string) => ({ type, output_index: at, delta: text });
  const text = "word ".repeat(60_000);
  const argsType = "response.function_call_arguments.delta";
  const events = [
    { type: "response.output_item.added", output_index: 0, item: { type: "message", content: [] } },
    delta("response.output_text.delta", 0, text),
    { type: "response.output_item.added", output_index: 1, item: { type: "function_call", name: "f" } },
    delta(argsType, 1, "before"),
    { type: "keepalive" },
    delta("response.output_text.delta", 0, " and more"),
    delta(argsType, 1, " and after"),
  ];
  // They come in one piece, and what is long is printed behind it.
  const streamText = events.map((event) => push(stream, event)).join("") + restOf(stream);
  const [alive] = namedEventsOf(streamText).filter(({ type }) => type === "response.in_progress");
  const { output } = isJsonObject(alive?.response) ? alive.response : {};
  const [message, call] = objects(output);
  expect(objects(message?.content).map((part) => part.text === text)).toEqual([true]);
  expect(call?.arguments).toBe("before");
  expect(push(stream, { type: "keepalive" })).not.toBe("");
});
