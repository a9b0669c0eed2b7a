import fc from "fast-check";

/** What is killed without a warning: of a dozen and a half each has its share, in an order of their own. */
const ROUND = [
  /** One of the processes that answer calls. */
  ...(["gateway", "gateway", "gateway", "gateway", "gateway"] as const),
  ...(["console", "console"] as const),
  /** Its children finish what they have and go, while the next server starts. */
  "parent",
  /** All processes of the server; its PostgreSQL stays without one. */
  ...(["server", "server"] as const),
  ...(["postmaster", "postmaster", "postmaster"] as const),
  /** One of PostgreSQL's processes: it ends all others and recovers. */
  ...(["backend", "backend", "backend", "backend"] as const),
  /** The server, the postmaster and all of its processes at once. */
  "everything",
] as const;

export type Victim = (typeof ROUND)[number];

/** `pick`: which of several; `pauseMs`: how long nothing is killed before. */
export type Strike = { victim: Victim; pick: number; pauseMs: number };

const circumstances = fc.record({ pick: fc.nat(1_000), pauseMs: fc.integer({ min: 200, max: 1_500 }) });
const round: fc.Arbitrary<Strike[]> = fc
  .tuple(
    fc.shuffledSubarray([...ROUND], { minLength: ROUND.length }),
    fc.array(circumstances, { minLength: ROUND.length, maxLength: ROUND.length }),
  )
  .map(([victims, each]) => each.map((of, index) => ({ victim: victims[index] ?? "gateway", ...of })));

/** The same strikes in the same order for the same seed; more of them begin alike. */
export const planOf = (seed: number, kills: number): Strike[] =>
  fc
    .sample(fc.noBias(round), { seed, numRuns: Math.ceil(kills / ROUND.length) })
    .flat()
    .slice(0, kills);
