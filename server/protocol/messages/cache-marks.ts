/** Prompt cache marks of a messages request: those of clients that set none, and no more than the vendor takes. */
import { type JsonObject, objects } from "../fields";
import { type CachePlan, reaches } from "../prompt-cache";

/** The upstream refuses more. */
const MAX_MARKS = 4;

/** Adds the blocks that bear a mark to `found`, nested ones included, in the order in which they make up the prompt. */
function findMarked(blocks: unknown, found: JsonObject[]): void {
  for (const block of objects(blocks)) {
    findMarked(block.content, found);
    if (block.cache_control) {
      found.push(block);
    }
  }
}

function marked({ tools, system, messages }: JsonObject): JsonObject[] {
  const found = objects(tools).filter((tool) => tool.cache_control);
  findMarked(system, found);
  findMarked(messages, found);
  return found;
}

/** The last block of each of the last two turns of the user: one was the end of the prompt before this one. */
const lastOfTurns = (messages: unknown): JsonObject[] =>
  objects(messages)
    .filter(({ role }) => role === "user")
    .slice(-2)
    .flatMap(({ content }) => objects(content).slice(-1));

/**
 * Marks what the next prompt will begin with, where the client has marked nothing: the tools, the system text, and in a
 * conversation that goes on its turns. Changes the request that it is given.
 */
export function markPrompt(body: JsonObject, plan: CachePlan): void {
  if (marked(body).length > 0) {
    return;
  }
  const { tools, system, messages } = body;
  const ends = [objects(tools).at(-1), objects(system).at(-1)];
  for (const [index, end] of ends.entries()) {
    if (end && reaches([tools, system].slice(0, index + 1), plan)) {
      end.cache_control = plan.mark;
    }
  }
  if (!plan.goesOn || !plan.isLong) {
    return;
  }
  if (plan.isAutomatic) {
    body.cache_control = plan.mark;
    return;
  }
  for (const block of lastOfTurns(messages)) {
    block.cache_control = plan.mark;
  }
}

/**
 * Takes the earliest prompt cache marks off a messages request that has too many: the latest cover the longest prefix.
 * Changes the blocks that it is given.
 */
export function keepLatestMarks(body: JsonObject): void {
  for (const block of marked(body).slice(0, -MAX_MARKS)) {
    delete block.cache_control;
  }
}
