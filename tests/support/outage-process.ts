/** A live process in a history of outages. Its memory is our real code. */
import type { HoldRequest } from "@/server/billing/holds/holds";
import { createParts, type Parts } from "@/server/billing/outage/parts";

const USABLE_MS = 3_600_000;

export type OutageProcess = {
  id: string;
  /** The holder of what it sells: itself, or the reserve that it has claimed. */
  holder: string;
  parts: Parts;
  isCut: boolean;
  /** Its last request for a part has no answer yet. */
  isAsking: boolean;
  isDead: boolean;
  calls: Map<string, { request: HoldRequest; held: bigint }>;
  /** Those with a hold in the month. */
  heldCalls: Map<string, bigint>;
};

export const bootProcess = (id: string, now: () => number): OutageProcess => ({
  id,
  holder: id,
  parts: createParts({ usableMs: USABLE_MS, renewMs: 60_000, now }),
  isCut: false,
  isAsking: false,
  isDead: false,
  calls: new Map(),
  heldCalls: new Map(),
});
