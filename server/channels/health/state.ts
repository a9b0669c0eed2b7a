import type { ChannelHealth } from "./registry";

/**
 * A channel's state in one word, the worst first. `open`: skipped for some seconds. `probing`: the next call tests it.
 * `resting`: a credential is not used for a while. `apart`: like `open` or `resting`, but only for single accounts,
 * whose requests may be the cause. `faulty`: its last call failed. `moved`: its calls go to other channels. `unused`: no
 * calls since its last change.
 */
const channelStates = [
  "disabled",
  "open",
  "probing",
  "resting",
  "apart",
  "faulty",
  "moved",
  "well",
  "unused",
] as const;
export type ChannelState = (typeof channelStates)[number];

/** Returns the state with this name. null: there is none. */
export const readChannelState = (word: string): ChannelState | null =>
  channelStates.find((state) => state === word) ?? null;

/** States that an operator should look at. */
export const isAiling = (state: ChannelState): boolean =>
  !(["disabled", "moved", "well", "unused"] as ChannelState[]).includes(state);

type HealthSample = Pick<
  ChannelHealth,
  "state" | "restingCredentials" | "accountsApart" | "lastFault" | "lastOkAt" | "attempts"
>;

/** The newest fault, unless a later call of the same operation succeeded. */
export function currentFault(samples: readonly HealthSample[]): ChannelHealth["lastFault"] {
  return samples
    .filter(({ lastFault, lastOkAt }) => lastFault && (lastOkAt === null || lastOkAt < lastFault.at))
    .map(({ lastFault }) => lastFault)
    .reduce((newest, fault) => (newest && fault && newest.at > fault.at ? newest : fault), null);
}

/** The state that every screen and command shows for a channel: the worst of its operations. */
export function stateOf(
  { isEnabled, isMovedOff }: { isEnabled: boolean; isMovedOff: boolean },
  samples: readonly HealthSample[],
): ChannelState {
  const isSo: Record<ChannelState, boolean> = {
    disabled: !isEnabled,
    open: samples.some(({ state }) => state === "open"),
    probing: samples.some(({ state }) => state === "half_open"),
    resting: samples.some(({ restingCredentials }) => restingCredentials.length > 0),
    apart: samples.some(({ accountsApart }) => accountsApart > 0),
    faulty: currentFault(samples) !== null,
    moved: isMovedOff,
    well: samples.some(({ attempts }) => attempts > 0),
    unused: true,
  };
  return channelStates.find((state) => isSo[state]) ?? "unused";
}
