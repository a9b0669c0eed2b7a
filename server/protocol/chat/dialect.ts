import type { ThinkingOfCalls } from "../kept-thinking";
import { type ClientCall, type ToUpstream, toPivot } from "../pivot/dialect";
import { upstreamSoleName } from "../tools/tool-names";
import { readChatAnswer } from "./answer";
import { readAnswer } from "./answer-in";
import { writeCompletion } from "./answer-out";
import { ChatReader } from "./reader";
import type { ChatRequest } from "./request";
import { readConversation } from "./request-in";
import { writeChatRequest } from "./request-out";
import { ChatEvents } from "./stream-in";
import { ChatOut } from "./stream-out";
import { customTools, usesLegacyFunctions } from "./tools-in";

/** A chat call for upstreams of other dialects. `thinking`: the kept thinking of its calls. */
export function chatClient({ fields, wantsUsage }: ChatRequest, thinking: ThinkingOfCalls): ClientCall {
  // Throws for tools that are no objects, also in a call that is forwarded.
  const isLegacy = usesLegacyFunctions(fields);
  const form = () => ({ usesLegacyFunctions: isLegacy, customTools: customTools(fields) });
  return {
    ...{ dialect: "chat", fields },
    conversation: () => readConversation(fields, thinking),
    writeAnswer: (answer, counted, context) => writeCompletion(answer, counted, { context, ...form() }),
    openWriter: (context) => new ChatOut({ context, wantsUsage, ...form() }),
  };
}

/** An upstream of the chat dialect for clients of others. */
export const toChat: ToUpstream = function* (conversation, upstream, terms) {
  const { body, names } = yield* writeChatRequest(conversation, upstream, terms);
  const { capabilities } = upstream;
  const soleName = upstreamSoleName(names);
  return {
    operation: "chat",
    body,
    headers: {},
    readAnswer: (response, context) =>
      toPivot(readChatAnswer(response, context, { ...capabilities, soleName }), (answer) =>
        readAnswer(answer, names, capabilities),
      ),
    openReader: (context) => ({
      reader: new ChatReader(context, {
        ...capabilities,
        isTool: names.isTool,
        soleName: upstreamSoleName(names),
      }),
      events: new ChatEvents(names, capabilities),
    }),
  };
};
