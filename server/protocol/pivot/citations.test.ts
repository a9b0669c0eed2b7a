import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { dataOf } from "@/tests/support/dialect-pairs/model-answer";
import { sampleUsage } from "@/tests/support/sample-usage";
import { usualCapabilities } from "../capabilities";
import { readAnswer as readChat } from "../chat/answer-in";
import { writeCompletion } from "../chat/answer-out";
import { ChatEvents } from "../chat/stream-in";
import { ChatOut } from "../chat/stream-out";
import type { JsonObject } from "../fields";
import { writeResponse as writeGemini } from "../gemini/answer-out";
import { asEvents, GeminiOut } from "../gemini/stream-out";
import { readAnswer as readMessage } from "../messages/answer-in";
import { MessagesEvents } from "../messages/stream-in";
import { readAnswer as readResponse } from "../responses/answer-in";
import { toResponse } from "../responses/answer-out";
import { mintResponseId } from "../responses/ids";
import { ResponsesEvents } from "../responses/stream-in";
import { ResponsesOut } from "../responses/stream-out";
import { readClientTools } from "../responses/tools-in";
import { mapToolNames } from "../tools/tool-names";
import type { Answer, AnswerEvents } from "./answer";

const context = { model: "public", inputTokens: 9, fallbackId: "chatcmpl_1", now: new Date(5_000) };
const names = mapToolNames([], 128);
const form = { id: mintResponseId(), echo: {}, tools: readClientTools({}, []), context };

const page = (name: string) => ({ url: `https://example.com/${name}`, title: name });
const at = (name: string, start_index: number, end_index: number) => ({
  ...{ start_index, end_index },
  ...page(name),
});
const urlCitation = (place: JsonObject) => ({ type: "url_citation", ...place });
const inChat = (place: JsonObject) => ({ type: "url_citation", url_citation: place });

// The second text follows an emoji, which is one character; both texts are cited, the middle one is not.
const cited = (name: string) => ({ type: "web_search_result_location", cited_text: "…", ...page(name) });
const message = {
  id: "msg_1",
  stop_reason: "end_turn",
  content: [
    { type: "text", text: "😀ab", citations: [cited("a")] },
    { type: "text", text: ", " },
    { type: "text", text: "cd", citations: [cited("b"), { type: "char_location", cited_text: "x" }] },
  ],
};
const messageEvents = [
  { type: "message_start", message: { id: "msg_1" } },
  ...message.content.flatMap(({ text, citations = [] }, index) => [
    { type: "content_block_start", index, content_block: { type: "text", text: "" } },
    ...citations.map((citation) => ({
      ...{ type: "content_block_delta", index, delta: { type: "citations_delta", citation } },
    })),
    { type: "content_block_delta", index, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index },
  ]),
  { type: "message_delta", delta: { stop_reason: "end_turn" } },
];

const part = {
  type: "output_text",
  text: "abcd",
  annotations: [urlCitation(at("a", 1, 3)), { type: "file_citation", file_id: "f" }],
};
const response = { id: "resp_1", status: "completed", output: [{ type: "message", content: [part] }] };
const inMessage = { output_index: 0, content_index: 0 };
const responseEvents = [
  { type: "response.created", response: { id: "resp_1" } },
  { type: "response.output_item.added", output_index: 0, item: { type: "message", content: [] } },
  { type: "response.output_text.delta", ...inMessage, delta: "abcd" },
  ...part.annotations.map((annotation, annotation_index) => ({
    ...{ type: "response.output_text.annotation.added", ...inMessage, annotation_index, annotation },
  })),
  { type: "response.output_item.done", output_index: 0, item: { type: "message", content: [part] } },
  { type: "response.completed", response },
];

const annotations = [inChat(at("a", 1, 3)), inChat({ url: "", title: "none" }), { type: "other" }];
const completion = {
  id: "c",
  choices: [{ index: 0, message: { content: "abcd", annotations }, finish_reason: "stop" }],
};
const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
  id: "c",
  choices: [{ index: 0, delta, finish_reason }],
});
/** Citations before the text, or after it. */
const chunks = (...deltas: JsonObject[]) => [...deltas.map((delta) => chunk(delta)), chunk({}, "stop")];
const early = chunks({ content: "", annotations }, { content: "ab" }, { content: "cd" });
const late = chunks({ content: "ab" }, { content: "cd", annotations }, { content: "" });

type CitationSource = { whole: Answer | null; events: () => AnswerEvents<JsonObject>; stream: JsonObject[] };
const tools = { names, schemaTool: null };
const ofMessages: CitationSource = {
  whole: atOnce(readMessage(message, tools)),
  events: () => new MessagesEvents(tools),
  stream: messageEvents,
};
const ofResponses: CitationSource = {
  whole: atOnce(readResponse(response, names)),
  events: () => new ResponsesEvents(names),
  stream: responseEvents,
};
const ofChat = (stream: JsonObject[]): CitationSource => ({
  whole: atOnce(readChat(completion, names, usualCapabilities.chat)),
  events: () => new ChatEvents(names, usualCapabilities.chat),
  stream,
});

const eventsOf = ({ events, stream }: CitationSource) => {
  const reader = events();
  return [...stream.flatMap((event) => reader.read(event)), ...(reader.end() ?? [])];
};

