import { both } from "@/server/base/language";
import {
  conversationItemsSchema,
  conversationSchema,
  conversationUpdateSchema,
} from "@/server/protocol/responses/conversation-request";
import { after, idOf, limit, once, order, reads, written } from "./endpoint";
import { itemPage } from "./responses";
import { constant, deleted, integer, object, text } from "./schema";

const conversation = {
  name: "Conversation",
  schema: object({
    ...{ id: text, object: constant("conversation"), created_at: integer, metadata: { type: "object" } },
  }),
};
const unknown = ["unknownConversation", "unknownPath"] as const;
const lostItems = ["responseNotKept", "conversationTooLong"] as const;
const named = { name: "conversations", label: "/v1/conversations/{id}", tag: "chat" } as const;
const known = {
  ...named,
  path: "/v1/conversations/{conversation_id}",
  parameters: [idOf("conversation_id")],
} as const;
const items = { ...known, path: `${known.path}/items` } as const;
const item = {
  ...known,
  path: `${items.path}/{item_id}`,
  parameters: [...known.parameters, idOf("item_id")],
} as const;

/** Stored conversations, and the items in them. The calls buy nothing; one that adds something adds it once. */
export const conversations = [
  reads({
    ...named,
    id: "createConversation",
    method: "post",
    path: "/v1/conversations",
    isIdempotent: true,
    summary: both("新建对话，可带初始条目", "Create a conversation, optionally with items"),
    json: { name: "ConversationRequest", schema: conversationSchema },
    isBodyOptional: true,
    answers: [{ status: 200, schema: conversation }],
    refusals: [...written, ...once, ...lostItems],
  }),
  reads({
    ...known,
    id: "getConversation",
    method: "get",
    summary: both("查询一个对话", "Show a conversation"),
    answers: [{ status: 200, schema: conversation }],
    refusals: unknown,
  }),
  reads({
    ...known,
    id: "updateConversation",
    method: "post",
    summary: both("替换对话的 metadata", "Replace a conversation's metadata"),
    json: { name: "ConversationUpdate", schema: conversationUpdateSchema },
    answers: [{ status: 200, schema: conversation }],
    refusals: [...written, ...unknown],
  }),
  reads({
    ...known,
    id: "deleteConversation",
    method: "delete",
    summary: both("删除对话及只属于它的条目", "Delete a conversation and the items that belong only to it"),
    answers: [
      { status: 200, schema: { name: "DeletedConversation", schema: deleted("conversation.deleted") } },
    ],
    refusals: unknown,
  }),
  reads({
    ...items,
    id: "addConversationItems",
    method: "post",
    isIdempotent: true,
    summary: both("向对话添加条目", "Add items to a conversation"),
    json: { name: "ConversationItemsRequest", schema: conversationItemsSchema },
    answers: [{ status: 200, schema: itemPage }],
    refusals: [...written, ...once, ...unknown, ...lostItems],
  }),
  reads({
    ...items,
    id: "listConversationItems",
    method: "get",
    summary: both("列出对话的条目", "List a conversation's items"),
    parameters: [...items.parameters, limit, order, after],
    answers: [{ status: 200, schema: itemPage }],
    refusals: ["invalidParameters", ...unknown, "conversationTooLong"],
  }),
  reads({
    ...item,
    id: "getConversationItem",
    method: "get",
    summary: both("查询对话中的一个条目", "Show an item of a conversation"),
    answers: [
      { status: 200, schema: { name: "ConversationItem", schema: object({ id: text, type: text }) } },
    ],
    refusals: [...unknown, "conversationTooLong"],
  }),
  reads({
    ...item,
    id: "deleteConversationItem",
    method: "delete",
    summary: both("从对话中删除一个条目", "Delete an item of a conversation"),
    answers: [{ status: 200, schema: conversation }],
    refusals: [...unknown, "conversationTooLong"],
  }),
] as const;
