import type { ChannelHealth } from "./health-registry";

/**
 * How a channel is, in one word, the worst first. `open`: left alone for some seconds. `probing`: the next call tries
 * it. `resting`: a credential does. `apart`: as `open` or `resting`, but to single accounts, whose requests may be the
 * cause. `faulty`: its last call failed. `unused`: nobody has called it since it was changed.
 */
const channelStates = [
  "disabled",
  "open",
  "probing",
  "resting",
  "apart",
  "faulty",
  "well",
  "unused",
] as const;
export type ChannelState = (typeof channelStates)[number];

/** A state by its word. null: there is none of that name. */
export const readChannelState = (word: string): ChannelState | null =>
  channelStates.find((state) => state === word) ?? null;

/** Those that somebody should look at. */
export const isAiling = (state: ChannelState): boolean =>
  !(["disabled", "well", "unused"] as ChannelState[]).includes(state);

type Seen = Pick<
  ChannelHealth,
  "state" | "restingCredentials" | "accountsApart" | "lastFault" | "lastOkAt" | "attempts"
>;

/** The newest fault, unless a call of the same operation has gone well since. */
export function currentFault(seen: readonly Seen[]): ChannelHealth["lastFault"] {
  return seen
    .filter(({ lastFault, lastOkAt }) => lastFault && (lastOkAt === null || lastOkAt < lastFault.at))
    .map(({ lastFault }) => lastFault)
    .reduce((newest, fault) => (newest && fault && newest.at > fault.at ? newest : fault), null);
}

/** The one word that every screen and command says of a channel: the worst of its operations. */
export function stateOf({ isEnabled }: { isEnabled: boolean }, seen: readonly Seen[]): ChannelState {
  const isSo: Record<ChannelState, boolean> = {
    disabled: !isEnabled,
    open: seen.some(({ state }) => state === "open"),
    probing: seen.some(({ state }) => state === "half_open"),
    resting: seen.some(({ restingCredentials }) => restingCredentials.length > 0),
    apart: seen.some(({ accountsApart }) => accountsApart > 0),
    faulty: currentFault(seen) !== null,
    well: seen.some(({ attempts }) => attempts > 0),
    unused: true,
  };
  return channelStates.find((state) => isSo[state]) ?? "unused";
}
