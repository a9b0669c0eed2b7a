/** Upstreams that leave out an item's last event, for clients of other dialects. */
import { expect, test } from "vitest";
import type { JsonObject } from "../fields";
import type { AnswerEvent } from "../pivot/answer";
import { mapToolNames } from "../tools/tool-names";
import { ResponsesEvents } from "./stream-in";

const names = mapToolNames(["f", "g"], 64);
const added = (place: number, item: JsonObject) => ({
  ...{ type: "response.output_item.added", output_index: place, item },
});
const done = (place: number, item: JsonObject) => ({
  ...{ type: "response.output_item.done", output_index: place, item },
});
const grown = (place: number, type: string, delta: string) => ({
  ...{ type: `response.${type}.delta`, output_index: place, content_index: 0, summary_index: 0, delta },
});
const text = (place: number, delta: string) => grown(place, "output_text", delta);
const args = (place: number, delta: string) => grown(place, "function_call_arguments", delta);
const call = (name: string, more: JsonObject = {}) => ({
  ...{ type: "function_call", call_id: `call_${name}`, name, arguments: "", ...more },
});
const completed = (output: JsonObject[] = []) => ({
  ...{ type: "response.completed", response: { id: "r", status: "completed", output } },
});
const message = { type: "message", content: [] };

/** The pivot's events for each event, and whether the answer ended well. */
function readEvents(events: JsonObject[]): { steps: AnswerEvent[][]; isWhole: boolean; texts: string[] } {
  const reader = new ResponsesEvents(names);
  const steps = events.map((event) => reader.read(event));
  const end = reader.end();
  const texts: string[] = [];
  for (const event of [...steps.flat(), ...(end ?? [])]) {
    if (event.type === "open") {
      texts[event.index] = `${event.block.type}${event.block.type === "call" ? ` ${event.block.name}` : ""}:`;
    } else if (event.type === "grow") {
      texts[event.index] += event.text;
    }
  }
  return { steps, isWhole: end !== null, texts };
}

test("no event is held back, because the next item's first event ends the item before it", () => {
  const { steps, isWhole, texts } = readEvents([
    added(0, { type: "reasoning", summary: [] }),
    grown(0, "reasoning_summary_text", "hm"),
    added(1, message),
    text(1, "Hi"),
    added(2, call("f")),
    args(2, '{"a":'),
    args(2, "1}"),
    added(3, call("g")),
    args(3, "{}"),
    completed(),
  ]);
  expect(texts).toEqual(["thinking:hm", "text:Hi", 'call f:{"a":1}', "call g:{}"]);
  expect(isWhole).toBe(true);
  // The words of each delta are there when it comes.
  expect(steps[3]).toContainEqual({ type: "grow", index: 1, text: "Hi" });
  expect(steps[7]).toContainEqual({ type: "close", index: 2 });
  expect(steps[8]).toContainEqual({ type: "grow", index: 3, text: "{}" });
});

test("a stream of more events than may wait is not broken if none has to wait", () => {
  const words = Array.from({ length: 12_000 }, () => text(1, "a"));
  const { isWhole, texts } = readEvents([added(0, { type: "web_search_call" }), added(1, message), ...words]);
  expect(isWhole).toBe(true);
  expect(texts).toEqual([`text:${"a".repeat(12_000)}`]);
});

test("a call without arguments waits, but not for ever", () => {
  const words = Array.from({ length: 12_000 }, () => text(1, "a"));
  const { isWhole, texts } = readEvents([added(0, call("f")), added(1, message), ...words]);
  expect(isWhole).toBe(true);
  expect(texts).toEqual(["call f:", `text:${"a".repeat(12_000)}`]);
  expect(readEvents([added(0, call("f")), args(0, '{"a'), added(1, message), ...words]).isWhole).toBe(false);
});

test("each of two calls that begin together gets its own arguments", () => {
  const { isWhole, texts } = readEvents([
    added(0, call("f")),
    added(1, call("g")),
    args(1, '{"b":2}'),
    args(0, '{"a":1}'),
    done(0, call("f", { arguments: '{"a":1}' })),
    done(1, call("g", { arguments: '{"b":2}' })),
    completed(),
  ]);
  expect(isWhole).toBe(true);
  expect(texts).toEqual(['call f:{"a":1}', 'call g:{"b":2}']);
});

test("a late event of an item that seemed to have ended is not lost, and no text is repeated", () => {
  const first = { type: "message", content: [{ type: "output_text", text: "one more" }] };
  const { isWhole, texts } = readEvents([
    added(0, message),
    text(0, "one"),
    added(1, message),
    text(1, "two"),
    text(0, " more"),
    done(0, first),
    done(1, { type: "message", content: [{ type: "output_text", text: "two" }] }),
    completed(),
  ]);
  expect(isWhole).toBe(true);
  expect(texts).toEqual(["text:one", "text:two", "text: more"]);
});

test("items without events of their own come from the last event, in order", () => {
  const part = (words: string) => ({ type: "message", content: [{ type: "output_text", text: words }] });
  const { texts } = readEvents([added(0, message), added(1, message), completed([part("one"), part("two")])]);
  expect(texts).toEqual(["text:one", "text:two"]);
});
