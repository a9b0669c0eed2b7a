import { both } from "@/server/base/language";
import { responsesSchema } from "@/server/protocol/responses/request";
import { unguardedNames } from "@/server/protocol/scalar-members";
import { Response } from "./answers/conversation-answers";
import { ResponseEvent } from "./answers/conversation-events";
import { after, buys, idOf, limit, modelRefusals, ofConversations, order, reads } from "./endpoint";
import { anything, constant, deleted, integer, listOf, object, page, text } from "./schema";

const json = {
  name: "ResponsesRequest",
  schema: responsesSchema,
  passed: [...unguardedNames("responses"), "tool_choice", "parallel_tool_calls", "reasoning"],
};
const response = { name: "Response", schema: Response };
const lostHistory = ["responseNotKept", "unknownConversation", "conversationTooLong"] as const;
const unknown = ["unknownResponse", "unknownPath"] as const;
const stored = {
  name: "responses.stored",
  label: "/v1/responses/{id}",
  path: "/v1/responses/{response_id}",
  tag: "chat",
  parameters: [idOf("response_id")],
} as const;

/** A page of items; conversations have the same. */
export const itemPage = { name: "ResponseItems", schema: page(anything) };

/** POST /v1/responses, and the calls around it that no upstream gets as they are. */
export const responses = [
  buys({
    id: "createResponse",
    name: "responses",
    path: "/v1/responses",
    isAtDeployments: true,
    tag: "chat",
    summary: both("对话（OpenAI Responses 格式）", "Chat (OpenAI Responses format)"),
    json,
    answers: [
      {
        status: 200,
        schema: response,
        events: { name: "ResponseEvent", schema: ResponseEvent },
        headers: ofConversations,
      },
    ],
    refusals: lostHistory,
  }),
  buys({
    id: "compactResponse",
    name: "responses.compact",
    path: "/v1/responses/compact",
    tag: "chat",
    summary: both("用模型写的摘要代替一段对话", "Replace a conversation with a summary by the model"),
    json,
    answers: [
      {
        status: 200,
        schema: {
          name: "Compaction",
          schema: object({
            ...{ id: text, object: constant("response.compaction"), created_at: integer, usage: anything },
            output: listOf(object({ id: text, type: constant("compaction"), encrypted_content: text })),
          }),
        },
      },
    ],
    refusals: lostHistory,
  }),
  reads({
    id: "countResponseTokens",
    name: "responses.input_tokens",
    method: "post",
    path: "/v1/responses/input_tokens",
    tag: "chat",
    summary: both(
      "估算一次请求的输入 Token 数，不收费",
      "Estimate the input tokens of a request, free of charge",
    ),
    json,
    answers: [
      {
        status: 200,
        schema: {
          name: "ResponseTokenCount",
          schema: object({ object: constant("response.input_tokens"), input_tokens: integer }),
        },
      },
    ],
    refusals: [...modelRefusals, ...lostHistory],
  }),
  reads({
    ...stored,
    id: "getResponse",
    method: "get",
    summary: both("查询已保存或后台运行的响应", "Get a stored or background response"),
    parameters: [...stored.parameters, { name: "stream", in: "query" }],
    answers: [{ status: 200, schema: response }],
    refusals: ["invalidParameters", ...unknown],
  }),
  reads({
    ...stored,
    id: "deleteResponse",
    method: "delete",
    summary: both("删除一个响应", "Delete a response"),
    answers: [{ status: 200, schema: { name: "DeletedResponse", schema: deleted("response") } }],
    refusals: unknown,
  }),
  reads({
    ...stored,
    id: "listResponseInput",
    method: "get",
    path: `${stored.path}/input_items`,
    summary: both("列出一个响应的输入", "List the input items of a response"),
    parameters: [...stored.parameters, limit, order, after],
    answers: [{ status: 200, schema: itemPage }],
    refusals: ["invalidParameters", ...unknown],
  }),
  reads({
    ...stored,
    id: "cancelResponse",
    method: "post",
    path: `${stored.path}/cancel`,
    summary: both("取消后台响应", "Cancel a background response"),
    answers: [{ status: 200, schema: response }],
    refusals: ["notCancellable", ...unknown],
  }),
] as const;
