/** Takes over the parts of processes that have ended, for one that starts while the database is away. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { stopwatch } from "@/server/base/clock";
import type { Log } from "@/server/base/log";
import type { Vault } from "@/server/base/vault";
import type { DeliveredCharge } from "../holds/settlement";
import { chargeFilesIn, isMissing, readChargeFile } from "../journal/left-charges";
import { newWriter } from "../journal/writers";
import { ageMsOf, openKept, writeKept } from "./kept-parts";
import { claimParts, isOver, listPartFiles, type PartFile } from "./part-files";
import type { AdoptedPart } from "./parts";

/** `writer`: the name by which this process adopted them, and under which it must write its charges. */
export type Adopted = { writer: string; parts: AdoptedPart[] };

type Grounds = { directory: string; vault: Pick<Vault, "seal" | "open">; log: Log };

/** The charges in the files of an ended process. null: some cannot be read, so what is left of its parts is unknown. */
async function readCharges(directory: string, owner: string): Promise<DeliveredCharge[] | null> {
  const charges: DeliveredCharge[] = [];
  for (const name of (await chargeFilesIn(directory)).filter((each) => each.startsWith(`${owner}.`))) {
    try {
      const read = await readChargeFile(join(directory, name));
      if (read.damaged > 0) {
        return null;
      }
      charges.push(...read.charges);
    } catch (error) {
      // Another process has settled it. It has marked the parts as spent before.
      if (!isMissing(error)) {
        return null;
      }
    }
  }
  return charges;
}

/**
 * The order matters. The owner has ended, so it writes no more charges. Its charges are read before the claim: a process
 * that settles some of them marks the parts as spent first, and then the claim fails. What is left is written down before
 * it is sold, so that later adopters need only this process's charges.
 */
async function adoptFile(
  { directory, vault }: Grounds,
  file: PartFile,
  writer: string,
): Promise<AdoptedPart[] | string> {
  const charges = await readCharges(directory, file.owner);
  if (charges === null) {
    return "charges of its holder cannot be read";
  }
  const path = await claimParts(directory, file, writer);
  if (path === null) {
    return "another process has it, or its name is too long";
  }
  const kept = openKept(await readFile(path, "utf8"), vault);
  const ageMs = ageMsOf(kept);
  if (kept.holder !== file.holder || kept.owner !== file.owner || ageMs === null) {
    return "it does not say what is left: its last owner wrote nothing, or the clock was set back";
  }
  const left = kept.parts.flatMap(({ accountId, amount, usableForMs }) => {
    const charged = charges
      .filter((charge) => charge.part === file.holder && charge.accountId === accountId)
      .reduce((sum, { charge }) => sum + charge.amount, 0n);
    return amount > charged && usableForMs > ageMs
      ? [{ accountId, amount: amount - charged, usableForMs: usableForMs - ageMs }]
      : [];
  });
  await writeKept(path, { holder: file.holder, owner: writer, parts: left }, vault);
  const now = stopwatch();
  return left.map(({ accountId, amount, usableForMs }) => ({
    ...{ holder: file.holder, accountId, amount },
    usableUntil: now + usableForMs,
  }));
}

/** What cannot be proven to be left is not adopted, and the log says so. Throws the disk's errors. */
export async function adoptParts(grounds: Grounds): Promise<Adopted> {
  const { directory, log } = grounds;
  const writer = newWriter();
  const parts: AdoptedPart[] = [];
  for (const file of await listPartFiles(directory)) {
    if (file.state === "spent" || !(await isOver(file))) {
      continue;
    }
    try {
      const adopted = await adoptFile(grounds, file, writer);
      if (typeof adopted === "string") {
        log.warn({ part: file.name, reason: adopted }, "a part of outage allowances is not adopted");
      } else {
        parts.push(...adopted);
      }
    } catch (error) {
      log.warn({ part: file.name, err: error }, "a part of outage allowances is not adopted");
    }
  }
  return { writer, parts };
}
