import { both } from "@/server/base/language";
import { messagesSchema } from "@/server/protocol/messages/request";
import { unguardedNames } from "@/server/protocol/scalar-members";
import { Message } from "./answers/conversation-answers";
import { MessageEvent } from "./answers/conversation-events";
import { buys, modelRefusals, ofConversations, reads, version } from "./endpoint";
import { integer, object } from "./schema";

const json = {
  name: "MessagesRequest",
  schema: messagesSchema,
  passed: [...unguardedNames("messages"), "tool_choice", "thinking", "output_config", "usage"],
};
const wrongMessages = ["invalidMessages", "missingVersion", "threadUnsupported"] as const;

/** POST /v1/messages (spec 4.3), and the count of its tokens. */
export const messages = [
  buys({
    id: "createMessage",
    name: "messages",
    path: "/v1/messages",
    dialect: "messages",
    tag: "chat",
    summary: both("对话（Anthropic 格式）", "Chat (Anthropic format)"),
    parameters: [version],
    json,
    answers: [
      {
        status: 200,
        schema: { name: "Message", schema: Message },
        events: { name: "MessageEvent", schema: MessageEvent },
        headers: ofConversations,
      },
    ],
    refusals: wrongMessages,
  }),
  reads({
    id: "countMessageTokens",
    name: "messages.count_tokens",
    method: "post",
    path: "/v1/messages/count_tokens",
    dialect: "messages",
    tag: "chat",
    summary: both("计算一次请求的 Token 数，不收费", "Count the tokens of a request, free of charge"),
    parameters: [version],
    json,
    answers: [{ status: 200, schema: { name: "TokenCount", schema: object({ input_tokens: integer }) } }],
    refusals: [...modelRefusals, ...wrongMessages, "upstreamRejected", "upstreamBusy"],
  }),
] as const;
