import type { ListenOptions } from "node:net";
import type { PoolName, ShareRefusal, Want } from "@/server/domain/shares";
import type { FirstBoot } from "./first-boot";

/** A process's metrics as plain data. */
export type ProcessMetrics = {
  name: string;
  type: unknown;
  aggregator: string;
  values: { value: unknown }[];
}[];

/** Messages from the parent to its processes. */
export type ToChild =
  /** To the process that boots: the database runs. */
  | { kind: "boot"; url: string }
  /** The database can be used. `isStandIn`: it is away, and the process must do without it. */
  | { kind: "open"; isStandIn?: true }
  /** To a stand-in: the database can be used from now on. */
  | { kind: "reach" }
  /** `hasConsole`: the console has listened. */
  | { kind: "listen"; at: ListenOptions; hasConsole: boolean }
  /** The console listens for the first time. */
  | { kind: "console" }
  | { kind: "drain"; isHurried: boolean }
  | { kind: "ping" }
  | { kind: "answers"; answers: [id: number, refused: ShareRefusal | null][] }
  | { kind: "measure"; id: number }
  | { kind: "metrics"; id: number; text: string };

/** Messages from the processes to the parent. */
export type ToParent =
  /** The process that boots cannot reach the database, and tries again. */
  | { kind: "away" }
  /** The process that boots has brought the schema up to date. */
  | { kind: "migrated" }
  /** It has done all of its work, and ends. */
  | { kind: "booted"; made: FirstBoot }
  /** The program is loaded, and waits for `open`. */
  | { kind: "loaded" }
  | { kind: "prepared" }
  | { kind: "listening" }
  | { kind: "failed"; words: string }
  | { kind: "pong" }
  | {
      kind: "shares";
      given: [pool: PoolName, want: Want][];
      wants: [id: number, pool: PoolName, want: Want][];
    }
  | { kind: "measured"; id: number; metrics: ProcessMetrics }
  | { kind: "metrics"; id: number };
