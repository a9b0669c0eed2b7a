import { join } from "node:path";
import { systemClock } from "@/server/base/clock";
import { linesOf } from "@/server/base/lines";
import {
  archiveLines,
  type Closing,
  closeMonth,
  latestClosings,
  type NotClosed,
  readArchive,
} from "@/server/billing";
import { patient } from "@/server/db";
import { currentPeriod } from "@/server/domain/period";
import { ledgerOperations } from "@/server/operations";
import { type Command, type CommandContext, need } from "./command";
import { readCompressed, writeCompressed } from "./compressed-file";
import { CheckFailed, reasonOf } from "./findings";
import { monthOf } from "./ledger-check";
import { operate } from "./operate";

const REASONS: Record<NotClosed, string> = {
  current: "the month is not over",
  open: "requests or video tasks still have money on hold in it; close it after they end",
  drift: "its sums do not match its entries; run ledger verify",
  archived: "its entries are already archived",
  unknown: "the ledger has no such month",
};

async function* textLines(pieces: AsyncIterable<Buffer>) {
  for await (const line of linesOf(pieces)) {
    yield line.toString("utf8");
  }
}

async function* withEnds(lines: AsyncIterable<string>) {
  for await (const line of lines) {
    yield `${line}\n`;
  }
}

async function read(path: string) {
  const { pieces, sum } = readCompressed(path);
  const archive = await readArchive(textLines(pieces));
  return { ...archive, checksum: sum() };
}

/** An archive's checksum and its faults, judged by its own head and by the database. */
async function examine(
  { database }: CommandContext,
  path: string,
): Promise<{ checksum: string; faults: string[] }> {
  const { head, entries, sums, checksum } = await read(path).catch((error: unknown) => {
    throw new Error(`${path} cannot be read as an archive: ${reasonOf(error)}`, { cause: error });
  });
  const closing = (await latestClosings(database)).get(head.period);
  const faults = [
    ...(entries === head.entries ? [] : [`it has ${entries} of ${head.entries} entries`]),
    ...(sums === head.sums ? [] : ["its entries do not match its sums"]),
    ...(closing ? [] : [`${head.period} is not closed in this database`]),
    ...(closing && (closing.digest !== head.digest || closing.sums !== head.sums)
      ? [`${head.period} was closed with different sums in this database`]
      : []),
    ...(closing?.archive && closing.archive !== checksum ? ["it is not the archive file of its month"] : []),
  ];
  return { checksum, faults };
}

/** Returns the checksum of an archive. Throws Findings, or the error that prevented the check. */
async function verified(context: CommandContext, path: string): Promise<string> {
  const { checksum, faults } = await examine(context, path);
  if (faults.length > 0) {
    throw new CheckFailed(
      `${path} does not match the archived month`,
      faults.map((fault) => ({ fault })),
    );
  }
  return checksum;
}

/** `ledger verify --archive`. */
export async function verifyArchive(
  context: CommandContext,
  path: string,
): Promise<{ ok: true; archive: string }> {
  await verified(context, path);
  return { ok: true, archive: path };
}

async function closed({ database, config }: CommandContext, period: string): Promise<Closing> {
  const openPeriod = currentPeriod(config.BILLING_TIMEZONE, systemClock());
  const closing = await closeMonth(database, { period, openPeriod });
  if (typeof closing === "string") {
    throw new Error(`${period} is not closed: ${REASONS[closing]}`);
  }
  return closing;
}

export const archive: Command = {
  summary:
    "Close a month and write its entries to a compressed file; --drop: delete them from the database after the file is verified",
  flags: {
    month: { type: "string", required: true },
    to: { type: "string", required: true },
    drop: { type: "boolean" },
  },
  run: async (context, values) => {
    const period = monthOf(need(values, "month"));
    const closing = await closed(context, period);
    const path = join(need(values, "to"), `ledger-${period}-${closing.number}.jsonl.gz`);
    // If the file exists already, it serves if it is the same archive, which is checked next.
    await writeCompressed(path, withEnds(archiveLines(context.database, closing)));
    const checksum = await verified(context, path);
    const isDropped = values.drop === true;
    if (isDropped) {
      const { number } = closing;
      // Entries are counted once more, which may take minutes.
      const door = { ...context, db: patient(context.database) };
      await operate(door, ledgerOperations.archive, { period, number, archive: checksum });
    }
    return { month: period, entries: closing.entries, file: path, sha256: checksum, dropped: isDropped };
  },
};
