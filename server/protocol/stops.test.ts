import fc from "fast-check";
import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import type { ModelAnswer } from "@/tests/support/dialect-pairs/model-answer";
import {
  dialectPairs,
  eventsOf,
  hearStream,
  hearWhole,
  planOf,
  relay,
} from "@/tests/support/dialect-pairs/pairs";
import { terms } from "@/tests/support/terms";
import { callOf } from "@/tests/support/upstream-request";
import { usualCapabilities } from "./capabilities";
import type { JsonObject } from "./fields";
import { CutText, shareStops } from "./stops";

const upstream = (dialect: "chat" | "messages" | "responses", maxStops: number | null) => ({
  dialect,
  capabilities: { maxStops },
});

test.each([
  ["chat", null, ["a", "", "b", "a"], ["a", "b"], []],
  ["chat", 1, ["a", "b"], ["a"], ["b"]],
  ["chat", 0, ["a"], [], ["a"]],
  // Only Anthropic refuses a blank one.
  ["messages", null, ["\n", "a"], ["a"], ["\n"]],
  ["responses", null, ["a"], [], ["a"]],
] as const)(
  "with %s and a limit of %s, of the stop sequences %j these go to the upstream: %j",
  (...[dialect, limit, stops, upstreamStops, cut]) => {
    expect(shareStops(stops, upstream(dialect, limit), "stop")).toEqual({ upstreamStops, cut });
  },
);

test.each([
  ["more stop sequences than the gateway searches for", Array.from({ length: 34 }, (_, each) => `s${each}`)],
  ["a stop sequence that is too long", ["a", "x".repeat(257)]],
])("%s are refused if the gateway has to search for them", (_name, stops) => {
  expect(() => shareStops(stops, upstream("chat", 1), "stop")).toThrow(/stop/);
  expect(shareStops(stops, upstream("chat", null), "stop").cut).toEqual([]);
});

/** The text that goes out for each of these pieces, and the stop. */
function cutPieces(pieces: readonly string[], stops: readonly string[]) {
  const cut = new CutText(stops);
  const texts = pieces.map((piece) => cut.read(piece).text);
  return { texts: [...texts, cut.rest().text], found: cut.found };
}

test.each([
  [["one ST", "OP two"], ["STOP"], ["one ", "", ""], "STOP"],
  [["one ST", "ART"], ["STOP"], ["one ", "START", ""], null],
  [["one ST"], ["STOP"], ["one ", "ST"], null],
  [["aaab"], ["aab"], ["a", ""], "aab"],
  // The sequence that is complete first, although another one began before it.
  [["abc", "d"], ["abcd", "bc"], ["a", "", ""], "bc"],
  // Of two that end together, the longer one: no part of it goes out.
  [["xabc"], ["c", "abc"], ["x", ""], "abc"],
  [["END"], ["END"], ["", ""], "END"],
  [["x😀", "\ud83d", "\ude00 y"], ["😀😀"], ["x", "", "", ""], "😀😀"],
] as const)("%j cut at %j becomes %j", (...[pieces, stops, texts, stop]) => {
  expect(cutPieces(pieces, stops)).toEqual({ texts, found: stop });
});

test("a text that begins after the end of another one is searched from its beginning", () => {
  const cut = new CutText(["STOP"]);
  expect([cut.read("ST").text, cut.rest().text, cut.read("OP").text, cut.rest().text]).toEqual([
    "",
    "ST",
    "OP",
    "",
  ]);
});

test("the cut of a text is the same however it is cut into pieces, and has no part of a stop sequence", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 });
  const stops = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 6 }), stops, (pieces, sequences) => {
      const whole = cutPieces([pieces.join("")], sequences);
      const inPieces = cutPieces(pieces, sequences);
      expect({ ...inPieces, texts: inPieces.texts.join("") }).toEqual({
        ...whole,
        texts: whole.texts.join(""),
      });
      expect(sequences.some((stop) => inPieces.texts.join("").includes(stop))).toBe(false);
    }),
  );
});

test("a long text that resembles all stop sequences costs little more than another one", () => {
  const stops = Array.from({ length: 32 }, (_, each) => "a".repeat(220 + each));
  const cut = new CutText(stops);
  const startedAt = cpuTimeMs();
  for (let piece = 0; piece < 5_000; piece++) {
    cut.read("a".repeat(219));
    cut.read("b");
  }
  // Measured: 30 ms. A separate search for each sequence took 190 ms, a search from each position half a minute.
  expect(cpuTimeMs() - startedAt).toBeLessThan(120);
});

const stopping: Record<string, JsonObject> = {
  chat: { stop: ["Observation:", "END"] },
  messages: { stop_sequences: ["Observation:", "END"] },
  gemini: { stopSequences: ["Observation:", "END"] },
};
const answer: ModelAnswer = {
  ...{
    thinking: ["END of it"],
    text: ["It floats. Obs", "ervation: so", " END"],
    isCut: false,
    logprob: -0.5,
  },
  calls: [{ name: "f", pieces: ['{"a":"END"}'] }],
  usage: { input: 9, cached: 0, output: 7, reasoning: 1 },
};
const cutWays = dialectPairs
  .filter(({ client }) => client !== "responses")
  .map((way) => ({ ...way, takes: { maxStops: 0 } }));

