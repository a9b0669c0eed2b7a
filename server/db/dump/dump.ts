import { createHash } from "node:crypto";
import type { TransactionSql } from "postgres";
import { END_OF_ROWS, type Foot, headOf } from "./format";
import { newestMigration, sectionsOf, withClient } from "./tables";

const LINE_END = 0x0a;

function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) {
    lines++;
  }
  return lines;
}

/** Yields the whole text; returns its foot. */
async function* piecesOf(tx: TransactionSql): AsyncGenerator<Buffer, Foot> {
  const hash = createHash("sha256");
  let [tables, rows] = [0, 0];
  const counted = (piece: Buffer) => {
    hash.update(piece);
    return piece;
  };
  const line = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`);
  const head = headOf({ migration: await newestMigration(tx), takenAt: new Date().toISOString() });
  yield counted(line(head));
  for (const section of await sectionsOf(tx)) {
    yield counted(line(section));
    const rowsOf = tx`copy (select ${tx(section.columns)} from ${tx(section.table)}) to stdout`;
    for await (const chunk of (await rowsOf.readable()) as AsyncIterable<Buffer>) {
      rows += countLines(chunk);
      yield counted(chunk);
    }
    yield counted(Buffer.from(`${END_OF_ROWS}\n`));
    tables++;
  }
  const foot: Foot = { tables, rows, sha256: hash.digest("hex") };
  yield line(foot);
  return foot;
}

/**
 * Dumps the whole database as it is at one moment, while others may write. `write` gets the text in pieces and resolves
 * when they are stored.
 */
export async function dumpDatabase(
  url: string,
  write: (pieces: AsyncIterable<Buffer>) => Promise<void>,
): Promise<Foot> {
  let foot: Foot | undefined;
  async function* noting(tx: TransactionSql): AsyncGenerator<Buffer> {
    foot = yield* piecesOf(tx);
  }
  await withClient(url, (client) =>
    client.begin("isolation level repeatable read read only", (tx) => write(noting(tx))),
  );
  if (!foot) {
    throw new Error("the dump was not read to its end");
  }
  return foot;
}
