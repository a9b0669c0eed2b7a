import fc from "fast-check";
import { expect, test } from "vitest";
import { GatewayError } from "@/server/base/errors";
import { atOnce } from "@/server/base/turns";
import { type ReadName, readEndpoints } from "@/server/endpoints";
import { sheetOf } from "@/tests/support/price-sheet";
import { terms } from "@/tests/support/terms";
import { usualCapabilities } from "./capabilities";
import { parseCompletion } from "./completions/conversation";
import { isJsonObject } from "./fields";
import { type ForwardedReader, parseForwarded } from "./forwarded/forwarded";
import { parseGeminiConversation } from "./gemini/conversation";
import { parseGeminiEmbeddings } from "./gemini/embeddings";
import { estimateGemini } from "./gemini/estimate";
import { parseGeminiCount } from "./gemini/request";
import type { ConversationRequest } from "./upstream-plan";

/** Values of a wrong type or form. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e300),
  fc.constantFrom<unknown>("", "a", "data:image/png;base64,", "\ud800", [], {}, [null], [[]]),
  fc.constantFrom<unknown>({ __proto__: null, constructor: 1 }, { toString: 1, valueOf: 1 }, { type: {} }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Every place in a value, as the path of names and indexes to it. */
const placesIn = (value: unknown): string[][] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [
        [name],
        ...placesIn(inner).map((rest) => [name, ...rest]),
      ])
    : [];

function replaced(value: unknown, [name, ...rest]: string[], by: unknown): unknown {
  if (name === undefined) {
    return by;
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => (String(index) === name ? replaced(item, rest, by) : item));
  }
  return isJsonObject(value) ? { ...value, [name]: replaced(value[name], rest, by) } : value;
}

/** A body with one or two odd values. */
const spoilt = (body: object) => {
  const places = fc.constantFrom(...placesIn(body));
  return fc
    .array(fc.tuple(places, odd), { minLength: 1, maxLength: 2 })
    .map((changes) =>
      JSON.stringify(changes.reduce<unknown>((changed, [at, by]) => replaced(changed, at, by), body)),
    );
};

/** The body is read, or refused; any other error would be a 500. */
function isReadOrRefused(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof GatewayError)) {
      throw error;
    }
    expect(error.status).toBe(400);
  }
}

const call = { id: "1", name: "f" };
const schema = { type: "OBJECT", properties: { a: { type: "STRING", format: "enum" } } };
const planned = (conversation: ConversationRequest) => {
  for (const [dialect, capabilities] of Object.entries(usualCapabilities)) {
    const upstream = { dialect: dialect as keyof typeof usualCapabilities, name: "m", capabilities };
    isReadOrRefused(() => atOnce(conversation.planFor(upstream, terms(5, { isCapped: true }))).body);
  }
};

const gemini = {
  contents: [
    { role: "user", parts: [{ text: "hi" }, { inlineData: { mimeType: "image/png", data: "AAAA" } }] },
    {
      role: "model",
      parts: [
        { text: "hm", thought: true },
        { text: "so", thoughtSignature: "c2ln" },
        { functionCall: { ...call, args: { a: 1 } }, thought_signature: "c2ln" },
      ],
    },
    { role: "user", parts: [{ functionResponse: { ...call, response: { output: "x" } } }] },
    { role: "user", parts: [{ fileData: { fileUri: "https://a.b/c.pdf", mimeType: "application/pdf" } }] },
  ],
  systemInstruction: { parts: [{ text: "be brief" }] },
  tools: [
    { functionDeclarations: [{ name: "f", description: "d", parameters: schema }] },
    { googleSearch: {} },
  ],
  toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } },
  generationConfig: {
    temperature: 1,
    topP: 1,
    topK: 3,
    maxOutputTokens: 9,
    candidateCount: 1,
    stopSequences: ["x"],
    responseMimeType: "application/json",
    responseSchema: { ...schema, nullable: true },
    responseModalities: ["TEXT"],
    thinkingConfig: { includeThoughts: true, thinkingBudget: -1, thinkingLevel: "LOW" },
  },
};
const embedded = { model: "m", content: { parts: [{ text: "a" }] }, outputDimensionality: 3 };
const several = { sequential_image_generation_options: { max_images: 3 } };
const endpointBodies = {
  images: { prompt: "a", n: 2, size: "1x1", quality: "low", ...several },
  speech: { input: "a", voice: "b" },
  rerank: { query: "q", documents: ["a", { text: "b" }] },
  moderations: { input: ["a", { type: "text", text: "b" }] },
};
const readerOf = (name: ReadName): ForwardedReader =>
  readEndpoints.find((endpoint) => endpoint.name === name) ?? expect.fail(name);
const sold = { prices: sheetOf({ input: 1n, output: 1n }), maxOutputTokens: 9 };

const streaming = { stream: true, stream_options: { include_usage: true }, usage: { include: true } };
const asGemini = { model: "m", delivery: "events" } as const;

test.each<[string, object, (raw: string) => void]>([
  ["generateContent", gemini, (raw) => planned(parseGeminiConversation(raw, asGemini))],
  ["countTokens", { generateContentRequest: gemini }, (raw) => void estimateGemini(parseGeminiCount(raw))],
  ["embedContent", embedded, (raw) => void parseGeminiEmbeddings(raw, "m")],
  ["batchEmbedContents", { requests: [embedded, embedded] }, (raw) => void parseGeminiEmbeddings(raw, "m")],
  [
    "completions",
    { model: "m", prompt: "a", stop: ["b"], ...streaming },
    (raw) => planned(parseCompletion(raw)),
  ],
  ...(Object.keys(endpointBodies) as (keyof typeof endpointBodies)[]).map(
    (name): [string, object, (raw: string) => void] => [
      name,
      { model: "m", ...endpointBodies[name] },
      (raw) => void readerOf(name).ceiling(parseForwarded(raw, readerOf(name).read), sold),
    ],
  ),
])("a body of %s with odd values anywhere is read or refused", (_name, body, read) => {
  expect(() => read(JSON.stringify(body))).not.toThrow();
  fc.assert(
    fc.property(spoilt(body), (raw) => isReadOrRefused(() => read(raw))),
    { numRuns: 300 },
  );
});

const usage = { input_tokens: 5, output_tokens: 3, input_tokens_details: { image_tokens: 2 } };
const answers = {
  images: { data: [{ b64_json: "A" }, { url: "u" }], usage, size: "1x1", quality: "low", model: "x" },
  rerank: {
    results: [{ index: 0, relevance_score: 0.5, document: { text: "a" } }],
    meta: { billed_units: { search_units: 1, input_tokens: 5 } },
    usage: { total_tokens: 5 },
  },
  moderations: { results: [{ flagged: false }], model: "x" },
};

test.each(Object.keys(answers) as (keyof typeof answers)[])(
  "an answer to %s with odd values anywhere is charged whole counts, and no negative ones",
  (name) => {
    const { read, readAnswer } = readerOf(name);
    const request = parseForwarded(JSON.stringify({ model: "m", ...endpointBodies[name] }), read);
    fc.assert(
      fc.property(spoilt(answers[name]), (raw) => {
        const { units = {}, ...tokens } = readAnswer?.(JSON.parse(raw), request, sold)?.usage ?? {};
        for (const count of [...Object.values(tokens), ...Object.values(units)]) {
          expect(Number.isSafeInteger(count) && Number(count) >= 0).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  },
);
