import { type ClientCall, type ToUpstream, toPivot } from "../pivot/dialect";
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
    readAnswer: (response, context) =>
      toPivot(readMessagesAnswer(response, context, soleName), (answer) => readAnswer(answer, tools)),
    openReader: (context) => ({
      reader: new MessagesReader(context, soleName),
      events: new MessagesEvents(tools),
    }),
  };
};
