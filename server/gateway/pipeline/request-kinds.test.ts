import { expect, test } from "vitest";
import { type KindName, knownOf } from "./request-kinds";

const messages = [{ role: "user", content: "hi" }];
const contents = [{ role: "user", parts: [{ text: "hi" }] }];
const input = "hi";
const five = { maxOutputTokens: 5, choices: 1 };

/** A body of each kind, and the facts that are needed before it is paid for. */
const bodies: Partial<Record<KindName, [body: object, known: object]>> = {
  chat: [{ messages, max_tokens: 5 }, five],
  completions: [{ prompt: "hi", max_tokens: 5 }, five],
  messages: [{ messages, max_tokens: 5 }, five],
  responses: [
    { input, max_output_tokens: 5 },
    { maxOutputTokens: 5, isStored: true },
  ],
  gemini: [
    { contents, generationConfig: { maxOutputTokens: 5, candidateCount: 2 } },
    { maxOutputTokens: 5, choices: 2 },
  ],
  geminiCount: [{ contents }, { inputTokens: expect.any(Number) }],
  geminiEmbeddings: [{ content: { parts: [{ text: "hi" }] } }, { items: 1 }],
  countTokens: [{ messages }, { inputTokens: expect.any(Number) }],
  embeddings: [{ input }, { items: 1 }],
  images: [
    { prompt: "hi", n: 2, size: "1x1" },
    { billableParts: { pictures: { count: 2, size: "1x1", quality: "auto" } } },
  ],
  speech: [{ input: "hi 👋" }, { billableParts: { units: { character: 4 } } }],
  rerank: [{ query: "q", documents: ["d"] }, { billableParts: { units: { rerank: 1 } } }],
  moderations: [{ input }, { billableParts: { units: {} } }],
};

test.each(Object.entries(bodies))(
  "a thread's facts about %s are plain data, without the body",
  (name, [body, expected]) => {
    const text = "x".repeat(10_000);
    const raw = JSON.stringify({ model: "m", other: { text }, ...body });
    const facts = knownOf(name as KindName, raw);
    expect(structuredClone(facts)).toEqual(facts);
    expect(facts).toMatchObject(expected);
    // The facts of embeddings include all other members of the body, which are not its long part.
    expect(JSON.stringify(facts).includes(text)).toBe(name === "embeddings");
  },
);
