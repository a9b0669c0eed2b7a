/**
 * Compaction of conversations (spec 4.9): a model's own summary replaces the history. The gateway's item looks like
 * OpenAI's, which only OpenAI can read. The gateway's is plain text in base64, because it holds nothing that the client
 * did not send.
 */
import { mapResult } from "@/server/base/turns";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { type JsonSource, readJsonText } from "../json/text";
import type { ConversationRequest } from "../upstream-plan";

const PREFIX = "tgc1.";

const seal = (summary: string): string => PREFIX + Buffer.from(summary, "utf8").toString("base64url");

/** Turns the gateway's compaction into the message that the next model reads; returns any other item unchanged. */
export function expandCompaction(item: JsonObject): JsonObject {
  const sealed = textOf(item.encrypted_content);
  if (!/^compaction(?:_summary)?$/.test(textOf(item.type)) || !sealed.startsWith(PREFIX)) {
    return item;
  }
  const summary = Buffer.from(sealed.slice(PREFIX.length), "base64url").toString("utf8");
  const content = `The conversation before this point was replaced by this summary of it:\n\n${summary}`;
  return { type: "message", role: "user", content };
}

/** The request for a summary, at the end of the conversation. */
export const summaryRequest: JsonObject = {
  type: "message",
  role: "user",
  content:
    "Write a summary of this conversation. Another model continues the conversation from your summary alone. Keep the " +
    "requests, the open tasks, the decisions and their reasons, the results of tools, and all facts, names, numbers, paths " +
    "and code that are needed later. Answer with the summary only.",
};

/** The body of `/v1/responses/compact` as a call for the summary, without the members that only shape an answer. */
export function summaryBody(source: JsonSource): string {
  const { model, input, instructions, previous_response_id, conversation, prompt } =
    readJsonText(source).fields;
  const body = { model, input, instructions, previous_response_id, conversation, prompt, store: false };
  return JSON.stringify(body);
}

/** The limit cut the summary off: the client pays for it, because another channel would cost as much again. */
const isCutOff = ({ status, incomplete_details: details }: JsonObject): boolean =>
  status === "incomplete" && isJsonObject(details) && details.reason === "max_output_tokens";

/** A response with the summary as a compaction. null: it has no summary. */
export function toCompaction(response: unknown): JsonObject | null {
  if (!isJsonObject(response) || (response.status !== "completed" && !isCutOff(response))) {
    return null;
  }
  const summary = objects(response.output)
    .filter(({ type }) => type === "message")
    .flatMap(({ content }) => objects(content))
    .map(({ text }) => textOf(text))
    .join("\n\n");
  const id = textOf(response.id).replace(/^resp_/, "cmp_");
  const item = { id, type: "compaction", encrypted_content: seal(summary), created_by: null };
  const { created_at, usage } = response;
  return summary.trim() === ""
    ? null
    : { id: response.id, object: "response.compaction", created_at, output: [item], usage };
}

/** `unusable` sends the call to another channel, so that the client does not pay for a lost conversation. */
function compacted<Read>(read: Read) {
  if (typeof read !== "object" || read === null || !("body" in read)) {
    return read;
  }
  const compaction = toCompaction(read.body);
  return compaction === null ? "unusable" : { ...read, body: compaction };
}

/** A call for the summary. Its answer becomes the compaction. */
export const compacting = (request: ConversationRequest): ConversationRequest => ({
  ...request,
  planFor: (upstream, terms) =>
    mapResult(request.planFor(upstream, terms), (plan) => ({
      ...plan,
      readAnswer: (answer, context) => mapResult(plan.readAnswer(answer, context), compacted),
      otherForm: () => {
        const form = plan.otherForm();
        return { ...form, collect: (events, context) => mapResult(form.collect(events, context), compacted) };
      },
    })),
});
