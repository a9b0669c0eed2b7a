/** Responses of any items, each whole and as a stream. */

import fc from "fast-check";
import { type JsonObject, objects } from "@/server/protocol/fields";

const words = fc.array(fc.stringMatching(/^[a-z "\\é]{1,8}$/), { minLength: 1, maxLength: 5 });
const message = fc.tuple(words, fc.constantFrom("output_text", "refusal")).map(([pieces, type]) => {
  const member = type === "refusal" ? "refusal" : "text";
  const deltas = pieces.map((delta) => ({ type: `response.${type}.delta`, content_index: 0, delta }));
  return { item: { type: "message", content: [{ type, [member]: pieces.join("") }] }, deltas };
});
const reasoning = fc.tuple(words, fc.boolean(), fc.boolean()).map(([pieces, isSummary, isSealed]) => {
  const [list, type, index] = isSummary
    ? (["summary", "reasoning_summary_text", "summary_index"] as const)
    : (["content", "reasoning_text", "content_index"] as const);
  const part = { type: isSummary ? "summary_text" : type, text: pieces.join("") };
  const sealed = isSealed ? { encrypted_content: `blob ${pieces.length}` } : {};
  const deltas = pieces.map((delta) => ({ type: `response.${type}.delta`, [index]: 0, delta }));
  return { item: { type: "reasoning", summary: [], [list]: [part], ...sealed }, deltas };
});
const call = fc.record({ a: fc.string(), b: fc.integer() }).map((input) => {
  const text = JSON.stringify(input);
  const cut = Math.ceil(text.length / 2);
  const deltas = [text.slice(0, cut), text.slice(cut)].map((delta) => ({
    type: "response.function_call_arguments.delta",
    delta,
  }));
  return { item: { type: "function_call", name: "f", arguments: text }, deltas };
});
const freeCall = words.map((pieces) => ({
  item: { type: "custom_tool_call", name: "g", input: pieces.join("") },
  deltas: pieces.map((delta) => ({ type: "response.custom_tool_call_input.delta", delta })),
}));
const search = fc.constantFrom("search", "open_page").map((type) => ({
  item: { type: "web_search_call", action: { type } },
  deltas: [],
}));

/** `isGrown`: its pieces arrive before it does. */
type ResponsePiece = { item: JsonObject; deltas: JsonObject[]; isGrown: boolean };
export const pieces: fc.Arbitrary<ResponsePiece[]> = fc.array(
  fc
    .tuple(fc.oneof(message, reasoning, call, freeCall, search), fc.boolean())
    .map(([piece, isGrown]) => ({ ...piece, isGrown })),
  { minLength: 1, maxLength: 6 },
);

/** An item that arrives at once. */
export const whole = (item: JsonObject): ResponsePiece => ({ item, deltas: [], isGrown: false });

const usage = { input_tokens: 9, output_tokens: 500, total_tokens: 509 };
export const wholeOf = (pieces: ResponsePiece[]): JsonObject => ({
  id: "resp_vendor",
  created_at: 1,
  status: "completed",
  output: pieces.map(({ item }, place) => ({
    id: `${place}_vendor`,
    ...(item.name ? { call_id: `call_${place}` } : {}),
    ...item,
  })),
  usage,
});

/** The same as a stream: identifiers change on the way, and items may arrive whole. */
export function eventsOf(pieces: ResponsePiece[], isEndWhole = true): JsonObject[] {
  const whole = wholeOf(pieces);
  const begun = { ...whole, status: "in_progress", output: [], usage: null };
  const items = objects(whole.output).flatMap((item, output_index) => {
    const { deltas = [], isGrown = false } = pieces[output_index] ?? {};
    const { encrypted_content: _sealed, arguments: _arguments, input: _input, ...head } = item;
    const blank = { ...head, content: [], summary: [], id: `${output_index}_first` };
    return [
      { type: "response.output_item.added", output_index, item: blank },
      ...(isGrown ? deltas.map((delta) => ({ ...delta, output_index, item_id: item.id })) : []),
      { type: "response.output_item.done", output_index, item },
    ];
  });
  return [
    { type: "response.created", response: begun },
    ...items,
    { type: "response.completed", response: isEndWhole ? whole : { ...whole, output: null } },
  ];
}
