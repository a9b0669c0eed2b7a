/** A file of a journal that this process writes: a header, and a line for each charge. */
import { constants, fstatSync } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { leftName } from "./writers";

/** A process goes on in a new file after this many bytes, some 8,000 charges. */
const FULL_BYTES = 4 * 1024 * 1024;

/** The header moves on when all lines are settled, or by this many bytes. */
const MARK_BYTES = 64 * 1024;

/** The header says where the first line stands whose charge is not in the ledger. */
const HEADER_BYTES = 16;
const header = (offset: number) => `${offset.toString().padStart(HEADER_BYTES - 1, "0")}\n`;

/** Returns the text of the lines whose charges may not be in the ledger. */
export function unsettledText(file: Buffer): string {
  const offset = Number(file.toString("latin1", 0, HEADER_BYTES));
  const isWhole = Number.isInteger(offset) && offset >= HEADER_BYTES && offset <= file.length;
  return file.toString("utf8", isWhole ? offset : HEADER_BYTES);
}

/** Makes the name of a new file survive a power cut. */
export async function syncDirectory(directory: string): Promise<void> {
  const entries = await open(directory, "r");
  await entries.sync().finally(() => entries.close());
}

async function closeAndRemove(path: string, handles: FileHandle[]): Promise<void> {
  await Promise.allSettled(handles.map((handle) => handle.close()));
  await rm(path, { force: true });
}

/**
 * Creates a file, and opens it twice: writes through `durable` wait for the disk. A lost header costs a second try at
 * charges that the ledger has, so its changes (`quick`) do not wait. Throws the error of the disk, and then leaves no file.
 */
async function createFile(path: string): Promise<{ durable: FileHandle; quick: FileHandle }> {
  const directory = dirname(path);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { O_APPEND, O_CREAT, O_DSYNC, O_EXCL, O_WRONLY } = constants;
  const durable = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_DSYNC, 0o600);
  const opened = [durable];
  try {
    await durable.writeFile(header(HEADER_BYTES));
    const quick = await open(path, O_WRONLY);
    opened.push(quick);
    await syncDirectory(directory);
    return { durable, quick };
  } catch (error) {
    await closeAndRemove(path, opened);
    throw error;
  }
}

export type Segment = Awaited<ReturnType<typeof createSegment>>;

/** Throws the error of the disk. */
export async function createSegment(path: string) {
  const { durable, quick } = await createFile(path);
  let size = HEADER_BYTES;
  let isBroken = false;
  /** The lines whose charges are not in the ledger, in the order of the file. */
  const lines = new Map<string, { offset: number; text: string }>();
  let marked = HEADER_BYTES;
  return {
    path,
    lines,
    /** Appends lines, which are on disk when it resolves. Throws the disk's error; then the file takes no more lines. */
    append: async (added: { requestId: string; text: string }[]): Promise<void> => {
      const bytes = Buffer.from(added.map(({ text }) => text).join(""));
      try {
        const { bytesWritten } = await durable.write(bytes);
        if (bytesWritten < bytes.length) {
          throw new Error(`${bytesWritten} of ${bytes.length} bytes were written`);
        }
      } catch (error) {
        isBroken = true;
        // The calls of these lines are charged in another way, or not at all.
        await durable.truncate(size).catch(() => {});
        throw error;
      }
      for (const { requestId, text } of added) {
        lines.set(requestId, { offset: size, text });
        size += Buffer.byteLength(text);
      }
    },
    isFull: () => isBroken || size >= FULL_BYTES,
    /** Whether another program has deleted the file. */
    isGone: () => fstatSync(durable.fd).nlink === 0,
    /** Notes in the header which lines are settled, now and then. */
    mark: async (): Promise<void> => {
      const [first] = lines.values();
      const offset = first?.offset ?? size;
      if (offset > marked && (first === undefined || offset - marked >= MARK_BYTES)) {
        marked = offset;
        await quick.write(header(offset), 0);
      }
    },
    /** Closes the file, and lets any process settle its charges. */
    leave: async (): Promise<void> => {
      await Promise.all([durable.close(), quick.close()]);
      await rename(path, leftName(path));
    },
    remove: () => closeAndRemove(path, [durable, quick]),
  };
}
