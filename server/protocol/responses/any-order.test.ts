import { expect, test } from "vitest";
import { counted } from "@/tests/support/counted";
import { dataOf } from "@/tests/support/ways/said";
import type { JsonObject } from "../fields";
import type { AnswerEvent, BlockHead, Stop } from "../pivot/answer";
import { mintResponseId } from "./ids";
import { ResponsesOut } from "./stream-out";
import { readClientTools } from "./tools-in";

/** The same numbers in [0, 1) for the same seed. */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

const heads: BlockHead[] = [
  { type: "text" },
  { type: "text" },
  { type: "refusal" },
  { type: "thinking" },
  { type: "redacted", data: "x" },
  { type: "call", id: "c", name: "f" },
  { type: "call", id: "", name: "f" },
  { type: "call", id: "d", name: "free" },
];
const reasons: Stop["reason"][] = ["end", "length", "stop_sequence", "refusal"];
const citation = { url: "https://example.com", title: "t", start: 0, end: 1 };

/** An answer as the pivot has it: blocks one after the other, each closed. */
function eventsBy(next: () => number): AnswerEvent[] {
  const pick = <One>(list: readonly One[]): One => list[Math.floor(next() * list.length)] as One;
  const blocks = Array.from({ length: Math.floor(next() * 7) }, (_, index): AnswerEvent[] => {
    const block = pick(heads);
    const grown = Array.from(
      { length: Math.floor(next() * 4) },
      (): AnswerEvent => ({
        ...{ type: "grow", index, text: block.type === "call" ? "" : pick(["a", "🙂", " b"]) },
      }),
    );
    const cites: AnswerEvent[] =
      block.type === "text" && next() < 0.3 ? [{ type: "cite", index, citation }] : [];
    const isSealed = block.type === "thinking" && next() < 0.5;
    const seal: AnswerEvent[] = isSealed
      ? [{ type: "seal", index, seal: { origin: "anthropic", data: "s" } }]
      : [];
    return [{ type: "open", index, block }, ...grown, ...cites, ...seal, { type: "close", index }];
  });
  return [
    { type: "start", id: "up" },
    ...blocks.flat(),
    { type: "stop", reason: pick(reasons), sequence: null },
  ];
}

const context = { model: "m", inputTokens: 9, fallbackId: "chatcmpl_1", now: new Date(5_000) };
const tools = [
  { type: "function", name: "f" },
  { type: "custom", name: "free" },
];

/** What a client is told of it, with signs of life anywhere, to its end or until it breaks off. */
function toldBy(seed: number): JsonObject[] {
  const next = numbersOf(seed);
  const form = { id: mintResponseId(), echo: {}, tools: readClientTools({ tools }, []), context };
  const out = new ResponsesOut(form, () => {});
  const events = eventsBy(next);
  const isBroken = next() < 0.3;
  const heard = isBroken ? events.slice(0, 1 + Math.floor(next() * events.length)) : events;
  const said = heard.map((event) => out.write(event) + (next() < 0.3 ? out.keepAlive() : ""));
  const last = isBroken ? out.fail({ code: 502, message: "broken" }) : out.end(counted);
  return dataOf(said.join("") + last);
}

const itemsOf = ({ response }: JsonObject) => (response as { output: JsonObject[] }).output;

test("whatever comes, and however it ends, each event has the next number and each item one identifier", () => {
  for (let seed = 1; seed <= 500; seed++) {
    const told = toldBy(seed);
    const why = `seed ${seed}`;
    expect(
      told.map((event) => event.sequence_number),
      why,
    ).toEqual(told.map((_event, index) => index));
    expect(
      new Set(told.flatMap(({ response }) => (response ? [(response as JsonObject).id] : []))).size,
      why,
    ).toBe(1);
    const ids = new Map<unknown, unknown>();
    for (const event of told.filter(({ output_index: place }) => place !== undefined)) {
      const id = event.item_id ?? (event.item as JsonObject).id;
      expect(ids.get(event.output_index) ?? id, why).toBe(id);
      ids.set(event.output_index, id);
    }
    const last = itemsOf(told.at(-1) as JsonObject);
    expect(
      last.map(({ id }) => id),
      why,
    ).toEqual([...ids.values()]);
    expect(new Set(ids.values()).size, why).toBe(ids.size);
    const calls = last.flatMap(({ call_id: id }) => (id === undefined ? [] : [id]));
    expect(
      calls.every((id) => id !== ""),
      why,
    ).toBe(true);
  }
});

test("an item that begins is done, but where the stream breaks off, and its last event has it as the response does", () => {
  for (let seed = 1; seed <= 500; seed++) {
    const told = toldBy(seed);
    const of = (type: string) => told.filter((event) => event.type === type);
    const done = of("response.output_item.done");
    const ended = told.at(-1) as JsonObject;
    const isBroken = ended.type === "response.failed";
    const cut = of("response.output_item.added").length - done.length;
    expect(cut, `seed ${seed}`).toBeLessThanOrEqual(isBroken ? 1 : 0);
    expect(itemsOf(ended).slice(0, done.length), `seed ${seed}`).toEqual(done.map(({ item }) => item));
    expect(
      told.filter(({ type }) => /^response\.(?:completed|incomplete|failed)$/.test(String(type))),
    ).toHaveLength(1);
    expect(of("error")).toHaveLength(isBroken ? 1 : 0);
  }
});
