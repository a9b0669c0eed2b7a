/**
 * Prompt cache marks of a messages request: sets marks for clients that set none, and removes marks above the vendor's
 * limit.
 */
import { type JsonObject, objects } from "../fields";
import { type CachePlan, reaches } from "../prompt-cache";

/** The upstream refuses more marks. */
const MAX_MARKS = 4;

/** Adds the marked blocks to `matches`, nested ones included, in the order of the prompt. */
function findMarked(blocks: unknown, matches: JsonObject[]): void {
  for (const block of objects(blocks)) {
    findMarked(block.content, matches);
    if (block.cache_control) {
      matches.push(block);
    }
  }
}

function marked({ tools, system, messages }: JsonObject): JsonObject[] {
  const matches = objects(tools).filter((tool) => tool.cache_control);
  findMarked(system, matches);
  findMarked(messages, matches);
  return matches;
}

/** The last block of each of the user's last two turns: one of them ended the previous prompt. */
const lastOfTurns = (messages: unknown): JsonObject[] =>
  objects(messages)
    .filter(({ role }) => role === "user")
    .slice(-2)
    .flatMap(({ content }) => objects(content).slice(-1));

/**
 * If the client has marked nothing, marks the prefixes that the next prompt will share: the tools, the system text, and
 * the turns of a conversation that continues. Changes the request that it is given.
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
  if (!plan.continues || !plan.isLong) {
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
 * Removes the earliest prompt cache marks from a messages request that has too many: the latest cover the longest
 * prefix. Changes the blocks that it is given.
 */
export function keepLatestMarks(body: JsonObject): void {
  for (const block of marked(body).slice(0, -MAX_MARKS)) {
    delete block.cache_control;
  }
}
