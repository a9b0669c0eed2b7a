import type { Nanos } from "@/server/base/money";
import type { UsageSource } from "@/server/domain/enums";
import type { ChannelId, KeyId } from "@/server/domain/ids";
import type { Usage } from "@/server/protocol/usage/usage";
import type { HoldKey } from "./statements";

/** A charge. `usage` and its `source` are null if nothing is counted: a video has a price, no tokens. */
export type Charge = {
  amount: Nanos;
  usage: Usage | null;
  source: UsageSource | null;
  prices: Readonly<Record<string, Nanos>>;
  modelId: string;
  channelId: ChannelId | null;
  /** The amount due to the channel, if known. */
  cost?: Nanos | undefined;
  /** Unusual facts about the charge, for the ledger. */
  note?: string | undefined;
};

/** A charge with the key of its hold. */
export type KeyCharge = Charge & { keyId: KeyId };

/** The part of an escrow that a call holds. */
export type Drawn = { escrowId: string; held: Nanos };

export type Settlement = HoldKey & {
  /** null: nothing is charged, and the hold is returned. */
  charge: KeyCharge | null;
  note?: string | undefined;
  /** Set if an escrow pays for the call. */
  draw?: Drawn | undefined;
  /** Set if a part of the account's outage allowance pays for the call: the process that has the part. */
  part?: string | undefined;
  /**
   * The release of a hold that the sweeper counts as dead, or that it had returned before the call froze it again. The
   * ledger records a loss once.
   */
  wasLost?: boolean;
  /**
   * Charge although the hold is gone: if the sweeper counted its process as dead (`released`), and also if the hold
   * left no trace (`missing`), because the database lost it in a crash.
   */
  late?: "released" | "missing";
};

/**
 * `ended`: this settlement ended the call. `late`: it charged the call after its hold was lost. Otherwise an earlier
 * one ended it: `capture` or `release`, or `gone` if that committed too late to be seen.
 */
export type SettlementOutcome = "ended" | "late" | "capture" | "release" | "gone";

/** Tries once to end a hold. Resolves to whether it has ended as wanted, by this or an earlier try. */
export type TryEnd = (settlement: Settlement) => Promise<boolean>;

/** The charge of a call that was delivered, or that is about to be. */
export type DeliveredCharge = Omit<Settlement, "charge"> & { charge: KeyCharge };

export const isCharged = (settlement: Settlement): settlement is DeliveredCharge =>
  settlement.charge !== null;

/** Whether an escrow pays for the call. */
export const isDrawn = (settlement: Settlement): settlement is Settlement & { draw: Drawn } =>
  settlement.draw !== undefined;