function chatOf(source: CitationSource) {
  const whole = source.whole as Answer;
  const body = atOnce(writeCompletion(whole, sampleUsage, { context, usesLegacyFunctions: false }));
  const out = new ChatOut({ context, wantsUsage: false, usesLegacyFunctions: false });
  const pieces = eventsOf(source).map((event) => out.write(event));
  const deltas = dataOf(pieces.join("") + out.end(sampleUsage)).map(
    ({ choices }) => (choices as { delta: JsonObject }[])[0]?.delta.annotations,
  );
  return {
    json: JSON.parse(JSON.stringify(body)).choices[0].message.annotations,
    stream: deltas.filter(Boolean),
  };
}

/** The members that a Gemini client gets, and the words at each position. */
function geminiOf(source: CitationSource) {
  const form = { showsThoughts: false, context };
  const whole = atOnce(writeGemini(source.whole as Answer, sampleUsage, form));
  const out = new GeminiOut(form, asEvents);
  const pieces = eventsOf(source).map((event) => out.write(event));
  const groundingOf = ({ candidates }: JsonObject) => (candidates as JsonObject[])[0]?.groundingMetadata;
  const frames = dataOf(pieces.join("") + out.end(sampleUsage));
  return { json: groundingOf(whole), stream: frames.map(groundingOf).filter(Boolean) };
}

function responsesOf(source: CitationSource) {
  const whole = atOnce(toResponse(source.whole as Answer, sampleUsage, form));
  const out = new ResponsesOut(form, () => {});
  const pieces = eventsOf(source).map((event) => out.write(event));
  const events = dataOf(pieces.join("") + out.end(sampleUsage));
  const partsOf = ({ output }: JsonObject) =>
    (output as { content: JsonObject[] }[])[0]?.content.map((each) => each.annotations);
  const added = events.filter(({ type }) => type === "response.output_text.annotation.added");
  return { json: partsOf(whole), stream: partsOf(events.at(-1)?.response as JsonObject), added };
}

test("clients of chat get Claude's citations, with places counted through the whole message", () => {
  const expected = [inChat(at("a", 0, 3)), inChat(at("b", 5, 7))];
  const { json, stream } = chatOf(ofMessages);
  expect(json).toEqual(expected);
  // One chunk, numbered: openai-python cannot assemble a list that comes in two chunks.
  expect(stream).toEqual([expected.map((each, index) => ({ index, ...each }))]);
});

test("clients of the Responses API get Claude's citations, with places counted in each part", () => {
  const { json, stream, added } = responsesOf(ofMessages);
  const expected = [[urlCitation(at("a", 0, 3))], [], [urlCitation(at("b", 0, 2))]];
  expect(json).toEqual(expected);
  expect(stream).toEqual(expected);
  expect(added).toMatchObject([
    { content_index: 0, annotation_index: 0, annotation: expected[0]?.[0] },
    { content_index: 2, annotation_index: 0, annotation: expected[2]?.[0] },
  ]);
});

test.each([
  ["responses", ofResponses],
  ["chat, before the text", ofChat(early)],
  ["chat, after the text", ofChat(late)],
])("citations of an upstream reach clients of chat and of responses: %s", (_name, source) => {
  const chat = chatOf(source);
  expect(chat.json).toEqual([inChat(at("a", 1, 3))]);
  expect(chat.stream).toEqual([[{ index: 0, ...inChat(at("a", 1, 3)) }]]);
  const responses = responsesOf(source);
  expect(responses.json).toEqual([[urlCitation(at("a", 1, 3))]]);
  expect(responses.stream).toEqual(responses.json);
  expect(responses.added).toMatchObject([{ annotation_index: 0 }]);
});

test("places that are no valid numbers become the beginning of the text", () => {
  const odd = chunks({
    content: "ab",
    annotations: [inChat({ ...page("a"), start_index: -4, end_index: "x" })],
  });
  expect(chatOf(ofChat(odd)).stream).toEqual([[{ index: 0, ...inChat(at("a", 0, 0)) }]]);
});

const web = (name: string) => ({ web: { uri: page(name).url, title: name } });
const support = (text: string, startIndex: number, chunk: number) => ({
  segment: { startIndex, endIndex: startIndex + Buffer.byteLength(text), text },
  groundingChunkIndices: [chunk],
});

test("Gemini's clients get Claude's citations, with places counted in bytes through all texts", () => {
  const expected = {
    groundingChunks: [web("a"), web("b")],
    groundingSupports: [support("😀ab", 0, 0), support("cd", 8, 1)],
  };
  const { json, stream } = geminiOf(ofMessages);
  expect(json).toEqual(expected);
  expect(stream).toEqual([expected]);
});

test.each([
  ["responses", ofResponses],
  ["chat", ofChat(early)],
])("citations of an upstream reach Gemini's clients: %s", (_name, source) => {
  const expected = { groundingChunks: [web("a")], groundingSupports: [support("bc", 1, 0)] };
  const { json, stream } = geminiOf(source);
  expect(json).toEqual(expected);
  expect(stream).toEqual([expected]);
});

test("an answer without citations has no grounding members", () => {
  const { json, stream } = geminiOf({
    ...ofChat(chunks({ content: "ab" })),
    whole: { id: "c", blocks: [], stop: { reason: "end", sequence: null } },
  });
  expect([json, stream]).toEqual([undefined, []]);
});
