/**
 * This process's parts of outage allowances on disk, sealed, for a process that starts while the database is away. Each
 * amount is at most the one that the database records, at any moment: it is lowered here before the database may give
 * the rest to others, and removed before a charge can come off it there.
 */
import { mkdir, open, rename, truncate } from "node:fs/promises";
import { uptime } from "node:os";
import { dirname } from "node:path";
import { z } from "zod";
import type { Vault } from "@/server/base/vault";
import type { AccountId } from "@/server/domain/ids";
import { syncDirectory } from "../journal/segment";
import { bootOf } from "../journal/writers";
import { partPath } from "./part-files";
import type { KeepablePart } from "./parts";

/** `owner`: the process that wrote it. `at`, `upMs`: when, by the clock and since the machine's start `boot`. */
const Kept = z.object({
  ...{ holder: z.string(), owner: z.string() },
  ...{ at: z.number(), upMs: z.number(), boot: z.string().nullable() },
  parts: z.array(
    z.object({
      accountId: z.custom<AccountId>((value) => typeof value === "string"),
      amount: z.string().regex(/^\d+$/).transform(BigInt),
      usableForMs: z.number(),
    }),
  ),
});
export type KeptFile = z.infer<typeof Kept>;

type Entry = KeptFile["parts"][number];

/** Throws if the text was sealed with other secrets, or altered, or is torn. */
export const openKept = (text: string, vault: Pick<Vault, "open">): KeptFile =>
  Kept.parse(JSON.parse(vault.open(text)));

/** How long ago the file was written. null: the clock has been set back, so nobody can say. */
export function ageMsOf({ at, upMs, boot }: Pick<KeptFile, "at" | "upMs" | "boot">): number | null {
  const byClock = Date.now() - at;
  if (byClock < 0) {
    return null;
  }
  return boot !== null && boot === bootOf() ? Math.max(byClock, uptime() * 1000 - upMs) : byClock;
}

/** Writes the file whole or not at all. When it returns, a power cut does not bring the former one back. */
export async function writeKept(
  path: string,
  { holder, owner, parts }: Pick<KeptFile, "holder" | "owner" | "parts">,
  vault: Pick<Vault, "seal">,
): Promise<void> {
  const written = { holder, owner, at: Date.now(), upMs: uptime() * 1000, boot: bootOf() };
  const text = JSON.stringify({
    ...written,
    parts: parts.map((part) => ({ ...part, amount: part.amount.toString() })),
  });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(`${path}.new`, "w", 0o600);
  try {
    await file.writeFile(vault.seal(text));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await syncDirectory(dirname(path));
}

type KeptDeps = {
  directory: string;
  processId: string;
  vault: Pick<Vault, "seal">;
  parts: () => KeepablePart[];
};

export function createKeptParts({ directory, processId, vault, parts }: KeptDeps) {
  let kept = new Map<AccountId, Entry>();
  let last: Promise<void> = Promise.resolve();
  let queued = 0;

  async function store(entries: Entry[]): Promise<void> {
    const path = partPath(directory, processId);
    try {
      await writeKept(path, { holder: processId, owner: processId, parts: entries }, vault);
      kept = new Map(entries.map((entry) => [entry.accountId, entry]));
    } catch (error) {
      // A full disk lets a file shrink. Without amounts nothing is adopted, and whose parts they are stays known.
      await truncate(path, 0);
      kept = new Map();
      throw error;
    }
  }

  /** One change after the other. */
  function enqueue(change: () => Promise<void>): Promise<void> {
    queued += 1;
    const done = last.then(change).finally(() => {
      queued -= 1;
    });
    last = done.catch(() => {});
    return done;
  }

  /** The kept entries, no higher than the parts are now. */
  function lowered(): Entry[] {
    return parts().flatMap(({ accountId, amount, usableForMs }) => {
      const known = kept.get(accountId);
      return known ? [{ accountId, amount: amount < known.amount ? amount : known.amount, usableForMs }] : [];
    });
  }

  return {
    /** Called before the database is asked for parts, or given some back. Throws the disk's error. */
    lower: () =>
      enqueue(async () => {
        const entries = lowered();
        const isSame =
          entries.length === kept.size &&
          entries.every(({ accountId, amount }) => kept.get(accountId)?.amount === amount);
        if (!isSame) {
          await store(entries);
        }
      }),
    /** The database has recorded this process's parts. A part whose charges are not in the ledger is not raised. */
    refresh: () =>
      enqueue(async () => {
        const busy = new Map(lowered().map((entry) => [entry.accountId, entry]));
        await store(
          parts().flatMap(({ accountId, amount, isQuiet, usableForMs }) => {
            const entry = isQuiet ? { accountId, amount, usableForMs } : busy.get(accountId);
            return entry && entry.amount > 0n ? [entry] : [];
          }),
        );
      }),
    /** A charge of this account is about to come off the part in the database. Throws the disk's error. */
    drop: (accountId: AccountId): Promise<void> | undefined =>
      queued === 0 && !kept.has(accountId)
        ? undefined
        : enqueue(async () => {
            if (kept.has(accountId)) {
              await store([...kept.values()].filter((entry) => entry.accountId !== accountId));
            }
          }),
  };
}
