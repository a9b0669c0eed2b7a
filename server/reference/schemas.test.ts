import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { type ReadName, readEndpoints } from "@/server/endpoints";
import { membersOf } from "@/server/endpoints/schema";
import { parseChatRequest } from "@/server/protocol/chat/request";
import { parseCompletionRequest } from "@/server/protocol/completions/request";
import { parseEmbeddingsRequest } from "@/server/protocol/embeddings/request";
import { parseForwarded } from "@/server/protocol/forwarded/forwarded";
import { parseEdit } from "@/server/protocol/forwarded/images";
import { parseTranscription } from "@/server/protocol/forwarded/transcriptions";
import { parseGeminiEmbeddings } from "@/server/protocol/gemini/embeddings";
import { parsePrediction } from "@/server/protocol/gemini/predict";
import { parseGeminiCount, parseGeminiRequest } from "@/server/protocol/gemini/request";
import { parseMessagesRequest } from "@/server/protocol/messages/request";
import { type Form, parseForm } from "@/server/protocol/multipart/form";
import { conversationBodies } from "@/server/protocol/responses/conversation-request";
import { parseResponsesRequest } from "@/server/protocol/responses/request";
import { parseOpenaiVideo, parseOpenaiVideoForm } from "@/server/protocol/videos/openai-request";
import { parseVideoRequest } from "@/server/protocol/videos/request";
import { bodies } from "./components";

/** A changed body: the change, whether the reader accepts it, and whether the schema does. */
type BodyComparison = { shown: string; isRead: boolean; isValid: boolean };

const ajv = new Ajv2020({ strict: false, validateFormats: false });

const accepts = (read: () => unknown): boolean => {
  try {
    read();
    return true;
  } catch {
    return false;
  }
};

const shownOf = (member: string, value: unknown) => `${member}: ${JSON.stringify(value)?.slice(0, 60)}`;

const forwarded = (name: ReadName) => (raw: string) =>
  parseForwarded(raw, (readEndpoints.find((each) => each.name === name) ?? expect.fail(name)).read);

/** Each body's reader, with a body that it accepts. */
const readers: Record<string, { parse: (raw: string) => unknown; good: object }> = {
  ChatRequest: { parse: parseChatRequest, good: { model: "m", messages: [{ role: "user", content: "hi" }] } },
  CompletionRequest: { parse: parseCompletionRequest, good: { model: "m", prompt: "hi" } },
  MessagesRequest: {
    parse: parseMessagesRequest,
    good: { model: "m", messages: [{ role: "user", content: "hi" }] },
  },
  ResponsesRequest: { parse: parseResponsesRequest, good: { model: "m", input: "hi" } },
  ConversationRequest: { parse: conversationBodies.conversation, good: {} },
  ConversationUpdate: { parse: conversationBodies.conversationUpdate, good: { metadata: {} } },
  ConversationItemsRequest: { parse: conversationBodies.conversationItems, good: { items: [] } },
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
  GeminiPredictRequest: {
    parse: (raw) => parsePrediction(raw, "m"),
    good: { instances: [{ prompt: "a boat" }] },
  },
};

