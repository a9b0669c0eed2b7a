/** A history in rounds, for dialects in which the results of calls directly follow the turn that made them. */
import type { Block, ResultBlock, TextBlock, Turn } from "./conversation";

/** The assistant's turns, and all turns up to its next one. */
export type Round = { turns: Turn[]; replies: Turn[] };

export const blocksOf = (turns: Turn[]): Block[] => turns.flatMap((turn): Block[] => turn.blocks);

/** The first round has no turns of the assistant if the user began. */
export function splitRounds(turns: Turn[]): Round[] {
  let round: Round = { turns: [], replies: [] };
  const rounds = [round];
  for (const turn of turns) {
    if (turn.role !== "assistant") {
      round.replies.push(turn);
      continue;
    }
    if (round.replies.length > 0) {
      round = { turns: [], replies: [] };
      rounds.push(round);
    }
    round.turns.push(turn);
  }
  return rounds;
}

/** Returns a round's results by the call's key, each list in reverse order, so that `pop` takes the first. */
function groupResults(replies: Turn[], keyOf: (callId: string) => string): Map<string, ResultBlock[]> {
  const groups = new Map<string, ResultBlock[]>();
  for (const block of blocksOf(replies).reverse()) {
    if (block.type === "result") {
      const key = keyOf(block.callId);
      const group = groups.get(key) ?? [];
      groups.set(key, group);
      group.push(block);
    }
  }
  return groups;
}

/** A round's calls and results in pairs. */
export type RoundResults = {
  /** The result of each call, in the order of the calls. undefined: the call has none. */
  ofCalls: readonly (ResultBlock | undefined)[];
  /** Whether a result belongs to a call. */
  isPaired: (block: Block) => boolean;
};

/**
 * Pairs calls with results. If two calls share a key, the second gets the second result. A result without an identifier
 * belongs to the only call that has no result. `keys`: of the calls, in order; `keyOf`: the key that a result names.
 */
export function pairResults(
  keys: string[],
  replies: Turn[],
  keyOf: (callId: string) => string = (callId) => callId,
): RoundResults {
  const groups = groupResults(replies, keyOf);
  const places = keys.flatMap((key, place) => (groups.has(key) ? [] : [place]));
  const sole = places.length === 1 ? places[0] : null;
  const ofCalls = keys.map(
    (key, place) => groups.get(key)?.pop() ?? (place === sole ? groups.get("")?.pop() : undefined),
  );
  const paired = new Set<Block | undefined>(ofCalls);
  return { ofCalls, isPaired: (block) => paired.has(block) };
}

/** The text for a call without a result: upstreams want one result for each call. */
export const NO_RESULT = "[no result]";

/** Joins the texts that are not empty. */
export const joinTexts = (blocks: TextBlock[]): string =>
  blocks
    .map(({ text }) => text)
    .filter((text) => text !== "")
    .join("\n\n");
