import { mapInSteps } from "@/server/base/turns";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import type { Answer, AnswerBlock, Stop } from "../pivot/answer";
import { type Citation, writeUrlCitation } from "../pivot/citations";
import type { RedactedBlock, ThinkingBlock } from "../pivot/conversation";
import { freeTextOf } from "../pivot/free-text";
import { type TokenLogprob, writeByteLogprobs } from "../pivot/logprobs";
import { fitsEnvelope, toEnvelope } from "../pivot/sealed";
import { mintToolId, toChatToolId } from "../tools/tool-ids";
import { type AnswerContext, type CountedUsage, costMember } from "../upstream-plan";
import { type ItemKind, mintItemId } from "./ids";
import type { ClientTools } from "./tools-in";
import { writeResponsesUsage } from "./usage-out";

/** Settings for writing an answer. `echo`: the members of the request that every response repeats. */
export type ResponseForm = { id: string; echo: JsonObject; tools: ClientTools; context: AnswerContext };

const echoed = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: "default",
  store: true,
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  user: null,
};

const reasoningOf = (reasoning: unknown): JsonObject => {
  const { effort = null, summary = null } = isJsonObject(reasoning) ? reasoning : {};
  return { effort: textOf(effort).slice(0, 40) || null, summary: textOf(summary).slice(0, 40) || null };
};

/** The member that names the conversation of a response. */
export function conversationMember({ conversation }: JsonObject): JsonObject {
  if (!conversation) {
    return {};
  }
  const id = isJsonObject(conversation) ? conversation.id : conversation;
  return { conversation: { id } };
}

/**
 * The members of a request that every response repeats, with defaults for missing ones: decoders of some clients
 * require each.
 */
export const echoOf = (fields: JsonObject): JsonObject => ({
  ...Object.fromEntries(Object.entries(echoed).map(([name, usual]) => [name, fields[name] ?? usual])),
  ...conversationMember(fields),
  reasoning: reasoningOf(fields.reasoning),
  background: fields.background === true,
  truncation: "disabled",
  presence_penalty: 0,
  frequency_penalty: 0,
});

type State = {
  status: "queued" | "in_progress" | "completed" | "incomplete" | "failed";
  output: JsonObject[];
  usage: JsonObject | null;
  incomplete?: string | null;
  error?: { code: string; message: string } | null;
};

/** A response object with all members that clients' decoders require. */
export const writeResponse = (
  { id, echo, context }: Pick<ResponseForm, "id" | "echo" | "context">,
  { status, output, usage, incomplete = null, error = null }: State,
): JsonObject => ({
  id,
  object: "response",
  created_at: Math.floor(context.now.getTime() / 1000),
  completed_at: status === "completed" ? Math.floor(context.now.getTime() / 1000) : null,
  status,
  error,
  incomplete_details: incomplete === null ? null : { reason: incomplete },
  model: context.model,
  output,
  ...echo,
  usage,
});

/** Why an answer is incomplete. null: it is complete. A model that explains its refusal has answered. */
export function incompleteReason({ reason }: Stop, output: JsonObject[]): string | null {
  if (reason === "length") {
    return "max_output_tokens";
  }
  const isSaid = output.some((item) => objects(item.content).some(({ type }) => type === "refusal"));
  return reason === "refusal" && !isSaid ? "content_filter" : null;
}

export const annotationOf = (citation: Citation): JsonObject => ({
  type: "url_citation",
  ...writeUrlCitation(citation),
});

type SaidBlock = {
  type: "text" | "refusal";
  text: string;
  citations?: readonly Citation[];
  logprobs?: readonly TokenLogprob[];
};

/** A part of a message. */
export function* textPart({
  type,
  text,
  citations = [],
  logprobs = [],
}: SaidBlock): Generator<void, JsonObject> {
  return type === "text"
    ? {
        ...{ type: "output_text", text, annotations: yield* mapInSteps(citations, annotationOf) },
        logprobs: yield* writeByteLogprobs(logprobs),
      }
    : { type: "refusal", refusal: text };
}

