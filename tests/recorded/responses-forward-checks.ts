/** Checks of a recorded response that the gateway forwards to a client of the same dialect. */
import { expect } from "vitest";
import type { FakeUpstream } from "@/tests/support/upstream";
import type { JsonObject } from "./corpus";
import { fields, list, string, unpriced } from "./json";
import { eventsIn, type ResponsesReading } from "./responses-oracle";
import { framesOf } from "./sse";
import type { Stage } from "./stage";

export type OwnScene = Stage & { reading: ResponsesReading };

const OURS = /^(?:msg|rs|fc|ctc|ws|fs|ci|ig)_[0-9a-f]{44}$/;
const renamed = new Set([
  ...["message", "reasoning", "function_call", "custom_tool_call"],
  ...["web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call"],
]);

/** An item without the members that the gateway changes. */
const bare = ({ id: _id, encrypted_content: _sealed, ...item }: JsonObject): JsonObject => item;

const sealedIn = (envelope: unknown): unknown => {
  const text = Buffer.from(string(envelope).replace(/^tg1\./, ""), "base64url").toString("utf8");
  return fields(fields(JSON.parse(text)).seal);
};

function checkItem(got: JsonObject, recorded: JsonObject): void {
  expect(bare(got)).toEqual(bare(recorded));
  if (renamed.has(string(recorded.type))) {
    expect(got.id).toMatch(OURS);
  } else {
    expect(got.id).toBe(recorded.id);
  }
  if (recorded.encrypted_content) {
    expect(sealedIn(got.encrypted_content)).toEqual({ origin: "openai", data: recorded.encrypted_content });
  }
}

/** Checks all counts of the vendor. */
function checkUsage(got: JsonObject, vendorUsage: JsonObject): void {
  const recorded = fields(unpriced(vendorUsage));
  expect(got).toEqual({
    ...recorded,
    total_tokens: Number(recorded.input_tokens) + Number(recorded.output_tokens),
    input_tokens_details: {
      cached_tokens: 0,
      cache_write_tokens: 0,
      ...fields(recorded.input_tokens_details),
    },
    output_tokens_details: { reasoning_tokens: 0, ...fields(recorded.output_tokens_details) },
  });
}

/** Checks the whole response: the gateway must not change any other member, not even a character. */
export function checkOwnResponse(scene: OwnScene, got: JsonObject, recorded: JsonObject): void {
  const { output, usage, id, ...rest } = got;
  const { output: _output, usage: counts, id: _id, ...expected } = recorded;
  expect(id).toMatch(/^resp_[0-9a-f]{40}$/);
  expect(rest).toMatchObject({
    ...expected,
    model: scene.model,
    store: scene.recording.request.store !== false,
    previous_response_id: null,
    status: recorded.status === "incomplete" ? "incomplete" : "completed",
  });
  const items = list(recorded.output);
  expect(list(output).length).toBe(items.length);
  for (const [index, item] of list(output).entries()) {
    checkItem(item, items[index] ?? {});
  }
  const ids = list(output).map((item) => item.id);
  expect(new Set(ids).size).toBe(ids.length);
  if (fields(counts).input_tokens !== 0) {
    checkUsage(fields(usage), fields(counts));
  }
}

type EventMembers = { sequence_number: unknown; item_id: unknown; item: unknown; response: unknown };

/** An event without the members that the gateway changes. */
function bareEvent(event: JsonObject): JsonObject {
  const {
    sequence_number: _number,
    item_id: _id,
    item,
    response: _response,
    ...rest
  } = event as JsonObject & EventMembers;
  return { ...rest, ...(item !== undefined && { item: bare(fields(item)) }) };
}

const prefaces = new Set(["response.created", "response.in_progress", "response.queued", "keepalive"]);

/** A vendor's keep-alive event becomes one of the gateway's. */
const expectedOf = (event: JsonObject, places: unknown[]): JsonObject =>
  event.type === "keepalive"
    ? { type: "response.in_progress" }
    : bareEvent({
        ...event,
        ...(event.output_index !== undefined && { output_index: places.indexOf(event.output_index) }),
        ...(event.copilot_usage !== undefined && { copilot_usage: unpriced(event.copilot_usage) }),
      });

