import fc from "fast-check";
import type { UsageSource } from "@/server/domain/enums";

export const REPLICAS = 3;
export const ACCOUNTS = 2;
/** The monthly caps of each key of an account. */
export const CAPS = [null, 300n, 120n];

const account = fc.nat(ACCOUNTS - 1);
const replica = fc.nat(REPLICAS - 1);
// Few values, so that several ends meet at one hold; counted from the newest.
const pick = fc.nat(11);

/** A step with this weight among the others. */
export const stepOf = <K extends string, M extends object>(
  weight: number,
  kind: K,
  members: { [Name in keyof M]: fc.Arbitrary<M[Name]> },
) => ({ weight, arbitrary: fc.record(members).map((values) => ({ kind, ...values }) as { kind: K } & M) });

/** Any step of a history. */
export const op = fc.oneof(
  stepOf(6, "hold", {
    account,
    key: fc.nat(CAPS.length - 1),
    // Otherwise its process does not know the key's cap yet.
    knowsCap: fc.integer({ min: 0, max: 3 }).map((die) => die > 0),
    replica,
    amount: fc.bigInt({ min: 0n, max: 400n }),
    minimum: fc.option(fc.bigInt({ min: 0n, max: 100n })),
  }),
  stepOf(6, "capture", {
    pick,
    replica,
    // In hundredths of the hold: below it, at it, above it.
    share: fc.constantFrom(0n, 37n, 100n, 100n, 140n),
    source: fc.constantFrom<UsageSource>("upstream", "partial", "estimated"),
  }),
  stepOf(3, "release", { pick, replica }),
  stepOf(1, "top-up", { account, amount: fc.bigInt({ min: 1n, max: 300n }) }),
  stepOf(1, "quota", { account, amount: fc.bigInt({ min: 0n, max: 1_500n }) }),
  stepOf(1, "crash", { replica }),
  stepOf(1, "month", {}),
  // As the worker does it, for money that has become free since the month opened.
  stepOf(1, "carry", { account }),
);
export type Op = typeof op extends fc.Arbitrary<infer One> ? One : never;
