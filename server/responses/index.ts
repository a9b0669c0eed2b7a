/**
 * Responses: what accounts keep of the Responses API's answers, to go on from them. Hides how they are encrypted and
 * how a conversation is put together from them. Promises that a response is its account's alone, that a row says
 * nothing without its identifier, and that a conversation comes whole or not at all.
 */
export { createResponseStore, type ResponseStore, type StoredResponse } from "./store";
