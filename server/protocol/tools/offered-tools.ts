import type { Conversation, FunctionTool } from "../pivot/conversation";
import { mapToolNames, type ToolNames } from "./tool-names";

/**
 * The client's functions that the model may call, and their upstream names of at most `maxCharacters`. The client may
 * have declared more functions than it allows.
 */
export function offerTools(
  { tools, choice, allowed }: Conversation,
  maxCharacters: number,
): { offered: FunctionTool[]; names: ToolNames } {
  const offered = tools
    .filter((tool) => tool.type === "function")
    .filter(({ name }) => allowed?.has(name) ?? true);
  const forced = choice?.type === "tool" ? choice.name : null;
  const names = mapToolNames(
    offered.map(({ name }) => name),
    maxCharacters,
    forced,
  );
  return { offered, names };
}
