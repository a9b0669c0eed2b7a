import { randomBytes } from "node:crypto";

/**
 * Identifiers of responses, of their items and of conversations. An item's identifier contains its response's random
 * part, so that a reference to an item names the response that it came with.
 */
const RANDOM_BYTES = 20;
const RANDOM_CHARACTERS = 2 * RANDOM_BYTES;
const POSITION_CHARACTERS = 4;

/** Clients check the prefix of an identifier that they send back. */
const prefixes = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
  web_search_call: "ws",
  file_search_call: "fs",
  code_interpreter_call: "ci",
  image_generation_call: "ig",
} as const;
export type ItemKind = keyof typeof prefixes;

/**
 * Whether the gateway names items of this type. Other items may name an item of another type by its vendor's
 * identifier.
 */
export const isItemKind = (type: unknown): type is ItemKind =>
  typeof type === "string" && Object.hasOwn(prefixes, type);

export const mintResponseId = (): string => `resp_${randomBytes(RANDOM_BYTES).toString("hex")}`;

export const mintConversationId = (): string => `conv_${randomBytes(RANDOM_BYTES).toString("hex")}`;

/** `position`: the item's index in its response's output, from 0. */
export const mintItemId = (responseId: string, kind: ItemKind, position: number): string =>
  `${prefixes[kind]}_${responseId.slice("resp_".length)}${position.toString(16).padStart(POSITION_CHARACTERS, "0")}`;

const ITEM_ID = new RegExp(
  `^(?:${Object.values(prefixes).join("|")})_([0-9a-f]{${RANDOM_CHARACTERS}})[0-9a-f]{${POSITION_CHARACTERS}}$`,
);
const RESPONSE_ID = new RegExp(`^resp_[0-9a-f]{${RANDOM_CHARACTERS}}$`);

const CONVERSATION_ID = new RegExp(`^conv_[0-9a-f]{${RANDOM_CHARACTERS}}$`);

/** The response that an item came with. null: the gateway did not make this identifier. */
export function responseIdOf(itemId: string): string | null {
  const [, random] = ITEM_ID.exec(itemId) ?? [];
  return random === undefined ? null : `resp_${random}`;
}

export const isResponseId = (id: string): boolean => RESPONSE_ID.test(id);

export const isConversationId = (id: string): boolean => CONVERSATION_ID.test(id);
