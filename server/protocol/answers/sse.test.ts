import { expect, test } from "vitest";
import { collectItems } from "@/tests/support/collect-items";
import { eventsIn, isEventStream, readEventData } from "./sse";

const fill = (characters: number) => "w".repeat(characters);

/** The parsed data of a stream's events. */
async function eventsOf(stream: string): Promise<unknown[]> {
  const delivered = async function* () {
    yield Buffer.from(stream);
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
])("%s are read as events", async (_name, stream) => {
  expect(await eventsOf(stream)).toEqual([{ a: 1 }, { a: 2 }]);
});

test("lines of JSON are a stream, and JSON of several lines is not", () => {
  expect(['{"a":1}\n{"a":2}', '{\n"a":1\n}', '{"a":1}\n'].map(isEventStream)).toEqual([true, false, false]);
});
