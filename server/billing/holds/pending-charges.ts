import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Log } from "@/server/base/log";
import { nanos } from "@/server/base/money";
import { usageSources } from "@/server/domain/enums";
import { eachCount } from "@/server/pricing";
import type { KeyCharge, Settlement } from "./settlement";

/** The charge of a call that was delivered. */
export type DeliveredCharge = Omit<Settlement, "charge"> & { charge: KeyCharge };

/** Charges for delivered calls that the database has not accepted yet. */
export type PendingCharges = {
  /** Keeps a charge, in memory and on disk. Repeating it changes nothing. */
  keep: (settlement: DeliveredCharge) => void;
  /** Removes a charge that is in the ledger, or that will never get there. */
  drop: (requestId: string) => void;
  waiting: () => DeliveredCharge[];
  /** Loads the charges that earlier processes left on disk, up to the limit. Returns whether it loaded all of them. */
  load: () => Promise<boolean>;
  /** Waits until the disk holds exactly the charges that are kept. */
  written: () => Promise<void>;
};

/** Some 10 MB. An outage that fills this counts as permanent. */
const MAX_WAITING = 10_000;

const SUFFIX = ".json";

const Amount = z.string().regex(/^\d+$/).transform(nanos);
const Stored = z.object({
  requestId: z.string(),
  accountId: z.string().brand<"AccountId">(),
  period: z.string(),
  note: z.string().optional(),
  draw: z.object({ escrowId: z.string(), held: Amount }).optional(),
  charge: z.object({
    amount: Amount,
    usage: z
      .object({
        ...eachCount(() => z.number()),
        reasoningTokens: z.number(),
        units: z.record(z.string(), z.number()).optional(),
      })
      .nullable(),
    source: z.enum(usageSources).nullable(),
    prices: z.record(z.string(), Amount),
    keyId: z.string().brand<"KeyId">(),
    modelId: z.string(),
    channelId: z.string().brand<"ChannelId">().nullable(),
    cost: Amount.optional(),
  }),
});

/** The stored form of a charge: only what the ledger would store too, and no secret. */
export const describePendingCharge = ({
  requestId,
  accountId,
  period,
  note,
  draw,
  charge,
}: DeliveredCharge): string =>
  JSON.stringify({ requestId, accountId, period, note, draw, charge }, (_key, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );

/** The number of charges in a directory, whichever process wrote them. */
export async function countPendingCharges(directory: string): Promise<number> {
  return (await namesIn(directory)).length;
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => name.endsWith(SUFFIX));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return [];
    }
    throw error;
  }
}

/** Resolves when the file and its name would survive a power cut. */
async function writeDurably(directory: string, name: string, text: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, name);
  const file = await open(`${path}.new`, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  const entries = await open(directory, "r");
  await entries.sync().finally(() => entries.close());
}

/**
 * Stores one file per charge, named after its request: nothing needs compaction, two processes on one directory cannot
 * damage each other's files, and a file that is posted twice is charged once. `directory` null: in memory only.
 */
export function createPendingCharges(deps: {
  directory: string | null;
  log: Log;
  observe: (kind: "kept" | "lost") => void;
  onCount: (waiting: number) => void;
}): PendingCharges {
  const { directory, log } = deps;
  const kept = new Map<string, { settlement: DeliveredCharge; written: Promise<void> }>();
  const removals = new Set<Promise<void>>();
  const fileOf = (requestId: string) => `${encodeURIComponent(requestId)}${SUFFIX}`;

  async function write(settlement: DeliveredCharge): Promise<void> {
    if (directory === null) {
      return;
    }
    const text = describePendingCharge(settlement);
    await writeDurably(directory, fileOf(settlement.requestId), text).catch((error: unknown) =>
      log.error({ err: error, charge: text }, "a delivered call's charge is kept in memory only"),
    );
  }

  async function remove(requestId: string, written: Promise<void>): Promise<void> {
    await written;
    if (directory !== null) {
      await rm(join(directory, fileOf(requestId)), { force: true }).catch((error: unknown) =>
        // The next start posts it once more, which changes nothing.
        log.warn({ err: error, requestId }, "a charge that is in the ledger stays on disk"),
      );
    }
  }

  return {
    keep: (settlement) => {
      const { requestId } = settlement;
      if (kept.has(requestId)) {
        return;
      }
      if (kept.size >= MAX_WAITING) {
        deps.observe("lost");
        log.error(
          { charge: describePendingCharge(settlement) },
          "a delivered call is not charged: too many wait already",
        );
        return;
      }
      kept.set(requestId, { settlement, written: write(settlement) });
      deps.observe("kept");
      deps.onCount(kept.size);
    },
    drop: (requestId) => {
      const entry = kept.get(requestId);
      if (entry) {
        kept.delete(requestId);
        const removal = remove(requestId, entry.written).finally(() => removals.delete(removal));
        removals.add(removal);
        deps.onCount(kept.size);
      }
    },
    waiting: () => [...kept.values()].map(({ settlement }) => settlement),
    load: async () => {
      // Do not load a file that is about to be removed.
      await Promise.all(removals);
      for (const name of directory === null ? [] : await namesIn(directory)) {
        if (kept.size >= MAX_WAITING) {
          return false;
        }
        try {
          const settlement = Stored.parse(JSON.parse(await readFile(join(directory ?? "", name), "utf8")));
          if (!kept.has(settlement.requestId)) {
            kept.set(settlement.requestId, { settlement, written: Promise.resolve() });
          }
        } catch (error) {
          log.error({ err: error, name }, "a kept charge cannot be read");
        }
        deps.onCount(kept.size);
      }
      return true;
    },
    written: async () => {
      await Promise.all([...[...kept.values()].map(({ written }) => written), ...removals]);
    },
  };
}
