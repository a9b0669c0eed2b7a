/**
 * Candidates of Google's clients, if no channel of the model gives several answers at once: the gateway makes as many
 * calls.
 */
import { expect, test } from "vitest";
import { perFile, served } from "@/tests/support/per-file";
import { answerEvents, answerWith, chatDelta, chatUsage, usage } from "@/tests/support/upstream";

const channel = { capabilities: { severalAnswers: false } } as const;
const { gateway, upstream, model } = served(answerWith("It floats."), { maxOutputTokens: 1_000 }, channel);
const customer = perFile(() => gateway.customer());

type CandidatePart = { text?: string; functionCall?: { name: string; args: object } };
type CandidateChunk = { candidates: { index: number; content: { parts: CandidatePart[] } }[] };

/** The pieces of the answer to a call for two candidates. */
async function candidatesOf(verb: string): Promise<CandidateChunk[]> {
  const response = await fetch(`${gateway.url}/v1beta/models/${model}:${verb}`, {
    method: "POST",
    headers: { "x-goog-api-key": customer.secret, "content-type": "application/json" },
    body: JSON.stringify({
      contents: [{ role: "user", parts: [{ text: "Say." }] }],
      tools: [{ functionDeclarations: [{ name: "write" }] }],
      generationConfig: { candidateCount: 2, maxOutputTokens: 100 },
    }),
  });
  const text = await response.text();
  const isEvents = verb.endsWith("sse");
  const events = text.split("\n\n").flatMap((event) => (event === "" ? [] : event.replace(/^data: /, "")));
  const chunks: CandidateChunk | CandidateChunk[] = JSON.parse(isEvents ? `[${events.join()}]` : text);
  return [chunks].flat();
}

const partsOf = (pieces: CandidateChunk[], place: number): CandidatePart[] =>
  pieces
    .flatMap(({ candidates }) => candidates)
    .filter(({ index }) => index === place)
    .flatMap(({ content }) => content.parts);

test.each(["generateContent", "streamGenerateContent", "streamGenerateContent?alt=sse"])(
  "each of several candidates is a call of its own (%s)",
  async (verb) => {
    let calls = 0;
    upstream.answer((...call) => answerWith(calls++ === 0 ? "one" : "two")(...call));
    const pieces = await candidatesOf(verb);
    const texts = [0, 1].map((place) => partsOf(pieces, place).map(({ text }) => text));
    expect(texts.map((text) => text.join("")).sort()).toEqual(["one", "two"]);
    expect(pieces.at(-1)).toMatchObject({
      usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 10 },
    });
    const [entry] = await gateway.entries(customer.accountId);
    expect(entry).toMatchObject({ kind: "capture", amount: 40_000n });
  },
);

const write = (call: object) => chatDelta({ tool_calls: [{ index: 0, ...call }] });

test.each([
  ["streamGenerateContent", 10],
  ["streamGenerateContent", 400_000],
  ["streamGenerateContent?alt=sse", 400_000],
])("each candidate has function calls of any length (%s, %i characters)", async (verb, length) => {
  const words = "a\n".repeat(length / 2);
  upstream.answer(
    answerEvents(
      write({ id: "c", type: "function", function: { name: "write", arguments: "" } }),
      write({ function: { arguments: JSON.stringify({ text: words }) } }),
      chatDelta({}, "tool_calls"),
      chatUsage(usage(10, 5)),
      "data: [DONE]\n\n",
    ),
  );
  const pieces = await candidatesOf(verb);
  const calls = [0, 1].map((place) =>
    partsOf(pieces, place).flatMap(({ functionCall }) => functionCall ?? []),
  );
  const called = { name: "write", args: { text: words } };
  expect(calls).toEqual([[expect.objectContaining(called)], [expect.objectContaining(called)]]);
});
