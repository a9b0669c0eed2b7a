/**
 * Conversations made shorter (spec 4.9): a model's own summary in place of what was said. The item that holds it looks as
 * OpenAI's does, which only OpenAI can read; ours is plain text in base64, for it says nothing that its client did not say.
 */
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { type JsonSource, readJsonText } from "../json-text";
import type { ConversationRequest, UpstreamPlan } from "../upstream-plan";

const PREFIX = "tgc1.";

const seal = (summary: string): string => PREFIX + Buffer.from(summary, "utf8").toString("base64url");

/** What whoever goes on with the conversation is told, where an item is a compaction of ours; any other item as it is. */
export function expandCompaction(item: JsonObject): JsonObject {
  const sealed = textOf(item.encrypted_content);
  if (!/^compaction(?:_summary)?$/.test(textOf(item.type)) || !sealed.startsWith(PREFIX)) {
    return item;
  }
  const summary = Buffer.from(sealed.slice(PREFIX.length), "base64url").toString("utf8");
  const content = `The conversation before this point was replaced by this summary of it:\n\n${summary}`;
  return { type: "message", role: "user", content };
}

/** Asks for the summary, at the end of what it is of. */
export const summaryRequest: JsonObject = {
  type: "message",
  role: "user",
  content:
    "Write a summary of this conversation. Another model continues the conversation from your summary alone. Keep the " +
    "requests, the open tasks, the decisions and their reasons, the results of tools, and all facts, names, numbers, paths " +
    "and code that are needed later. Answer with the summary only.",
};

/** A body of `/v1/responses/compact` as one of a call for the summary: what only shapes an answer is left out. */
export function summaryBody(source: JsonSource): string {
  const { model, input, instructions, previous_response_id, conversation, prompt } =
    readJsonText(source).fields;
  const asked = { model, input, instructions, previous_response_id, conversation, prompt, store: false };
  return JSON.stringify(asked);
}

/** Its limit cut it off: it is bought all the same, and another channel would buy as much once more. */
const isCutOff = ({ status, incomplete_details: details }: JsonObject): boolean =>
  status === "incomplete" && isJsonObject(details) && details.reason === "max_output_tokens";

/** A response of the summary as a compaction. null: there is no summary in it. */
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

type Read = Exclude<ReturnType<UpstreamPlan["readAnswer"]>, string>;

/** `unusable`: another channel is asked, and nobody pays for what would lose the conversation. */
function compacted<Other>(read: Read | Other): Read | Other | "unusable" {
  if (typeof read !== "object" || read === null || !("body" in read)) {
    return read;
  }
  const compaction = toCompaction(read.body);
  return compaction === null ? "unusable" : { ...read, body: compaction };
}

/** A call for the summary, which is answered with the compaction. */
export const compacting = (request: ConversationRequest): ConversationRequest => ({
  ...request,
  planFor: function* (upstream, terms) {
    const plan = yield* request.planFor(upstream, terms);
    return {
      ...plan,
      readAnswer: (answer, context) => compacted(plan.readAnswer(answer, context)),
      otherForm: () => {
        const form = plan.otherForm();
        return {
          ...form,
          collect: function* (events, context) {
            return compacted(yield* form.collect(events, context));
          },
        };
      },
    };
  },
});
