import { errorMessages } from "@/server/base/error-messages";
import { inClientWords, joinStream } from "../answers/client-answer";
import { cannotConvert } from "../cannot-convert";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { dropMembers, setMembers } from "../json/splice";
import { soleOf } from "../tools/tool-names";
import type {
  AnswerContext,
  CallTerms,
  ForwardPlan,
  StreamError,
  StreamWriter,
  UpstreamModel,
} from "../upstream-plan";
import { readGeminiAnswer } from "./answer";
import { writeSilence } from "./answer-out";
import type { DeliveryMode } from "./dialect";
import { googleError } from "./error-out";
import { inCamelCase } from "./names";
import { geminiPath } from "./path";
import { GeminiReader } from "./reader";
import { type GeminiRequest, otherModality, readList } from "./request";
import { isOurs, NO_SIGNATURE } from "./signatures";
import { asArray, asEvents, type Framing, framed } from "./stream-out";

const isCarried = (part: JsonObject): boolean =>
  isOurs(textOf(part.thoughtSignature) || textOf(part.thought_signature));

/**
 * Removes other vendors' thinking, which clients carry as a signature: Google would refuse it. A call gets the
 * placeholder for a lost signature.
 */
function withoutCarried(part: JsonObject): JsonObject {
  if (!isCarried(part)) {
    return part;
  }
  const { thoughtSignature: _signature, thought_signature: _other, ...rest } = part;
  return rest.functionCall || rest.function_call ? { ...rest, thoughtSignature: NO_SIGNATURE } : rest;
}

/** Google accepts a single part instead of a list. */
const partsOf = ({ parts }: JsonObject): JsonObject[] => (isJsonObject(parts) ? [parts] : objects(parts));

function cleanContents(contents: JsonObject[]): JsonObject {
  const clean = (content: JsonObject): JsonObject =>
    partsOf(content).some(isCarried) ? { ...content, parts: partsOf(content).map(withoutCarried) } : content;
  return contents.some((content) => partsOf(content).some(isCarried))
    ? { contents: contents.map(clean) }
    : {};
}

const functionNames = ({ camelFields }: GeminiRequest): string[] =>
  readList(camelFields.tools, "tools")
    .flatMap((tool) => objects(inCamelCase(tool).functionDeclarations))
    .map(({ name }) => textOf(name));

/** Tools that cost only tokens. */
const PLAIN_TOOLS = new Set(["functionDeclarations", "urlContext", "codeExecution"]);
const SEARCHES = new Set(["googleSearch", "googleSearchRetrieval", "enterpriseWebSearch"]);

/** Removes searches if the channel's prices do not cover them; throws cannotConvert for other dear tools. */
function servedTools(
  { camelFields }: GeminiRequest,
  { webSearch, premiumTiers }: UpstreamModel["capabilities"],
) {
  const tools = readList(camelFields.tools, "tools").map(inCamelCase);
  const isServed = (name: string): boolean =>
    premiumTiers || PLAIN_TOOLS.has(name) || (SEARCHES.has(name) && webSearch);
  const names = tools.flatMap((tool) => Object.keys(tool));
  const dear = names.find((name) => !isServed(name) && !SEARCHES.has(name));
  if (dear !== undefined) {
    cannotConvert(errorMessages.noServerTool(dear));
  }
  const dropped = names.filter((name) => !isServed(name));
  if (dropped.length === 0) {
    return { values: {}, dropped };
  }
  const kept = tools
    .map((tool) => Object.fromEntries(Object.entries(tool).filter(([name]) => isServed(name))))
    .filter((tool) => Object.keys(tool).length > 0);
  return { values: { tools: kept }, dropped };
}

/**
 * Refuses requests that the vendor serves at another price, or from content that another customer of the channel's
 * account has stored there.
 */
function refuseDearer(
  { camelFields, config }: GeminiRequest,
  { premiumTiers }: UpstreamModel["capabilities"],
): void {
  if (camelFields.cachedContent) {
    cannotConvert(errorMessages.notConvertible("cachedContent"));
  }
  const other = otherModality(config);
  if (other !== undefined && !premiumTiers) {
    cannotConvert(errorMessages.valueNotConvertible("generationConfig.responseModalities", other));
  }
}

/** Members that the gateway sets, or that would cost more. Without a named tier, the vendor uses its standard one. */
const dropped = (premiumTiers: boolean) => [
  "model",
  ...(premiumTiers ? [] : ["serviceTier", "service_tier"]),
];

class GeminiWriter implements StreamWriter<JsonObject> {
  private readonly framing: Framing;
  private readonly context: AnswerContext;
  private id = "";

  constructor(framing: Framing, context: AnswerContext) {
    this.framing = framing;
    this.context = context;
  }

  keepAlive(): string {
    return this.framing.life(() =>
      JSON.stringify(writeSilence(this.id || this.context.fallbackId, this.context)),
    );
  }

  write(response: JsonObject): string {
    this.id ||= textOf(response.responseId);
    return framed(this.framing, JSON.stringify(response));
  }

  end(): string {
    return this.framing.end();
  }

  fail(error: Omit<StreamError, "data">): string {
    return framed(this.framing, googleError(error)) + this.framing.end();
  }
}

/**
 * Forwards a Gemini call in its dialect: every member as the client sent it, except for those that the gateway sets or
 * that would cost more.
 */
export function forwardGemini(
  { request, delivery }: { request: GeminiRequest; delivery: DeliveryMode },
  upstream: UpstreamModel,
  { isCapped, maxOutputTokens }: CallTerms,
): ForwardPlan {
  const { capabilities } = upstream;
  refuseDearer(request, capabilities);
  const { config } = request;
  const limit = Math.min(request.maxOutputTokens ?? maxOutputTokens, maxOutputTokens);
  const tools = servedTools(request, capabilities);
  const values: JsonObject = {
    ...cleanContents(request.contents),
    ...tools.values,
    ...(isCapped && { generationConfig: { ...config, maxOutputTokens: limit } }),
  };
  const renamed = isCapped ? ["generation_config"] : [];
  const isStream = delivery !== "whole";
  const soleName = soleOf(functionNames(request));
  return {
    operation: "gemini",
    path: geminiPath(upstream.name, isStream),
    headers: {},
    dropped: tools.dropped,
    body: setMembers(dropMembers(request, [...dropped(capabilities.premiumTiers), ...renamed]), values),
    readAnswer: (answer, context) => inClientWords(readGeminiAnswer(answer, context, soleName)),
    openStream: (context) =>
      joinStream(
        new GeminiReader(context, soleName),
        new GeminiWriter(delivery === "array" ? asArray() : asEvents, context),
      ),
  };
}
