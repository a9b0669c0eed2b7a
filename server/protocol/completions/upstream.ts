/**
 * An upstream of the chat dialect that also has the older endpoint, the only one that takes a `suffix`. Its answers are
 * read as chat answers.
 */
import { errorMessages } from "@/server/base/error-messages";
import { openEnvelope } from "../answers/envelope";
import { cannotConvert } from "../cannot-convert";
import { toChat } from "../chat/dialect";
import { isJsonObject, type JsonObject, objects } from "../fields";
import type { ToUpstream } from "../pivot/dialect";
import type { StreamReader } from "../upstream-plan";
import { standardTerms } from "../usage/standard-terms";
import { parseWithoutPrice } from "../usage/vendor-price";
import type { CompletionRequest } from "./request";

/** Turns an answer or an event into chat's form. `member`: the member that holds the text in chat. */
function asChat(answer: unknown, member: "message" | "delta"): unknown {
  if (!isJsonObject(answer)) {
    return answer;
  }
  const choices = objects(answer.choices).map(({ text, logprobs: _logprobs, ...choice }) => ({
    ...choice,
    [member]: { role: "assistant", content: text },
  }));
  return { ...answer, ...(Array.isArray(answer.choices) && { choices }) };
}

/** Turns an event into chat's form. undefined: it is the end, or no JSON; the chat reader decides. */
function chatEvent(data: string): unknown {
  try {
    return openEnvelope(parseWithoutPrice(data));
  } catch {
    return undefined;
  }
}

const readingAsChat = (reader: StreamReader<JsonObject>): StreamReader<JsonObject> => ({
  get isStarted() {
    return reader.isStarted;
  },
  get isFinished() {
    return reader.isFinished;
  },
  get isCounted() {
    return reader.isCounted === true;
  },
  get doubt() {
    return reader.doubt ?? null;
  },
  read: (data, parsed = chatEvent(data)) => reader.read(data, asChat(parsed, "delta")),
  owed: () => reader.owed(),
  settled: (isComplete) => reader.settled(isComplete),
  textOf: (event) => reader.textOf(event),
  count: (text) => reader.count(text),
});

/** Members that the gateway sets, that the chat request has already converted, or that ask for several answers. */
const OURS = new Set(["usage", "n", "messages", "max_tokens", "max_completion_tokens", "stop"]);

/** A completion of this prompt as the client wrote it. Throws cannotConvert if the upstream has no such endpoint. */
export const toCompletions =
  (request: CompletionRequest, prompt: string): ToUpstream =>
  (...args) =>
    writeCompletionRequest(request, prompt, args);

function* writeCompletionRequest(
  { fields, suffix }: CompletionRequest,
  prompt: string,
  [conversation, upstream, terms]: Parameters<ToUpstream>,
): ReturnType<ToUpstream> {
  if (upstream.dialect !== "chat" || !upstream.capabilities.completions) {
    return cannotConvert(errorMessages.noSuffix());
  }
  const chat = yield* toChat(conversation, upstream, terms);
  const { messages: _messages, max_completion_tokens: limit, ...body } = chat.body;
  const entries = Object.entries(fields).filter(([name]) => !OURS.has(name));
  return {
    ...chat,
    operation: "completions",
    body: {
      ...Object.fromEntries(entries),
      ...(!upstream.capabilities.premiumTiers && standardTerms(fields, upstream)),
      ...body,
      ...(limit !== undefined && { max_tokens: limit }),
      ...{ prompt, suffix },
    },
    readAnswer: (answer, context) => chat.readAnswer(asChat(answer, "message"), context),
    openReader: (context) => {
      const { reader, events } = chat.openReader(context);
      return { reader: readingAsChat(reader), events };
    },
  };
}