/** Texts that grow, and the member of their last event that has the whole. */
const wholes: Record<string, string> = {
  ...{ "response.output_text": "text", "response.refusal": "refusal" },
  ...{ "response.reasoning_summary_text": "text", "response.reasoning_text": "text" },
  ...{ "response.function_call_arguments": "arguments", "response.custom_tool_call_input": "input" },
};

/** Checks that the pieces of each text add up to the text: some recorded streams lack pieces. */
function checkPieces(events: JsonObject[]): void {
  const grown = new Map<string, string>();
  for (const event of events) {
    const [, name = "", step] = /^(.*)\.(delta|done)$/.exec(string(event.type)) ?? [];
    const member = wholes[name];
    const place = [name, event.output_index, event.content_index, event.summary_index].join(" ");
    const text = grown.get(place) ?? "";
    if (step === "delta") {
      grown.set(place, text + string(event.delta));
    } else if (step === "done" && member !== undefined) {
      expect(text, place).toBe(event[member]);
    }
  }
}

/** The events without pieces and ends of texts that the recorded stream lacks there. */
function withoutAdded(events: JsonObject[], recorded: JsonObject[]): JsonObject[] {
  const kept: JsonObject[] = [];
  for (const event of events) {
    const name = string(event.type).replace(/\.(?:delta|done)$/, "");
    if (event.type === recorded[kept.length]?.type || wholes[name] === undefined) {
      kept.push(event);
    }
  }
  return kept;
}

/** Checks all events of a stream: in order, numbered without a gap, each item under one identifier. */
export function checkOwnEvents(scene: OwnScene, text: string): void {
  const frames = framesOf(text);
  expect(frames.at(-1)?.data).toBe("[DONE]");
  const events = frames.slice(0, -1).map(({ data }) => fields(JSON.parse(data)));
  expect(frames.slice(0, -1).map(({ name }) => name)).toEqual(events.map(({ type }) => type));
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_event, index) => index));
  const all = eventsIn(scene.recording);
  const first = all.findIndex(({ type }) => !prefaces.has(string(type)));
  // The gateway drops a keep-alive event before the first other event.
  const recorded = all.filter(({ type }, index) => type !== "keepalive" || index > first);
  checkPieces(events);
  const sent = withoutAdded(events, recorded);
  expect(sent.length).toBe(recorded.length);
  // Items are numbered in the order in which they begin.
  const indexes = recorded.map((event) => event.output_index).filter((index) => index !== undefined);
  const places = [...new Set(indexes)];
  const ids = new Map<unknown, unknown>();
  for (const [index, event] of sent.entries()) {
    const before = recorded[index] ?? {};
    const hasPlace = before.output_index !== undefined || before.item === undefined;
    const { output_index: _place, ...unplaced } = bareEvent(event);
    expect(hasPlace ? bareEvent(event) : unplaced).toEqual(expectedOf(before, places));
    const id = event.item_id ?? (event.item === undefined ? undefined : fields(event.item).id);
    if (id !== undefined) {
      expect(ids.get(event.output_index) ?? id, "one identifier for an item").toBe(id);
      ids.set(event.output_index, id);
    }
  }
  const states = events.flatMap(({ response }) => (response === undefined ? [] : [fields(response)]));
  expect(new Set(states.map(({ id }) => id)).size).toBe(1);
  const { reading } = scene;
  checkOwnResponse(scene, states.at(-1) ?? {}, reading.kind === "answer" ? reading.response : {});
}

/** Members of a request that the gateway changes. */
const ours = ["model", "store", "include", "input", "client_metadata", "max_output_tokens"];
const others = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !ours.includes(name)));

/**
 * Checks that the request is sent as recorded, without the gateway's members and thinking that only the vendor stores.
 */
export function checkSent(
  { recording }: OwnScene,
  body: JsonObject,
  call: FakeUpstream["requests"][number] | undefined,
): void {
  expect(call?.path).toBe("/v1/responses");
  const upstreamBody = call?.body ?? {};
  expect(others(upstreamBody)).toEqual(others(body));
  expect(upstreamBody).toMatchObject({ model: recording.request.model, store: false });
  const hasThoughts = (item: JsonObject) =>
    item.type !== "reasoning" || Boolean(item.encrypted_content) || list(item.content).length > 0;
  const input = Array.isArray(body.input) ? list(body.input).filter(hasThoughts) : body.input;
  expect(upstreamBody.input).toEqual(input);
}