/** The thinking that its client carries: the data that its vendor wants back, or unsigned text. */
const carried = (block: ThinkingBlock | RedactedBlock): JsonObject =>
  (block.type === "thinking" && block.seal === null && block.text === "") || !fitsEnvelope(block)
    ? {}
    : { encrypted_content: toEnvelope(block) };

/** The position of an item in the output, and whether the answer was cut off in it. */
type ItemPosition = { position: number; isCut: boolean };

const head = (form: ResponseForm, kind: ItemKind, { position, isCut }: ItemPosition): JsonObject => ({
  id: mintItemId(form.id, kind, position),
  type: kind,
  status: isCut ? "incomplete" : "completed",
});

export const messageItem = (form: ResponseForm, content: JsonObject[], place: ItemPosition): JsonObject => ({
  ...head(form, "message", place),
  role: "assistant",
  content,
});

export const reasoningItem = (
  form: ResponseForm,
  block: ThinkingBlock | RedactedBlock,
  place: ItemPosition,
): JsonObject => ({
  ...head(form, "reasoning", place),
  summary: block.type === "thinking" && block.text !== "" ? [{ type: "summary_text", text: block.text }] : [],
  ...carried(block),
});

/** A call in the form that its client knows. `input`: of a custom tool, if already extracted. */
export function* callItem(
  form: ResponseForm,
  call: { id: string; name: string; arguments: string; input?: string | undefined },
  place: ItemPosition,
): Generator<void, JsonObject> {
  const { name, namespace, isFreeText } = form.tools.named(call.name);
  return {
    ...head(form, isFreeText ? "custom_tool_call" : "function_call", place),
    call_id: toChatToolId(call.id || mintToolId(form.id, place.position)),
    name,
    ...(namespace !== null && { namespace }),
    // Decoders of agents fail on "".
    ...(isFreeText
      ? { input: call.input ?? (yield* freeTextOf(call.arguments)) }
      : { arguments: call.arguments || "{}" }),
  };
}

const isSaid = (block: AnswerBlock | undefined) => block?.type === "text" || block?.type === "refusal";

/**
 * Groups blocks by item: consecutive texts and refusals are one message of several parts, each other block is an item.
 */
function groupBlocks(blocks: AnswerBlock[]): AnswerBlock[][] {
  const groups: AnswerBlock[][] = [];
  for (const block of blocks) {
    const last = groups.at(-1);
    if (last && isSaid(block) && isSaid(last[0])) {
      last.push(block);
    } else {
      groups.push([block]);
    }
  }
  return groups;
}

function* writeParts(group: AnswerBlock[]): Generator<void, JsonObject[]> {
  const parts: JsonObject[] = [];
  for (const block of group) {
    if (block.type === "text" || block.type === "refusal") {
      parts.push(yield* textPart(block));
    }
    yield;
  }
  return parts;
}

function* writeItem(
  form: ResponseForm,
  group: AnswerBlock[],
  place: ItemPosition,
): Generator<void, JsonObject> {
  const [first] = group;
  switch (first?.type) {
    case "call":
      return yield* callItem(form, first, place);
    case "thinking":
    case "redacted":
      return reasoningItem(form, first, place);
    default:
      return messageItem(form, yield* writeParts(group), place);
  }
}

/** Writes an answer as a response object. Yields, so that long work can pause. */
export function* toResponse(
  answer: Answer,
  { usage }: CountedUsage,
  form: ResponseForm,
): Generator<void, JsonObject> {
  const groups = groupBlocks(answer.blocks);
  const isCut = answer.stop.reason === "length";
  const output: JsonObject[] = [];
  for (const [position, group] of groups.entries()) {
    const place = { position, isCut: isCut && position === groups.length - 1 };
    output.push(yield* writeItem(form, group, place));
    yield;
  }
  const incomplete = incompleteReason(answer.stop, output);
  return writeResponse(form, {
    status: incomplete === null ? "completed" : "incomplete",
    output,
    usage: { ...writeResponsesUsage(usage), ...costMember(form.context, usage) },
    incomplete,
  });
}
