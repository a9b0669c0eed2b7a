import type { Clock } from "@/server/base/clock";
import type { Log } from "@/server/base/log";
import type { Database } from "@/server/db";
import type { OutageTerms } from "./outage";

/** Events for the metrics: what billing repaired, or could not repair. */
type Incident = "late" | "kept" | "lost" | "refused" | "hold_regained" | "hold_refused";

export type BillingDeps = {
  db: Database;
  clock: Clock;
  timeZone: string;
  log: Log;
  leaseSeconds?: number;
  /** The number of charges within two seconds that makes a payer busy. Money is set aside for busy payers. */
  busyCalls?: number;
  /** The directory for charges that wait while the database is away; they survive the process there. */
  arrearsDirectory?: string;
  /** Charges out of escrows wait for a file there, and not for the database (decision 75). */
  storesCharges?: boolean;
  /** The terms of calls that are sold while the database is away; only with `storesCharges`. */
  outage?: OutageTerms | null;
  observe?: (incident: Incident) => void;
  onArrears?: (waiting: number) => void;
  /** Receives the number of holds of dead processes that were returned. */
  onSwept?: (holds: number) => void;
  /** Whether the clock is reliable enough to determine the month. */
  isClockRight?: () => boolean;
  /** Why no call may be sold at the moment; null: it may. Calls that run already are charged in any case. */
  whyNotSell?: () => string | null;
  /** Whether a failover of the database can lose what it has confirmed. */
  mayLoseCommits?: () => boolean;
  /** Called after each write, with the database's error, or null after a success. */
  onWrite?: (error: unknown) => void;
};
