import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { parseChatRequest } from "@/server/protocol/chat/request";
import { parseCompletionRequest } from "@/server/protocol/completions/request";
import { parseEmbeddingsRequest } from "@/server/protocol/embeddings/request";
import { forwardedEndpoints } from "@/server/protocol/forwarded/endpoints";
import { parseForwarded } from "@/server/protocol/forwarded/forwarded";
import { parseGeminiEmbeddings } from "@/server/protocol/gemini/embeddings";
import { parseGeminiCount, parseGeminiRequest } from "@/server/protocol/gemini/request";
import { parseMessagesRequest } from "@/server/protocol/messages/request";
import { parseResponsesRequest } from "@/server/protocol/responses/request";
import { parseOpenaiVideo } from "@/server/protocol/videos/openai-request";
import { parseVideoRequest } from "@/server/protocol/videos/request";
import { type BodyName, bodies } from "./bodies";
import { membersOf } from "./schema";

const forwarded = (name: keyof typeof forwardedEndpoints) => (raw: string) =>
  parseForwarded(raw, forwardedEndpoints[name].read);

/** Each body, what reads it, and one that it takes. */
const read: Record<string, { parse: (raw: string) => unknown; good: object }> = {
  ChatRequest: { parse: parseChatRequest, good: { model: "m", messages: [{ role: "user", content: "hi" }] } },
  CompletionRequest: { parse: parseCompletionRequest, good: { model: "m", prompt: "hi" } },
  MessagesRequest: {
    parse: parseMessagesRequest,
    good: { model: "m", messages: [{ role: "user", content: "hi" }] },
  },
  ResponsesRequest: { parse: parseResponsesRequest, good: { model: "m", input: "hi" } },
  EmbeddingsRequest: { parse: parseEmbeddingsRequest, good: { model: "m", input: "hi" } },
  ImageRequest: { parse: forwarded("images"), good: { model: "m", prompt: "a boat" } },
  ImageEditRequest: {
    parse: forwarded("imageEdits"),
    good: { model: "m", prompt: "a boat", image: "data:image/png;base64,AA==" },
  },
  SpeechRequest: { parse: forwarded("speech"), good: { model: "m", input: "hi" } },
  RerankRequest: { parse: forwarded("rerank"), good: { model: "m", query: "q", documents: ["a"] } },
  ModerationRequest: { parse: forwarded("moderations"), good: { model: "m", input: "hi" } },
  VideoTaskRequest: { parse: parseVideoRequest, good: { model: "m", prompt: "a boat" } },
  VideoRequest: { parse: parseOpenaiVideo, good: { model: "m", prompt: "a boat" } },
  GeminiRequest: { parse: parseGeminiRequest, good: { contents: [{ parts: [{ text: "hi" }] }] } },
  GeminiCountRequest: { parse: parseGeminiCount, good: { contents: [{ parts: [{ text: "hi" }] }] } },
  GeminiEmbedRequest: {
    parse: (raw) => parseGeminiEmbeddings(raw, "m"),
    good: { content: { parts: [{ text: "hi" }] } },
  },
  GeminiBatchRequest: {
    parse: (raw) => parseGeminiEmbeddings(raw, "m"),
    good: { requests: [{ content: { parts: [{ text: "hi" }] } }] },
  },
};

/** What a member is tried with: of every type, at every edge. */
const tried: unknown[] = [
  null,
  true,
  false,
  ...[-1, 0, 0.5, 1, 2, 2.5, 5, 7, 10, 11, 16, 128, 129, 9_999, 10_000, 100_000_000, 100_000_001],
  ...[
    "",
    " ",
    "a",
    "5",
    "720p",
    "16:9",
    "1280x720",
    "float",
    "a".repeat(257),
    "a".repeat(513),
    "a".repeat(2_001),
  ],
  ...[[], [""], ["a"], ["a", "b"], [1], [1, 2], [[1]], [[]], [{}], [{ role: "user" }], ["a", 1]],
  ...[[{ role: "user", content: "a" }], [{ role: "tool", content: "a" }], [{ type: "text" }], [{ type: 1 }]],
  ...[{}, { a: "b" }, { a: 1 }, { include_usage: true }, { include_usage: "yes" }],
  ...[
    { temperature: 3 },
    { maxOutputTokens: 5, topP: 0.5 },
    { stopSequences: ["a"] },
    { parts: { text: "a" } },
  ],
  Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, "v"])),
];

const accepts = (parse: (raw: string) => unknown, body: object): boolean => {
  try {
    parse(JSON.stringify(body));
    return true;
  } catch {
    return false;
  }
};

/** Where the schema says less than the reader, on purpose: what only several members together are wrong for. */
const isTold = (name: string, member: string, value: unknown): boolean =>
  // A text of spaces alone is no prompt of a video.
  ((name === "VideoTaskRequest" || name === "VideoRequest") && member === "prompt" && value === " ") ||
  // Without an input there has to be a response to go on from.
  (name === "ResponsesRequest" && member === "input") ||
  // Two of a form that a vector is made from.
  name.startsWith("Gemini");

const ajv = new Ajv2020({ strict: false, validateFormats: false });

describe.each(Object.entries(read))("the schema of %s", (name, { parse, good }) => {
  const schema = bodies[name as BodyName];
  const validate = ajv.compile(schema);
  const variants = membersOf(schema).flatMap(([member]) => [
    { member, value: undefined, body: { ...good, [member]: undefined } },
    ...tried.map((value) => ({ member, value, body: { ...good, [member]: value } })),
  ]);
  const compared = [{ member: "", value: undefined, body: good }, ...variants].map((one) => {
    const body = JSON.parse(JSON.stringify(one.body)) as object;
    return { ...one, body, isRead: accepts(parse, body), isValid: validate(body) };
  });
  const shown = (wrong: typeof compared) =>
    wrong.map(({ member, value }) => `${member}: ${JSON.stringify(value)?.slice(0, 60)}`);

  test("refuses nothing that is taken", () => {
    expect(compared[0]).toMatchObject({ isRead: true, isValid: true });
    expect(shown(compared.filter(({ isRead, isValid }) => isRead && !isValid))).toEqual([]);
  });

  test("takes nothing that is refused for a member alone", () => {
    const wrong = compared.filter(({ isRead, isValid }) => !isRead && isValid);
    expect(shown(wrong.filter(({ member, value }) => !isTold(name, member, value)))).toEqual([]);
  });
});

test("every JSON body is held to its reader", () => {
  const forms = Object.keys(bodies).filter((name) => name.endsWith("Form"));
  expect([...Object.keys(read), ...forms].sort()).toEqual(Object.keys(bodies).sort());
});
