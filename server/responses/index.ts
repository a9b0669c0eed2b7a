/**
 * Responses: what accounts keep of the Responses API's answers, to go on from them, the conversations that are made of
 * them, and thinking between the calls of a tool loop. Hides how they are encrypted and
 * how a conversation is put together from them. Promises that a response is its account's alone, that a row says
 * nothing without its identifier, that a conversation comes whole or not at all, and that a response in the background
 * ends once, its money with it.
 */
export { createBackgroundQueue } from "./background";
export type { Asked, BackgroundQueue, BackgroundTask, End, Order } from "./background-task";
export type { Adding } from "./conversation-items";
export { type Conversation, isAnswered } from "./conversation-pointer";
export { type ConversationStore, createConversationStore } from "./conversations";
export type { StoredResponse } from "./entry";
export { eraseResponses } from "./erase";
export { measureBackground } from "./measure";
export { createResponseStore, type ResponseStore } from "./store";
export { createThinkingStore, type ThinkingStore } from "./thinking";
