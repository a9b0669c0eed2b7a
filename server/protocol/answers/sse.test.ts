import { expect, test } from "vitest";
import { collectItems } from "@/tests/support/collect-items";
import { eventsIn, isEventStream, readEventData } from "./sse";

const fill = (characters: number) => "w".repeat(characters);

/** The parsed data of a stream's events. */
async function eventsOf(...pieces: string[]): Promise<unknown[]> {
  const delivered = async function* () {
    yield* pieces.map((piece) => Buffer.from(piece));
  };
  const groups = await collectItems(readEventData(delivered()));
  return groups.flatMap(({ events }) => events.map((data) => JSON.parse(data)));
}

test.each([
  ["has no type", `{"index":0}`, { type: "content_block_stop", index: 0 }],
  ["has a type after other members", `{"index":0,"type":"ping"}`, { type: "ping", index: 0 }],
  ["begins with another type", `{"type":"ping"}`, { type: "ping" }],
  ["is empty", " { } ", { type: "content_block_stop" }],
  ["is a list", "[1]", [1]],
])("an event's name becomes its type if its data %s", async (_where, data, expected) => {
  expect(await eventsOf(`event: content_block_stop\ndata: ${data}\n\n`)).toEqual([expected]);
});

test.each(["heartbeat", "keep-alive", "KEEPALIVE"])("an event named %s has no content", (name) => {
  const stream = `event: ${name}\ndata: {"choices":[]}\n\ndata: 1\n\ndata: ""\n\n`;
  expect([...eventsIn(stream)].filter((data) => data !== null)).toEqual(["1"]);
});

test("an event of 15 MB gets its name as its type without being parsed", async () => {
  // The engine's parser takes seconds for so many names in one object.
  const names = Array.from({ length: 1_000_000 }, (_, each) => `"n${each}":0`).join();
  const stream = `event: response.created\ndata: {${names}}\n\n`;
  const since = process.cpuUsage();
  const events = [...eventsIn(stream)].filter((data) => data !== null);
  const { user } = process.cpuUsage(since);
  expect(events).toEqual([`{"type":"response.created",${names}}`]);
  expect(user / 1_000).toBeLessThan(400);
});

test("a long event is read whole", async () => {
  const [event] = await eventsOf(`event: message_start\r\ndata: {"text":"${fill(2 ** 20)}"}\r\n\r\n`);
  expect(event).toEqual({ type: "message_start", text: fill(2 ** 20) });
});

test.each([
  ["lines of JSON", '{"a":1}\n{"a":2}\n'],
  ["events without a blank line between them", 'data: {"a":1}\ndata: {"a":2}\n\n'],
  [
    "empty events as signs of life",
    'data: null\n\ndata: {"a":1}\n\nevent: heartbeat\ndata: x\n\ndata: {"a":2}\n\n',
  ],
  ["events beside some without content", 'data: {}\n\ndata: {"a":1}\n\ndata: [ ]\n\ndata: {"a":2}\n\n'],
  ["events whose field is named twice", 'data: data: {"a":1}\n\ndata:data:{"a":2}\n\n'],
])("%s are read as events", async (_name, stream) => {
  expect(await eventsOf(stream)).toEqual([{ a: 1 }, { a: 2 }]);
});

test.each(["[DONE]", "[done]", '"[DONE]"', " [Done] "])("the end %s of a stream is [DONE]", (end) => {
  for (const stream of [`data: {"a":1}\n\ndata: ${end}\n\n`, `{"a":1}\n${end}\n`]) {
    expect([...eventsIn(stream)].filter((data) => data !== null)).toEqual(['{"a":1}', "[DONE]"]);
  }
});

test.each([
  ["without a last line break", '{"a":1}\n{"a":2}'],
  ["with blanks in front", '{"a":1}\r\n \t{"a":2}\r\n'],
  ["among events", 'data: {"a":1}\n\n{"a":2}\n'],
  ["before events", '{"a":1}\ndata: {"a":2}\n\n'],
])("lines of JSON %s are read whole, wherever the network cuts them", async (_name, stream) => {
  expect(await eventsOf(...stream)).toEqual([{ a: 1 }, { a: 2 }]);
  for (let cut = 0; cut <= stream.length; cut++) {
    expect(await eventsOf(stream.slice(0, cut), stream.slice(cut)), `cut at ${cut}`).toEqual([
      { a: 1 },
      { a: 2 },
    ]);
  }
});

test("lines of JSON lose nothing at the slices of a long answer", () => {
  const lines = Array.from({ length: 3_000 }, (_, a) => JSON.stringify({ a, text: `${fill(300)}\u2028` }));
  expect([...eventsIn(lines.join("\n"))].filter((data) => data !== null)).toEqual(lines);
  expect(isEventStream(lines.join("\n"))).toBe(true);
});

test("a line of JSON that does not end is refused", async () => {
  const pieces = Array.from({ length: 17 }, () => fill(2 ** 20));
  await expect(eventsOf('{"a":"', ...pieces)).rejects.toThrow("more than 16777216 characters");
});

test("lines of JSON are a stream, and JSON of several lines is not", () => {
  const lines = ['{"a":1}\n{"a":2}', '{"a":1}\n\n[DONE]', '{"a":1}\r\ndata: [DONE]\n\n'];
  expect(lines.map(isEventStream)).toEqual([true, true, true]);
  expect(['{\n"a":1\n}', '{"a":1}\n', '{"a":{}\n,"b":1}'].map(isEventStream)).toEqual([false, false, false]);
});
