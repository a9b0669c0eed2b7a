import { type JsonObject, objects } from "../fields";

/** The upstream refuses more. */
const MAX_MARKS = 4;

/** Blocks that may bear a mark, nested ones included, in the order in which they make up the prompt. */
function markable(blocks: unknown): JsonObject[] {
  return objects(blocks).flatMap((block) => [...markable(block.content), block]);
}

/**
 * Takes the earliest prompt cache marks off a messages request that has too many: the latest cover the longest prefix.
 * Changes the blocks that it is given.
 */
export function keepLatestMarks({ tools, system, messages }: JsonObject): void {
  const marked = [...objects(tools), ...markable(system), ...markable(messages)].filter(
    (block) => block.cache_control,
  );
  for (const block of marked.slice(0, -MAX_MARKS)) {
    delete block.cache_control;
  }
}
