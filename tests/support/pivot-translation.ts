/** Calls and answers of one dialect translated into the other, by the pivot only. */
import { atOnce } from "@/server/base/turns";
import { usualCapabilities } from "@/server/protocol/capabilities";
import { readAnswer as readChatAnswer } from "@/server/protocol/chat/answer-in";
import { writeCompletion } from "@/server/protocol/chat/answer-out";
import { readConversation as readChat } from "@/server/protocol/chat/request-in";
import { writeChatRequest } from "@/server/protocol/chat/request-out";
import { ChatEvents } from "@/server/protocol/chat/stream-in";
import { ChatOut } from "@/server/protocol/chat/stream-out";
import type { JsonObject } from "@/server/protocol/fields";
import { readAnswer as readMessage } from "@/server/protocol/messages/answer-in";
import { writeMessage } from "@/server/protocol/messages/answer-out";
import { readConversation as readMessages } from "@/server/protocol/messages/request-in";
import { type AnswerTools, writeMessagesRequest } from "@/server/protocol/messages/request-out";
import { MessagesEvents } from "@/server/protocol/messages/stream-in";
import { MessagesOut } from "@/server/protocol/messages/stream-out";
import { throughPivot } from "@/server/protocol/pivot/dialect";
import type { ToolNames } from "@/server/protocol/tools/tool-names";
import type { AnswerContext, CallTerms, CountedUsage, UpstreamModel } from "@/server/protocol/upstream-plan";

export const chatRequestAsMessages = (fields: JsonObject, upstream: UpstreamModel, terms: CallTerms) =>
  atOnce(writeMessagesRequest(atOnce(readChat(fields)), upstream, terms));

export const messagesRequestAsChat = (fields: JsonObject, upstream: UpstreamModel, terms: CallTerms) =>
  atOnce(writeChatRequest(atOnce(readMessages(fields)), upstream, terms));

/** `usesLegacyFunctions` describes the client's request; the other members describe the upstream's. */
export type ChatClient = AnswerTools & { usesLegacyFunctions: boolean };

export const messageAsCompletion = (
  message: JsonObject,
  counted: CountedUsage,
  { context, client }: { context: AnswerContext; client: ChatClient },
): JsonObject | null => {
  const { usesLegacyFunctions } = client;
  const answer = atOnce(readMessage(message, client));
  return answer && atOnce(writeCompletion(answer, counted, { context, usesLegacyFunctions }));
};

/** null: no answer. */
export function completionAsMessage(
  completion: JsonObject,
  counted: CountedUsage,
  { context, names }: { context: AnswerContext; names: ToolNames },
): JsonObject | null {
  const answer = atOnce(readChatAnswer(completion, names, usualCapabilities.chat));
  return answer && atOnce(writeMessage(answer, counted, context));
}

export const messagesAsChunks = (call: { context: AnswerContext; client: ChatClient; wantsUsage: boolean }) =>
  throughPivot(
    new MessagesEvents(call.client),
    new ChatOut({
      context: call.context,
      wantsUsage: call.wantsUsage,
      usesLegacyFunctions: call.client.usesLegacyFunctions,
    }),
    call.context,
  );

export const chunksAsMessages = ({ context, names }: { context: AnswerContext; names: ToolNames }) =>
  throughPivot(new ChatEvents(names, usualCapabilities.chat), new MessagesOut(context), context);
