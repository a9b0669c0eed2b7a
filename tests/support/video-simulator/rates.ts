/** Calls a second and account, as the vendor counts them. `retryAfterSeconds` null: its 429 does not say when. */
export type RateLimits = {
  submitsPerSecond: number;
  pollsPerSecond: number;
  retryAfterSeconds: number | null;
};

export const vendorRateLimits: RateLimits = {
  submitsPerSecond: 2,
  pollsPerSecond: 20,
  retryAfterSeconds: null,
};

export type Rates = { take: (account: string, kind: "submit" | "poll") => boolean };

/** A window that slides over the last simulated second. */
export function createRates(limits: RateLimits | null, now: () => number): Rates {
  const taken = new Map<string, number[]>();
  return {
    take: (account, kind) => {
      if (!limits) {
        return true;
      }
      const most = kind === "submit" ? limits.submitsPerSecond : limits.pollsPerSecond;
      const name = `${kind} ${account}`;
      const recent = (taken.get(name) ?? []).filter((time) => time > now() - 1_000);
      const isFree = recent.length < most;
      taken.set(name, isFree ? [...recent, now()] : recent);
      return isFree;
    },
  };
}
