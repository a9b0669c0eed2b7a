/** Limits an upstream's counts to those that are plausible for the call. */
import type { ModelKind } from "@/server/domain/enums";
import { countPerPrice, type Units, unitNameOf } from "@/server/domain/units";
import { eachCount, type Most } from "@/server/pricing";
import { totalTokens, type Usage } from "@/server/protocol/usage/usage";

/**
 * The usage that a call's hold covers: input tokens, the output tokens of all its answers, and units. `tiers`: the
 * service tiers that the request names; left out: none.
 */
export type UsageCeiling = {
  kind: ModelKind;
  input: number;
  output: number;
  units: Units;
  tiers?: Most["tiers"];
};

/**
 * Our own count is at most this many times too low: vendors split text into other tokens, and rerankers into other
 * chunks.
 */
const SLACK = 4;

/**
 * The most that a vendor may add to a conversation: pages that its tools read, again for each of their rounds, and
 * thinking that no limit bounds.
 */
const CONVERSATION = { input: 4_000_000, output: 131_072, pieces: 1_000 };
/**
 * The most that a vendor may add to another call. A reranker reads the query again with each of a document's chunks:
 * 2,966 tokens were billed where we count 30. Ten pictures of the finest quality are 62,400 tokens, which no limit of
 * the model bounds.
 */
const OTHER = { input: 100_000, output: 65_536, pieces: 0 };

const isByToken = (unit: string): boolean =>
  countPerPrice(unit) === 1_000_000 && unitNameOf(unit) !== "character";

/** Returns `count` if it is plausible, else `frozen`. A count for which nothing is frozen costs nothing, and stays. */
const capped = (count: number, frozen: number, added: number): number =>
  count <= frozen * SLACK + added || frozen + added === 0 ? count : Math.min(count, frozen);

const sumOf = (units: Units, isSame: (unit: string) => boolean): number =>
  Object.entries(units).reduce((sum, [unit, count]) => sum + (isSame(unit) ? count : 0), 0);

function capUnits(units: Units, ceiling: UsageCeiling, added: typeof OTHER): Units {
  const capUnit = ([unit, count]: [string, number]): [string, number] => {
    const name = unitNameOf(unit);
    const frozen = sumOf(ceiling.units, (each) => unitNameOf(each) === name);
    const ofTokens = ceiling.input + ceiling.output;
    return [
      unit,
      isByToken(unit) && frozen === 0
        ? capped(count, ofTokens, added.input)
        : capped(count, name === "request" ? 1 : frozen, isByToken(unit) ? added.input : added.pieces),
    ];
  };
  return Object.fromEntries(Object.entries(units).map(capUnit));
}

/**
 * The usage to charge: replaces counts many times above the frozen ones by the frozen ones. Returns the same object if
 * all counts are plausible. An implausible input becomes plain input, because it is unknown which class is wrong.
 */
export function plausibleUsage(usage: Usage, ceiling: UsageCeiling): Usage {
  const added = ceiling.kind === "chat" ? CONVERSATION : OTHER;
  const output = capped(usage.outputTokens, ceiling.output, added.output);
  const input = totalTokens(usage) - usage.outputTokens;
  const units = usage.units && capUnits(usage.units, ceiling, added);
  const isCut =
    units !== undefined && Object.entries(units).some(([unit, count]) => count !== usage.units?.[unit]);
  const left = capped(input, ceiling.input, added.input);
  if (output === usage.outputTokens && left === input && !isCut) {
    return usage;
  }
  return {
    ...usage,
    ...(left !== input && {
      ...eachCount(() => 0),
      inputTokens: left,
      ...(usage.prompt !== undefined && { prompt: Math.min(usage.prompt, left) }),
    }),
    outputTokens: output,
    reasoningTokens: Math.min(usage.reasoningTokens, output),
    ...(units && { units }),
  };
}
