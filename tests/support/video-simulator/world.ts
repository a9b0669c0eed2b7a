import type { Call, Dialect, Refusal, Reply } from "./dialect";
import type { Ledger } from "./ledger";
import type { WireFault } from "./script";
import type { Tasks } from "./tasks";

export type World = {
  now: () => number;
  origin: () => string;
  /** Key -> account. A key that is not here is refused. */
  accounts: Map<string, string>;
  tasks: Tasks;
  ledger: Ledger;
  /** Tasks of an account that may wait; more are refused. */
  queueLimit: number;
};

/** A call whose key is known, or `account` is empty. */
export type Asking = { dialect: Dialect; call: Call; key: string; account: string };

/** What goes out, and what then happens to it on the way. */
export type Outgoing = { reply: Reply; fault: WireFault | null };

/** Faults that a vendor's own words tell; the others are the transport's. */
const SPOKEN: Partial<Record<WireFault, Exclude<Refusal, { about: string }>>> = {
  "429": { kind: "tooMany" },
  "500": { kind: "internal" },
  "503": { kind: "unavailable" },
  arrears: { kind: "arrears" },
  "key-revoked": { kind: "badKey" },
};

/** What a fault makes of a reply; to those of the transport it goes whole. */
export function spoil(
  dialect: Dialect,
  { fault, whole }: { fault: WireFault; whole: { reply: Reply; taskId: string } },
): Outgoing {
  const refusal = SPOKEN[fault];
  if (refusal) {
    return { reply: dialect.refuse(refusal), fault: null };
  }
  return fault === "unknown-task"
    ? { reply: dialect.refuse({ kind: "unknownTask", about: whole.taskId }), fault: null }
    : { reply: whole.reply, fault };
}
