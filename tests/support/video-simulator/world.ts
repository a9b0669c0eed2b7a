import type { VendorCall, VendorDialect, VendorRefusal, VendorReply } from "./dialect";
import type { Ledger } from "./ledger";
import type { WireFault } from "./script";
import type { Tasks } from "./tasks";

export type World = {
  now: () => number;
  origin: () => string;
  /** Key -> account. Any other key is refused. */
  accounts: Map<string, string>;
  tasks: Tasks;
  ledger: Ledger;
  /** The number of an account's tasks that may wait; more are refused. */
  queueLimit: number;
};

/** A call. `account` is empty if its key is unknown. */
export type IncomingCall = { dialect: VendorDialect; call: VendorCall; key: string; account: string };

/** An answer, and the fault that happens to it on the way. */
export type Outgoing = { reply: VendorReply; fault: WireFault | null };

/** Faults in the vendor's own answers; the others are the transport's. */
const SPOKEN: Partial<Record<WireFault, Exclude<VendorRefusal, { about: string }>>> = {
  "429": { kind: "tooMany" },
  "500": { kind: "internal" },
  "503": { kind: "unavailable" },
  arrears: { kind: "arrears" },
  "key-revoked": { kind: "badKey" },
};

/** Applies a fault to a reply; a transport fault gets the whole reply. */
export function spoil(
  dialect: VendorDialect,
  { fault, whole }: { fault: WireFault; whole: { reply: VendorReply; taskId: string } },
): Outgoing {
  const refusal = SPOKEN[fault];
  if (refusal) {
    return { reply: dialect.refuse(refusal), fault: null };
  }
  return fault === "unknown-task"
    ? { reply: dialect.refuse({ kind: "unknownTask", about: whole.taskId }), fault: null }
    : { reply: whole.reply, fault };
}