test.each(cutWays)(
  "the gateway cuts an answer if its upstream takes no stop sequence: $client to $upstream",
  (way) => {
    const more = stopping[way.client];
    expect(planOf(way, false, more).body).not.toMatch(/Observation|END/);
    for (const reading of [hearWhole(way, answer, more), hearStream(way, answer, more)]) {
      expect(reading).toMatchObject({ text: "It floats. ", calls: [], finish: "end" });
      expect(reading.usage.output).toBe(7);
      expect(reading.logprobs).toEqual([]);
    }
  },
);

test.each(cutWays.filter(({ upstream }) => /chat|responses/.test(upstream)))(
  "a broken call after a stop sequence breaks no stream: $client to $upstream",
  (way) => {
    const broken = { ...answer, calls: [{ name: "f", pieces: ['{"a":'] }] };
    expect(hearStream(way, broken, stopping[way.client])).toMatchObject({ text: "It floats. ", calls: [] });
    expect(relay(way, eventsOf(way, broken), stopping[way.client])).not.toContain('"error"');
  },
);

test.each(cutWays)("thinking and calls are not searched for stop sequences: $client to $upstream", (way) => {
  const plain = { ...answer, text: ["It floats"] };
  for (const readAnswer of [hearWhole, hearStream]) {
    const reading = readAnswer(way, plain, stopping[way.client]);
    expect(reading).toEqual(readAnswer({ ...way, takes: { maxStops: null } }, plain));
    expect(reading).toMatchObject({ text: "It floats", calls: [{ name: "f", input: { a: "END" } }] });
  }
});

test("a client of the messages dialect learns which sequence stopped the answer", () => {
  const way = { client: "messages", upstream: "chat", takes: { maxStops: 1 } } as const;
  const more = { stop_sequences: ["END", "Observation:"] };
  expect(JSON.parse(String(planOf(way, false, more).body))).toMatchObject({ stop: ["END"] });
  expect(relay(way, eventsOf(way, answer), more)).toContain(
    '"stop_reason":"stop_sequence","stop_sequence":"Observation:"',
  );
});

const context = { model: "public", inputTokens: 5, fallbackId: "gen_1", now: new Date(5_000) };
const chunk = (index: number, content: string, finish_reason: string | null = null) =>
  JSON.stringify({ id: "c", choices: [{ index, delta: { content }, finish_reason }] });

test("each choice of a chat stream is cut separately, and the gateway waits for its upstream's counts", () => {
  const call = callOf.chat({ messages: [{ role: "user", content: "hi" }], stream: true, n: 2, stop: "END" });
  const capabilities = { ...usualCapabilities.chat, maxStops: 0 };
  const stream = atOnce(call.planFor({ dialect: "chat", name: "up", capabilities }, terms(100))).openStream(
    context,
  );
  const push = (data: string) => {
    const step = stream.push(data);
    return step.kind === "frames" ? step.text : step.kind;
  };
  expect(push(chunk(0, "a EN"))).toContain('"content":"a "');
  expect(push(chunk(0, "D b"))).toContain('"finish_reason":"stop"');
  expect(stream.isCut).toBe(false);
  expect(push(chunk(0, " more"))).toBe("");
  expect(push(chunk(1, "b END"))).toContain('"content":"b "');
  expect(stream.isCut).toBe(true);
  expect(stream.settled(true).source).toBe("estimated");
  push(chunk(0, "", "stop"));
  push(chunk(1, "", "stop"));
  expect(stream.isCut).toBe(false);
  push(JSON.stringify({ id: "c", choices: [], usage: { prompt_tokens: 3, completion_tokens: 40 } }));
  expect(stream.settled(true)).toMatchObject({ source: "upstream", usage: { outputTokens: 40 } });
});

test("a call in the same chunk as the end of a stop sequence is left out", () => {
  const call = callOf.chat({ messages: [{ role: "user", content: "hi" }], stream: true, stop: "END" });
  const capabilities = { ...usualCapabilities.chat, maxStops: 0 };
  const stream = atOnce(call.planFor({ dialect: "chat", name: "up", capabilities }, terms(100))).openStream(
    context,
  );
  const tool_calls = [{ index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }];
  const delta = { content: "a END", tool_calls };
  const step = stream.push(
    JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason: "tool_calls" }] }),
  );
  expect(step).toMatchObject({ text: expect.stringContaining('"finish_reason":"stop"') });
  expect(step).toMatchObject({ text: expect.not.stringContaining("call_1") });
});

test("logprobs go out with the text in which their token ends, and not for a stop sequence", () => {
  const cut = new CutText<{ token: string }>(["END"]);
  const tokensOf = (text: string) => text.match(/.{1,2}/g)?.map((token) => ({ token })) ?? [];
  const texts = ["one E", "x two", " EN", "D"].map((text) =>
    cut
      .read(text, tokensOf(text))
      .tokens.map(({ token }) => token)
      .join("|"),
  );
  expect(texts).toEqual(["on|e ", "E|x |tw|o", "", ""]);
  expect(cut.rest()).toEqual({ text: "", tokens: [] });
});
