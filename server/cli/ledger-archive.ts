import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import {
  archiveLines,
  type Closing,
  closeMonth,
  dropArchived,
  latestClosings,
  type NotClosed,
  readArchive,
} from "@/server/billing";
import { type Command, type Context, need } from "./command";
import { Findings, reasonOf } from "./findings";
import { monthOf } from "./ledger-check";

const REASONS: Record<NotClosed, string> = {
  open: "calls or video tasks have money frozen in it: it can be closed when they have ended",
  drift: "its books are not right: ledger verify names what differs",
  archived: "its entries are in an archive already",
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

/** Written beside, and named when it is whole and on disk. Refuses a name that is taken. */
async function writeFile(path: string, lines: AsyncIterable<string>): Promise<void> {
  const written = `${path}.new`;
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
    const file = await open(written, "r");
    await file.sync().finally(() => file.close());
    await rename(written, path);
  } catch (error) {
    await rm(written, { force: true });
    throw error;
  }
}

/** What is not as it should be about an archive, by its own words and by what the database has of its month. */
async function faultsOf({ database }: Context, path: string): Promise<string[]> {
  const { head, entries, sums, checksum } = await read(path).catch((error: unknown) => {
    throw new Error(`${path} cannot be read as an archive: ${reasonOf(error)}`, { cause: error });
  });
  const closing = (await latestClosings(database)).get(head.period);
  return [
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
}

/** `ledger verify --archive`: throws Findings, or what kept it from looking. */
export async function verifyArchive(context: Context, path: string): Promise<{ ok: true; archive: string }> {
  const faults = await faultsOf(context, path);
  if (faults.length > 0) {
    throw new Findings(
      `${path} is not what was archived`,
      faults.map((fault) => ({ fault })),
    );
  }
  return { ok: true, archive: path };
}

async function closed({ database }: Context, period: string): Promise<Closing> {
  const closing = await closeMonth(database, period);
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
    await verifyArchive(context, path);
    const { checksum } = await read(path);
    const isDropped = values.drop === true && (await dropArchived(context.database, closing, checksum));
    if (values.drop === true && !isDropped) {
      throw new Error(
        `a charge came in ${period} meanwhile: nothing was dropped; the same command archives it anew`,
      );
    }
    return { month: period, entries: closing.entries, file: path, sha256: checksum, dropped: isDropped };
  },
};
