import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { link, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { systemClock } from "@/server/base/clock";
import {
  archiveLines,
  type Closing,
  closeMonth,
  currentPeriod,
  latestClosings,
  type NotClosed,
  readArchive,
} from "@/server/billing";
import { patient } from "@/server/db";
import { ledgerOperations } from "@/server/operations";
import { type Command, type Context, need } from "./command";
import { Findings, reasonOf } from "./findings";
import { monthOf } from "./ledger-check";
import { operate } from "./operate";

const REASONS: Record<NotClosed, string> = {
  current: "it is not over",
  open: "calls or video tasks have money frozen in it: it can be closed when they have ended",
  drift: "its books are not right: ledger verify names what differs",
  archived: "its entries are in an archive already",
  unknown: "the ledger has no such month",
};

/** The lines of a compressed file, and what the file's SHA-256 is when all of them have been read. */
function readLines(path: string) {
  const hash = createHash("sha256");
  const file = createReadStream(path);
  file.on("data", (chunk) => hash.update(chunk));
  const unpacked = createGunzip();
  // Whoever reads the lines is told.
  pipeline(file, unpacked).catch((error: unknown) => unpacked.destroy(error as Error));
  return {
    lines: createInterface({ input: unpacked, crlfDelay: Number.POSITIVE_INFINITY }),
    sum: () => hash.digest("hex"),
  };
}

async function read(path: string) {
  const { lines, sum } = readLines(path);
  const archive = await readArchive(lines);
  return { ...archive, checksum: sum() };
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "EEXIST";

/** What a file is called is on disk when its directory is. */
async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  await file.sync().finally(() => file.close());
}

/**
 * Written beside, and named when it is whole and on disk. A file that has the name already stays as it is: whoever
 * reads it back finds out whether it is the same.
 */
async function writeFile(path: string, lines: AsyncIterable<string>): Promise<void> {
  const written = `${path}.${randomUUID()}`;
  async function* text() {
    for await (const line of lines) {
      yield `${line}\n`;
    }
  }
  try {
    await pipeline(
      Readable.from(text()),
      createGzip(),
      createWriteStream(written, { flags: "wx", mode: 0o600 }),
    );
    await sync(written);
    // Unlike a renaming, it replaces nothing.
    await link(written, path).catch((error: unknown) => {
      if (!isTaken(error)) {
        throw error;
      }
    });
    await sync(dirname(path));
  } finally {
    await rm(written, { force: true });
  }
}

/** An archive's checksum, and what is not as it should be about it, by its own words and by what the database has. */
async function examine({ database }: Context, path: string): Promise<{ checksum: string; faults: string[] }> {
  const { head, entries, sums, checksum } = await read(path).catch((error: unknown) => {
    throw new Error(`${path} cannot be read as an archive: ${reasonOf(error)}`, { cause: error });
  });
  const closing = (await latestClosings(database)).get(head.period);
  const faults = [
    ...(entries === head.entries ? [] : [`it has ${entries} entries of ${head.entries}`]),
    ...(sums === head.sums ? [] : ["its entries do not add up to what it says"]),
    ...(closing ? [] : [`${head.period} is not closed in this database`]),
    ...(closing && (closing.digest !== head.digest || closing.sums !== head.sums)
      ? [`${head.period} has been closed with other sums in this database`]
      : []),
    ...(closing?.archive && closing.archive !== checksum
      ? ["it is not the file that its month was archived to"]
      : []),
  ];
  return { checksum, faults };
}

/** Answers the checksum of an archive. Throws Findings, or what kept it from looking. */
async function verified(context: Context, path: string): Promise<string> {
  const { checksum, faults } = await examine(context, path);
  if (faults.length > 0) {
    throw new Findings(
      `${path} is not what was archived`,
      faults.map((fault) => ({ fault })),
    );
  }
  return checksum;
}

/** `ledger verify --archive`. */
export async function verifyArchive(context: Context, path: string): Promise<{ ok: true; archive: string }> {
  await verified(context, path);
  return { ok: true, archive: path };
}

async function closed({ database, config }: Context, period: string): Promise<Closing> {
  const openPeriod = currentPeriod(config.BILLING_TIMEZONE, systemClock());
  const closing = await closeMonth(database, { period, openPeriod });
  if (typeof closing === "string") {
    throw new Error(`${period} is not closed: ${REASONS[closing]}`);
  }
  return closing;
}

export const archive: Command = {
  summary:
    "Close a month and write its entries to a compressed file; with --drop they leave the database for it once it is verified",
  flags: {
    month: { type: "string", required: true },
    to: { type: "string", required: true },
    drop: { type: "boolean" },
  },
  run: async (context, values) => {
    const period = monthOf(need(values, "month"));
    const closing = await closed(context, period);
    const path = join(need(values, "to"), `ledger-${period}-${closing.number}.jsonl.gz`);
    await writeFile(path, archiveLines(context.database, closing));
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
