import { both } from "@/server/base/language";
import { completionSchema } from "@/server/protocol/completions/request";
import { unguardedNames } from "@/server/protocol/scalar-members";
import { TextCompletion } from "./answers/conversation-answers";
import { TextChunk } from "./answers/conversation-events";
import { buys, ofConversations } from "./endpoint";

/** POST /v1/completions, OpenAI's earlier endpoint for texts. */
export const completions = buys({
  id: "createCompletion",
  name: "completions",
  path: "/v1/completions",
  isAtDeployments: true,
  tag: "chat",
  summary: both("文本补全（旧接口）", "Text completion (legacy endpoint)"),
  json: {
    name: "CompletionRequest",
    schema: completionSchema,
    passed: unguardedNames("completions"),
  },
  answers: [
    {
      status: 200,
      schema: { name: "TextCompletion", schema: TextCompletion },
      events: { name: "TextChunk", schema: TextChunk },
      headers: ofConversations,
    },
  ],
});
