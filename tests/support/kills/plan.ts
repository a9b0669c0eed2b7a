import fc from "fast-check";

/** The targets of kills without a warning. In a dozen and a half kills each has its share, in a random order. */
const ROUND = [
  /** One of the processes that answer calls. */
  ...(["gateway", "gateway", "gateway", "gateway", "gateway"] as const),
  ...(["console", "console"] as const),
  /** Its children finish their calls and exit while the next server starts. */
  "parent",
  /** All processes of the server; its PostgreSQL continues without one. */
  ...(["server", "server"] as const),
  ...(["postmaster", "postmaster", "postmaster"] as const),
  /** One of PostgreSQL's processes: the postmaster then ends all others and recovers. */
  ...(["backend", "backend", "backend", "backend"] as const),
  /** The server, the postmaster and all of its processes at once. */
  "everything",
] as const;

export type Victim = (typeof ROUND)[number];

/** `pick`: which of several; `pauseMs`: the pause before the kill. */
export type Strike = { victim: Victim; pick: number; pauseMs: number };

const circumstances = fc.record({ pick: fc.nat(1_000), pauseMs: fc.integer({ min: 200, max: 1_500 }) });
const round: fc.Arbitrary<Strike[]> = fc
  .tuple(
    fc.shuffledSubarray([...ROUND], { minLength: ROUND.length }),
    fc.array(circumstances, { minLength: ROUND.length, maxLength: ROUND.length }),
  )
  .map(([victims, each]) =>
    each.map((circumstance, index) => ({ victim: victims[index] ?? "gateway", ...circumstance })),
  );

/** The same strikes in the same order for the same seed; a longer plan begins in the same way. */
export const planOf = (seed: number, kills: number): Strike[] =>
  fc
    .sample(fc.noBias(round), { seed, numRuns: Math.ceil(kills / ROUND.length) })
    .flat()
    .slice(0, kills);
