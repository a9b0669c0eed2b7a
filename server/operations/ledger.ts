import { z } from "zod";
import { getAccount } from "@/server/access";
import { formatMoney, type Nanos, nanos } from "@/server/base/money";
import { type Drift, dropArchived, repairMonth } from "@/server/billing";
import { Refusal } from "@/server/domain/refusal";
import { operation } from "./operation";
import { AccountId, Period } from "./schema";

/** One side of a drift for the audit log: the month's figures, and those of its keys by key. */
function sideOf(drift: Drift[], side: "recorded" | "recomputed"): Record<string, unknown> {
  const sums = new Map<string, Nanos>();
  for (const { figure, keyId, [side]: amount } of drift) {
    // The spend of a key is compared by model.
    const path = keyId === null ? figure : `${keyId} ${figure.replace("key_", "")}`;
    sums.set(path, nanos((sums.get(path) ?? 0n) + (amount ?? 0n)));
  }
  const keys: Record<string, Record<string, string>> = {};
  const figures: Record<string, string> = {};
  for (const [path, amount] of sums) {
    const [name = "", ofKey] = path.split(" ");
    if (ofKey === undefined) {
      figures[name] = formatMoney(amount);
    } else {
      keys[name] = { ...keys[name], [ofKey]: formatMoney(amount) };
    }
  }
  return Object.keys(keys).length > 0 ? { ...figures, keys } : figures;
}

/**
 * Repairs the sums of an account's month. For commands only, after a verification. Returns the drift that was repaired
 * and the drift that is left.
 */
export const repair = operation({
  needs: null,
  input: z.strictObject({ accountId: AccountId, period: Period }),
  run: async ({ db }, { accountId, period }) => {
    const { id, name } = await getAccount(db, accountId);
    const repair = await repairMonth(db, { accountId: id, period });
    const sums = repair.mended;
    return {
      action: "ledger.repair",
      accountId: id,
      target: { id, name },
      before: sideOf(sums, "recorded"),
      after: { period, ...sideOf(sums, "recomputed") },
      result: repair,
    };
  },
});

/**
 * Removes the entries of a closed month from the database, which are in an archive file (SHA-256). For commands only,
 * which have written and read that file. Returns the number of entries. Throws Refusal if an entry was added since.
 */
export const archive = operation({
  needs: null,
  input: z.strictObject({ period: Period, number: z.int(), archive: z.string() }),
  run: async ({ db }, archived) => {
    const dropped = await dropArchived(db, archived);
    if (dropped === null) {
      throw new Refusal(
        `a charge was booked in ${archived.period} in the meantime, so nothing was dropped; run the same command again`,
        null,
      );
    }
    return {
      action: "ledger.archive",
      accountId: null,
      target: { id: archived.period, name: archived.period },
      before: dropped,
      after: { number: archived.number, sha256: archived.archive },
      result: dropped,
    };
  },
});
