/** Streams of very many or very long events: the work is linear in their length, and no text is kept. */
import { expect, test } from "vitest";
import { collectGarbage } from "@/tests/support/collect-garbage";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import { dataOf } from "@/tests/support/dialect-pairs/model-answer";
import { planOf } from "@/tests/support/dialect-pairs/pairs";
import { isJsonObject, textOf } from "../fields";

const context = { model: "public", inputTokens: 5, fallbackId: "gen_1", now: new Date(0) };
const message = (text: string, id = "msg_0") => ({
  ...{ id, type: "message", role: "assistant" },
  content: text === "" ? [] : [{ type: "output_text", text }],
});
const added = (item: object, output_index: unknown = 0) => ({
  ...{ type: "response.output_item.added", output_index, item },
});
const done = (item: object, output_index: unknown = 0) => ({
  ...{ type: "response.output_item.done", output_index, item },
});
const place = { output_index: 0, content_index: 0, item_id: "msg_0" };
const said = (text: string) => ({ type: "response.output_text.done", ...place, text });
const say = (delta: string, more: object = {}) => ({
  ...{ type: "response.output_text.delta", ...place, delta, ...more },
});
const over = { type: "response.completed", response: { id: "r", status: "completed", output: [] } };

function* repeated(times: number, of: (time: number) => object[]): Generator<object> {
  for (let time = 0; time < times; time++) {
    yield* of(time);
  }
}

const openStream = (client: "chat" | "responses") =>
  planOf({ client, upstream: "responses" }, true).openStream(context);

/** The text that the client gets so far. */
function push(stream: ReturnType<typeof openStream>, event: object): string {
  const step = stream.push(JSON.stringify(event));
  expect(["frames", "ping"]).toContain(step.kind);
  return step.kind === "frames" ? step.text + [...(stream.rest?.() ?? [])].join("") : "";
}

/** All that a client gets. */
function play(client: "chat" | "responses", events: Iterable<object>): string {
  const stream = openStream(client);
  const texts: string[] = [];
  for (const event of events) {
    texts.push(push(stream, event));
  }
  return texts.join("") + stream.ending() + [...(stream.rest?.() ?? [])].join("");
}

const part = (content_index: number) => ({
  ...{ type: "response.content_part.added", ...place, content_index },
  part: { type: "output_text", text: "" },
});
const call = (time: number) => ({
  ...{ id: `fc_${time}`, type: "function_call", call_id: `call_${time}`, name: "f", arguments: "" },
});
const give = (time: number, delta: string) => ({
  ...{ type: "response.function_call_arguments.delta", output_index: time, item_id: `fc_${time}`, delta },
});

/** Streams with this many events or a small multiple of it. */
const streams = {
  "last events of a text": (times: number): Iterable<object> => [
    added(message("")),
    ...repeated(times, () => [said("a")]),
    over,
  ],
  "items without last events": (times: number): Iterable<object> => [
    ...repeated(times, (time) => [
      added(message("", `msg_${time}`), time),
      say("a", { output_index: time, item_id: `msg_${time}` }),
    ]),
    over,
  ],
  "empty parts and last events of their item": (times: number): Iterable<object> => [
    ...[added(message("")), ...repeated(times, (time) => [part(time)])],
    ...[...repeated(times, () => [done(message(""))]), over],
  ],
  "calls at a time": (times: number): Iterable<object> => [
    ...repeated(times, (time) => [added(call(time), time)]),
    ...repeated(times, (time) => [give(time, "{")]),
    ...[...repeated(times, (time) => [give(time, "}")]), over],
  ],
};

const EVENTS = 500;
/** As in `pivot/linear.test.ts`. */
const MEASURABLE_MS = 60;

test.each([
  ["last events of a text", "chat"],
  ["items without last events", "responses"],
  ["empty parts and last events of their item", "responses"],
  ["calls at a time", "chat"],
] as const)("eight times the %s take about eight times the work for a client of %s", (what, client) => {
  const workOf = (times: number): number => {
    const events = [...streams[what](times)];
    const began = cpuTimeMs();
    for (let runs = 1; ; runs++) {
      expect(play(client, events)).not.toBe("");
      const work = cpuTimeMs() - began;
      if (work >= MEASURABLE_MS) {
        return work / runs;
      }
    }
  };
  // The first run also compiles the code.
  workOf(EVENTS);
  // Quadratic work would take 64 times as long.
  expect(workOf(8 * EVENTS)).toBeLessThan(16 * workOf(EVENTS) + 20);
});

test("long texts are not kept", () => {
  const heap = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const stream = openStream("chat");
  push(stream, added(message("")));
  const before = heap();
  for (const event of repeated(8, (time) => [said(String(time).repeat(2_000_000))])) {
    push(stream, event);
  }
  expect(heap() - before).toBeLessThan(10_000_000);
  expect(stream.ending()).toContain('"finish_reason":"stop"');
});

test("items without last events come in order", () => {
  const events = repeated(200, (time) => [
    added(message("", `msg_${time}`), time),
    say(`${time};`, { output_index: time, item_id: `msg_${time}` }),
  ]);
  const pieces = dataOf(play("responses", [...events, over])).map(({ delta }) => textOf(delta));
  expect(pieces.join("")).toBe(Array.from({ length: 200 }, (_, time) => `${time};`).join(""));
});

test("items with huge, negative and broken numbers are numbered from 0", () => {
  const numbers = [1e15, -1, 2 ** 53, 1e300, -1e300, 0.5, "7", null];
  const events = numbers.flatMap((output_index, time) => {
    const id = `msg_${time}`;
    const delta = say(String(time), { output_index, item_id: id });
    return [added(message("", id), output_index), delta, done(message(String(time), id), output_index)];
  });
  const client = dataOf(play("responses", [...events, over]));
  const pieces = client.filter(({ type }) => type === "response.output_text.delta");
  const places = numbers.map((_, time) => [time, String(time)]);
  expect(pieces.map(({ output_index: at, delta }) => [at, delta])).toEqual(places);
  const ends = client.filter(({ type }) => type === "response.output_item.done");
  const textIn = (item: unknown) => textOf(JSON.stringify(isJsonObject(item) ? item.content : null));
  expect(ends.map(({ output_index: at }) => at)).toEqual(numbers.map((_, time) => time));
  expect(ends.every(({ item }, time) => textIn(item).includes(`"text":"${time}"`))).toBe(true);
});
