import type { ClientCall, ToUpstream } from "../pivot/dialect";
import { upstreamSoleName } from "../tools/tool-names";
import { readMessagesAnswer } from "./answer";
import { readAnswer } from "./answer-in";
import { writeMessage } from "./answer-out";
import { MessagesReader } from "./reader";
import type { MessagesRequest } from "./request";
import { readConversation } from "./request-in";
import { writeMessagesRequest } from "./request-out";
import { MessagesEvents } from "./stream-in";
import { MessagesOut } from "./stream-out";

/** A messages call for upstreams of other dialects. */
export const messagesClient = ({ fields }: MessagesRequest): ClientCall => ({
  ...{ dialect: "messages", fields },
  conversation: () => readConversation(fields),
  writeAnswer: writeMessage,
  openWriter: (context) => new MessagesOut(context),
});

/** The version that still knows sampling parameters, into which the gateway translates. */
const VERSION = { "anthropic-version": "2023-06-01" };

/** An upstream of the messages dialect for clients of other dialects. */
export const toMessages: ToUpstream = function* (conversation, upstream, terms) {
  const { body, ...tools } = yield* writeMessagesRequest(conversation, upstream, terms);
  const soleName = upstreamSoleName(tools.names);
  return {
    operation: "messages",
    body,
    headers: VERSION,
    readAnswer: function* (response, context) {
      const read = yield* readMessagesAnswer(response, context, soleName);
      if (!read) {
        return "malformed";
      }
      const answer = read.hasHalfCall ? null : yield* readAnswer(read.answer, tools);
      return answer ? { ...read, answer } : "unusable";
    },
    openReader: (context) => ({
      reader: new MessagesReader(context, soleName),
      events: new MessagesEvents(tools),
    }),
  };
};
