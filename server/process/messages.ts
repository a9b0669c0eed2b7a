import type { ListenOptions } from "node:net";
import type { PoolName, ShareRefusal, Want } from "@/server/domain/shares";

/** A process's metrics as plain data. */
export type ProcessMetrics = {
  name: string;
  type: unknown;
  aggregator: string;
  values: { value: unknown }[];
}[];

/** Messages from the parent to its processes. */
export type ToChild =
  | { kind: "listen"; at: ListenOptions }
  | { kind: "drain"; isHurried: boolean }
  | { kind: "ping" }
  | { kind: "answers"; answers: [id: number, refused: ShareRefusal | null][] }
  | { kind: "measure"; id: number }
  | { kind: "metrics"; id: number; text: string };

/** Messages from the processes to the parent. */
export type ToParent =
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
