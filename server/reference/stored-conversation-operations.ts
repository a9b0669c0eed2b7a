/** Stored conversations: the operations below `/v1/conversations`. */
import { after, type DocumentedOperation, idOf, limit, once, order, reads, written } from "./operation";
import { both } from "./texts";

const path = "/v1/conversations/{conversation_id}";
const id = idOf("conversation_id");
const unknown = ["unknownConversation", "unknownPath"] as const;

export const storedConversations: DocumentedOperation[] = [
  reads({
    id: "createConversation",
    method: "post",
    path: "/v1/conversations",
    tag: "chat",
    summary: both("新建对话，可带初始条目", "Create a conversation, optionally with items"),
    json: "ConversationRequest",
    isBodyOptional: true,
    answers: [{ status: 200, schema: "Conversation" }],
    refusals: [...written, ...once, "responseNotKept", "conversationTooLong"],
  }),
  reads({
    id: "getConversation",
    method: "get",
    path,
    tag: "chat",
    summary: both("查询一个对话", "Show a conversation"),
    parameters: [id],
    answers: [{ status: 200, schema: "Conversation" }],
    refusals: unknown,
  }),
  reads({
    id: "updateConversation",
    method: "post",
    path,
    tag: "chat",
    summary: both("替换对话的 metadata", "Replace a conversation's metadata"),
    parameters: [id],
    json: "ConversationUpdate",
    answers: [{ status: 200, schema: "Conversation" }],
    refusals: [...written, ...unknown],
  }),
  reads({
    id: "deleteConversation",
    method: "delete",
    path,
    tag: "chat",
    summary: both("删除对话及只属于它的条目", "Delete a conversation and the items that belong only to it"),
    parameters: [id],
    answers: [{ status: 200, schema: "DeletedConversation" }],
    refusals: unknown,
  }),
  reads({
    id: "addConversationItems",
    method: "post",
    path: `${path}/items`,
    tag: "chat",
    summary: both("向对话添加条目", "Add items to a conversation"),
    parameters: [id],
    json: "ConversationItemsRequest",
    answers: [{ status: 200, schema: "ResponseItems" }],
    refusals: [...written, ...once, ...unknown, "responseNotKept", "conversationTooLong"],
  }),
  reads({
    id: "listConversationItems",
    method: "get",
    path: `${path}/items`,
    tag: "chat",
    summary: both("列出对话的条目", "List a conversation's items"),
    parameters: [id, limit, order, after],
    answers: [{ status: 200, schema: "ResponseItems" }],
    refusals: ["invalidParameters", ...unknown, "conversationTooLong"],
  }),
  reads({
    id: "getConversationItem",
    method: "get",
    path: `${path}/items/{item_id}`,
    tag: "chat",
    summary: both("查询对话中的一个条目", "Show an item of a conversation"),
    parameters: [id, idOf("item_id")],
    answers: [{ status: 200, schema: "ConversationItem" }],
    refusals: [...unknown, "conversationTooLong"],
  }),
  reads({
    id: "deleteConversationItem",
    method: "delete",
    path: `${path}/items/{item_id}`,
    tag: "chat",
    summary: both("从对话中删除一个条目", "Delete an item of a conversation"),
    parameters: [id, idOf("item_id")],
    answers: [{ status: 200, schema: "Conversation" }],
    refusals: [...unknown, "conversationTooLong"],
  }),
];
