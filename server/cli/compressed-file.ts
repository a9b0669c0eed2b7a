import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream, rmSync } from "node:fs";
import { link, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";

/** The unpacked content of a compressed file, and the file's SHA-256 once all of it has been read. */
export function readCompressed(path: string): { pieces: AsyncIterable<Buffer>; sum: () => string } {
  const hash = createHash("sha256");
  const file = createReadStream(path);
  file.on("data", (chunk) => hash.update(chunk));
  const unpacked = createGunzip();
  // The reader of the pieces gets the error.
  unpacked.on("error", () => {});
  pipeline(file, unpacked).catch((error: unknown) => unpacked.destroy(error as Error));
  return { pieces: unpacked, sum: () => hash.digest("hex") };
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "EEXIST";

/** Flushes a directory: a file's name is on disk only after that. */
async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  await file.sync().finally(() => file.close());
}

/**
 * Writes to a temporary file next to `path` that only we can read, and gives it its name when it is complete and on
 * disk. false: a file has the name already, and stays as it is.
 */
export async function writeCompressed(
  path: string,
  pieces: AsyncIterable<string | Buffer>,
): Promise<boolean> {
  const written = `${path}.${randomUUID()}`;
  let isOurs = true;
  const abandon = () => rmSync(written, { force: true });
  process.once("exit", abandon);
  try {
    await pipeline(
      Readable.from(pieces),
      createGzip(),
      createWriteStream(written, { flags: "wx", mode: 0o600 }),
    );
    await sync(written);
    // Unlike a rename, a link replaces nothing.
    await link(written, path).catch((error: unknown) => {
      if (!isTaken(error)) {
        throw error;
      }
      isOurs = false;
    });
    await sync(dirname(path));
    return isOurs;
  } finally {
    process.off("exit", abandon);
    await rm(written, { force: true });
  }
}
