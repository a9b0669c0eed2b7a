import { randomBytes } from "node:crypto";

/**
 * One turn of a scripted vendor, in this order. It calls tools by their place in the request, because the names that
 * reach it may differ from the client's.
 */
export type ScriptedTurn = {
  thinking?: string;
  text?: string;
  calls?: { tool: number; arguments: Record<string, unknown> }[];
};

/** A tool call in a request's history, with its result. */
export type ToolUse = { id: string; name: string; input: unknown; output: string };

/** An unpredictable identifier, like vendors' own: no two conversations share one. */
export const mintId = (prefix: string): string => `${prefix}${randomBytes(12).toString("hex")}`;

/** Text in pieces of a few characters, as vendors stream it. */
export const pieces = (text: string): string[] => text.match(/.{1,7}/gsu) ?? [];
