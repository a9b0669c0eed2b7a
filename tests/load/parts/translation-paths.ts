import { type Dialect, dialects, modelOf } from "../dialects";
import type { Call } from "../workloads/read-stream";

/** A client of one dialect and an upstream of the same (passed through) or of the other (translated). */
export type Path = { client: Dialect; upstream: Dialect };

export const paths: Path[] = dialects.flatMap((client) => dialects.map((upstream) => ({ client, upstream })));

export const nameOf = ({ client, upstream }: Path) => `${client} client, ${upstream} upstream`;

/** How events come: one alone, as from a model, or a flood, as fast as the slowest of those on the way can. */
export const arrivals = ["paced", "flood"] as const;
export type Arrival = (typeof arrivals)[number];

/** Microseconds an event: until it was with the client, and the gateway's processor time (0 where there is none). */
export type Spent = { wall: number; cpu: number };

/** One round: by `nameOf` through the gateway, by dialect from the upstream alone. */
export type Round = Record<Arrival, { gateway: Map<string, Spent>; alone: Map<Dialect, Spent> }>;

export const callOf = ({ client, upstream }: Path, arrival: Arrival, events: number): Call => ({
  dialect: client,
  model: modelOf(upstream, arrival),
  events,
});
