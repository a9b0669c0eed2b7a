/**
 * Responses: stored answers of the Responses API, which calls can continue, the conversations that consist of them, and
 * thinking between the calls of a tool loop. Hides how they are encrypted and how a conversation is put together.
 * Promises that a response belongs to its account only, that a row reveals nothing without its identifier, that a
 * conversation is returned whole or not at all, and that a response in the background ends once, together with its
 * hold.
 */
export { createBackgroundQueue } from "./background";
export type {
  BackgroundEnd as End,
  BackgroundOrder as Order,
  BackgroundQueue,
  BackgroundRequest as Asked,
  BackgroundTask,
} from "./background-task";
export type { Adding } from "./conversation-items";
export { isAnswered, type StoredConversation as Conversation } from "./conversation-pointer";
export { type ConversationStore, createConversationStore } from "./conversations";
export type { StoredResponse } from "./entry";
export { eraseResponses } from "./erase";
export { measureBackground } from "./measure";
export { createResponseStore, type ResponseStore } from "./store";
export { createThinkingStore, type ThinkingStore } from "./thinking";
