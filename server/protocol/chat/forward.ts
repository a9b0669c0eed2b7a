import { errorMessages } from "@/server/base/error-messages";
import { inClientWords, joinStream } from "../answers/client-answer";
import { cannotConvert } from "../cannot-convert";
import { limitField } from "../capabilities";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { dropMembers, type Edit, setMembers } from "../json/splice";
import { asWritten } from "../json/text";
import { planCache, readMark } from "../prompt-cache";
import { shareStops } from "../stops";
import { withoutSignedIds } from "../tools/tool-ids";
import { soleOf } from "../tools/tool-names";
import type { CallTerms, ForwardPlan, UpstreamModel } from "../upstream-plan";
import { standardTerms } from "../usage/standard-terms";
import { readChatAnswer } from "./answer";
import { cachedMembers } from "./cache-marks";
import { CutChunks, cutCompletion } from "./cut-chunks";
import { ChatReader } from "./reader";
import type { ChatRequest } from "./request";
import type { OfferedNames } from "./tool-calls";
import { forcesTool } from "./tool-choice-in";
import { ChatWriter } from "./writer";

/** Moves the output limit to the name that this upstream knows: it would ignore the other name. */
function movedLimit({ fields }: ChatRequest, { capabilities }: UpstreamModel) {
  const field = capabilities.outputTokenField;
  const other = field === "max_tokens" ? "max_completion_tokens" : "max_tokens";
  if (field === null || typeof fields[other] !== "number" || typeof fields[field] === "number") {
    return { values: {}, renamed: {} };
  }
  // A null under the wanted name is replaced: with two members of one name, each parser would choose its own.
  return Object.hasOwn(fields, field)
    ? { values: { [field]: fields[other], [other]: null }, renamed: {} }
    : { values: {}, renamed: { [other]: field } };
}

/** Lowers the limit under each name that the client used; under the upstream's name if the client used none. */
function cappedLimits({ fields }: ChatRequest, upstream: UpstreamModel, terms: CallTerms): JsonObject {
  if (!terms.isCapped) {
    return {};
  }
  const field = upstream.capabilities.outputTokenField;
  const named = (["max_tokens", "max_completion_tokens"] as const).filter(
    (name) => typeof fields[name] === "number",
  );
  const names = field !== null && named.length === 1 ? [field] : named;
  const capOf = (limit: unknown) =>
    typeof limit === "number" ? Math.min(limit, terms.maxOutputTokens) : terms.maxOutputTokens;
  return names.length === 0
    ? { [limitField(upstream)]: terms.maxOutputTokens }
    : Object.fromEntries(names.map((name) => [name, capOf(fields[name])]));
}

/** Splits the stop sequences: those sent upstream, and those at which the gateway cuts the answer. */
function sharedStops({ fields }: ChatRequest, upstream: UpstreamModel) {
  const stops = [fields.stop ?? []].flat();
  const { upstreamStops, cut } = stops.every((stop) => typeof stop === "string")
    ? shareStops(stops, upstream, "stop")
    : { upstreamStops: [], cut: [] };
  // If all of them are sent, they go as the client wrote them.
  return {
    cut,
    values: { ...(cut.length > 0 && { stop: upstreamStops.length > 0 ? upstreamStops : undefined }) },
  };
}

/** The tool names that calls of the answer may use. */
function offeredNames({ tools, functions }: JsonObject): OfferedNames {
  const names = new Set([
    ...objects(tools).map((tool) => textOf([tool.function, tool.custom].find(isJsonObject)?.name)),
    ...objects(functions).map(({ name }) => textOf(name)),
  ]);
  return { isTool: (name) => names.has(name), soleName: soleOf(names) || null };
}

/** The changes for a vendor that caches marked prompts. The client's wish for caching is expressed by marks, too. */
function cachedPrompt(request: ChatRequest, { capabilities }: UpstreamModel, terms: CallTerms) {
  const { fields } = request;
  const messages = objects(fields.messages);
  const tools = objects(fields.tools);
  const plan = planCache(capabilities, terms, {
    clientMark: readMark(fields).mark ?? null,
    // A client that forces a tool wants its input and sends no next turn.
    continues: messages.some(({ role }) => role === "assistant") || (tools.length > 0 && !forcesTool(fields)),
  });
  if (!plan) {
    return { values: {}, dropped: [] };
  }
  const written = objects(asWritten(request, "messages"));
  const { messages: marked, ...wish } = cachedMembers(written, tools, plan);
  const isSame = marked.every((message, index) => message === written[index]);
  return { values: { ...wish, ...(!isSame && { messages: marked }) }, dropped: ["cache_control"] };
}

/** The changes of the members that the gateway sets, or that would cost more. */
export function chatEdit(request: ChatRequest, upstream: UpstreamModel, terms: CallTerms): Edit {
  const { fields } = request;
  const options = fields.stream_options;
  const limit = movedLimit(request, upstream);
  const cache = cachedPrompt(request, upstream, terms);
  const { cut, ...stops } = sharedStops(request, upstream);
  return {
    // `usage` asks the gateway for the cost; vendors that do not know it refuse it.
    dropped: [...cache.dropped, ...(cut.length > 0 ? ["stop"] : []), ...(request.wantsCost ? ["usage"] : [])],
    values: {
      ...stops.values,
      ...limit.values,
      ...(!upstream.capabilities.premiumTiers && standardTerms(fields, upstream)),
      model: upstream.name,
      ...cache.values,
      // Billing needs the upstream's own count; the client sees it only if it asked.
      stream_options: request.isStream
        ? { ...(typeof options === "object" ? options : {}), include_usage: true }
        : undefined,
      ...cappedLimits(request, upstream, terms),
    },
    renamed: limit.renamed,
  };
}

/**
 * Forwards a chat call in its dialect: every field as the client sent it, except for the few that the gateway sets or
 * that would cost more.
 */
export function forwardChat(request: ChatRequest, upstream: UpstreamModel, terms: CallTerms): ForwardPlan {
  if (request.choices > 1 && !upstream.capabilities.severalAnswers) {
    cannotConvert(errorMessages.oneResult());
  }
  const { dropped, values, renamed } = chatEdit(request, upstream, terms);
  const body = setMembers(dropMembers(request, dropped), values, renamed);
  return chatPlan(request, upstream, withoutSignedIds(body));
}

/** The plan of a forwarded call with this body. */
export function chatPlan(
  request: ChatRequest,
  upstream: UpstreamModel,
  body: ForwardPlan["body"],
): ForwardPlan {
  const { wantsUsage } = request;
  const tools = offeredNames(request.fields);
  const { cut } = sharedStops(request, upstream);
  const isCut = cut.length > 0;
  return {
    operation: "chat",
    headers: {},
    dropped: [],
    body,
    readAnswer: (answer, context) =>
      inClientWords(readChatAnswer(answer, context, { ...upstream.capabilities, ...tools }), (whole) =>
        cutCompletion(whole, cut),
      ),
    openStream: (context) => {
      const writer = new ChatWriter({ wantsUsage, price: context.price });
      return joinStream(
        new ChatReader(context, {
          ...upstream.capabilities,
          ...tools,
          choices: request.choices,
        }),
        isCut ? new CutChunks(writer, cut, request.choices) : writer,
      );
    },
  };
}
