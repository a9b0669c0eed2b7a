import { both } from "@/server/base/language";
import { chatSchema } from "@/server/protocol/chat/request";
import { unguardedNames } from "@/server/protocol/scalar-members";
import { ChatCompletion } from "./answers/conversation-answers";
import { ChatChunk } from "./answers/conversation-events";
import { buys, ofConversations } from "./endpoint";

/** POST /v1/chat/completions (spec 4.2). */
export const chatCompletions = buys({
  id: "createChatCompletion",
  name: "chat.completions",
  path: "/v1/chat/completions",
  isAtDeployments: true,
  tag: "chat",
  summary: both("对话（OpenAI 格式）", "Chat (OpenAI format)"),
  json: {
    name: "ChatRequest",
    schema: chatSchema,
    passed: [
      ...unguardedNames("chat"),
      "tools",
      "tool_choice",
      "response_format",
      "reasoning_effort",
      "usage",
    ],
  },
  answers: [
    {
      status: 200,
      schema: { name: "ChatCompletion", schema: ChatCompletion },
      events: { name: "ChatChunk", schema: ChatChunk },
      headers: ofConversations,
    },
  ],
  refusals: ["invalidMessages"],
});
