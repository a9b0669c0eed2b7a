/** Streams of very many or very long events: the work is linear in their length, and no text is kept. */
import { expect, test } from "vitest";
import { collectGarbage } from "@/tests/support/collect-garbage";
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

/** All that a client gets, and the milliseconds of work. */
function play(client: "chat" | "responses", events: Iterable<object>): { text: string; work: number } {
  const stream = openStream(client);
  const since = process.cpuUsage();
  const texts: string[] = [];
  for (const event of events) {
    texts.push(push(stream, event));
  }
  const { user } = process.cpuUsage(since);
  return { text: texts.join("") + stream.ending(), work: user / 1_000 };
}

test.each([
  ["chat", "a"],
  ["chat", ""],
  ["responses", "a"],
  ["responses", ""],
] as const)("40,000 last events of a text take linear work for a client of %s (%j)", (client, text) => {
  // A list of all of them that is copied for each takes 20 seconds.
  const { work } = play(client, [added(message("")), ...repeated(40_000, () => [said(text)]), over]);
  expect(work).toBeLessThan(5_000);
});

test("a hundred texts of 5 MB are not kept", () => {
  const heap = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const stream = openStream("chat");
  push(stream, added(message("")));
  const before = heap();
  for (const event of repeated(100, (time) => [said(String(time % 10).repeat(5_000_000))])) {
    push(stream, event);
  }
  expect(heap() - before).toBeLessThan(50_000_000);
  expect(stream.ending()).toContain('"finish_reason":"stop"');
});

test("10,000 items without last events take linear work and come in order", () => {
  const events = repeated(10_000, (time) => [
    added(message("", `msg_${time}`), time),
    say("a", { output_index: time, item_id: `msg_${time}` }),
  ]);
  const { text, work } = play("responses", [...events, over]);
  expect(work).toBeLessThan(5_000);
  expect(text.split("event: response.output_text.delta\n")).toHaveLength(10_001);
});

test("items with huge, negative and broken numbers are numbered from 0", () => {
  const numbers = [1e15, -1, 2 ** 53, 1e300, -1e300, 0.5, "7", null];
  const events = numbers.flatMap((output_index, time) => {
    const id = `msg_${time}`;
    const delta = say(String(time), { output_index, item_id: id });
    return [added(message("", id), output_index), delta, done(message(String(time), id), output_index)];
  });
  const client = dataOf(play("responses", [...events, over]).text);
  const pieces = client.filter(({ type }) => type === "response.output_text.delta");
  const places = numbers.map((_, time) => [time, String(time)]);
  expect(pieces.map(({ output_index: at, delta }) => [at, delta])).toEqual(places);
  const ends = client.filter(({ type }) => type === "response.output_item.done");
  const textIn = (item: unknown) => textOf(JSON.stringify(isJsonObject(item) ? item.content : null));
  expect(ends.map(({ output_index: at }) => at)).toEqual(numbers.map((_, time) => time));
  expect(ends.every(({ item }, time) => textIn(item).includes(`"text":"${time}"`))).toBe(true);
});