/** The values that each member is tested with: of every type, and at every limit. */
const values: unknown[] = [
  null,
  true,
  false,
  ...[-1, 0, 0.5, 1, 2, 2.5, 5, 7, 10, 11, 16, 128, 129, 9_999, 10_000, 100_000_000, 100_000_001],
  ...["", " ", "a", "5", "720p", "16:9"],
  ...["1280x720", "float", "a".repeat(257), "a".repeat(513), "a".repeat(2_001)],
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

/**
 * Bodies for which the schema deliberately says less than the reader: they are wrong only by several members together.
 */
const isTold = (name: string, member: string, value: unknown): boolean =>
  // The prompt of a video may not consist of spaces.
  ((name === "VideoTaskRequest" || name === "VideoRequest") && member === "prompt" && value === " ") ||
  // Without an input there must be a response to continue.
  (name === "ResponsesRequest" && member === "input") ||
  // Gemini's readers also compare members, such as the lengths of a batch's vectors.
  name.startsWith("Gemini");

function compareJson(name: string): BodyComparison[] {
  const { parse, good } = readers[name] ?? expect.fail(name);
  const schema = bodies[name] ?? expect.fail(name);
  const validate = ajv.compile(schema);
  const variants = membersOf(schema).flatMap(([member]) =>
    [undefined, ...values].map((value) => ({ member, value, body: { ...good, [member]: value } })),
  );
  return [{ member: "", value: undefined, body: good }, ...variants].flatMap(({ member, value, body }) => {
    const raw = JSON.stringify(body);
    const isRead = accepts(() => parse(raw));
    const isValid = validate(JSON.parse(raw));
    const isMeant = !isRead && isValid && isTold(name, member, value);
    return isMeant ? [] : [{ shown: shownOf(member, value), isRead, isValid }];
  });
}

type FormField = string | { files: number };

const BOUNDARY = "seam";

function formOf(fields: Record<string, FormField>): Form {
  const parts = Object.entries(fields).flatMap(([name, field]) =>
    typeof field === "string"
      ? [`Content-Disposition: form-data; name="${name}"\r\n\r\n${field}`]
      : Array.from(
          { length: field.files },
          (_, index) =>
            `Content-Disposition: form-data; name="${name}"; filename="${index}.bin"\r\n\r\nbytes`,
        ),
  );
  const text = [...parts.map((part) => `--${BOUNDARY}\r\n${part}\r\n`), `--${BOUNDARY}--\r\n`].join("");
  return parseForm(Buffer.from(text), BOUNDARY);
}

type FieldSchema = { type?: string };

/** A field as a program built from the schema sends it: numbers are text in a form, one file may be a list. */
function asMember(field: FormField, { type }: FieldSchema): unknown {
  if (typeof field !== "string") {
    return type === "array" ? Array(field.files).fill("bytes") : "bytes";
  }
  return type === "integer" && /^\d{1,9}$/.test(field) ? Number(field) : field;
}

const file = { files: 1 };
const formReaders: Record<string, { parse: (form: Form) => unknown; good: Record<string, FormField> }> = {
  TranscriptionForm: {
    parse: (form) => parseTranscription(form, { pathModel: null, mayStream: true }),
    good: { model: "m", file },
  },
  TranslationForm: {
    parse: (form) => parseTranscription(form, { pathModel: null, mayStream: false }),
    good: { model: "m", file },
  },
  ImageEditForm: {
    parse: (form) => parseEdit(form, null),
    good: { model: "m", prompt: "a boat", image: file },
  },
  VideoRequest: { parse: parseOpenaiVideoForm, good: { model: "m", prompt: "a boat" } },
};

const texts = [
  ...["", "a", "5", "0", "1", "10", "11", "129"],
  ...["9999", "-1", "2.5", "true", "false", "yes", "1280x720", "auto"],
  ...["json", "srt", "verbose_json", "JSON!", "a".repeat(41), "a".repeat(257), "a".repeat(2_001)],
  "a".repeat(32_001),
];

function compareForm(name: string): BodyComparison[] {
  const { parse, good } = formReaders[name] ?? expect.fail(name);
  const schema = bodies[name] ?? expect.fail(name);
  const validate = ajv.compile(schema);
  const members = membersOf(schema);
  const types = new Map(members.map(([member, type]) => [member, type as FieldSchema]));
  const tried = members.flatMap(([member]) => {
    const isFile = typeof good[member] === "object" || member === "mask";
    // An empty switch counts as absent, which an enumeration need not list.
    const values = texts.filter((text) => text !== "" || member !== "stream");
    const fields: (FormField | null)[] = isFile ? [null, file] : [null, ...values];
    return fields.map((field) => ({ member, field }));
  });
  return [{ member: "model", field: "m" }, ...tried].map(({ member, field }) => {
    const { [member]: _, ...others } = good;
    const fields = field === null ? others : { ...others, [member]: field };
    const body = Object.fromEntries(
      Object.entries(fields).map(([each, value]) => [each, asMember(value, types.get(each) ?? {})]),
    );
    const isRead = accepts(() => parse(formOf(fields)));
    return { shown: shownOf(member, field), isRead, isValid: validate(body) };
  });
}

const all = [
  ...Object.keys(readers).map((name) => [name, () => compareJson(name)] as const),
  ...Object.keys(formReaders).map((name) => [`${name}, sent as a form`, () => compareForm(name)] as const),
];

describe.each(all)("the schema of %s", (_name, compare) => {
  const compared = compare();

  test("refuses no body that its reader accepts", () => {
    expect(compared[0]).toMatchObject({ isRead: true, isValid: true });
    expect(compared.filter(({ isRead, isValid }) => isRead && !isValid)).toEqual([]);
  });

  test("accepts no body that its reader refuses because of a single member", () => {
    expect(compared.filter(({ isRead, isValid }) => !isRead && isValid)).toEqual([]);
  });
});

test("every body and every form is compared with its reader", () => {
  const forms = Object.keys(bodies).filter((name) => name.endsWith("Form"));
  expect([...Object.keys(readers), ...forms].sort()).toEqual(Object.keys(bodies).sort());
  expect(Object.keys(formReaders)).toEqual(expect.arrayContaining(forms));
});
