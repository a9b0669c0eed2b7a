import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { onEach, urlOf } from "./nodes";

type JournalEntry = { idx: number; version: string; when: number; tag: string; breakpoints: boolean };
type Journal = { entries: JournalEntry[] };

/** A copy of the migrations with a changed list. */
async function copyWith(
  change: (entries: JournalEntry[], folder: string) => Promise<JournalEntry[]>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-migrations-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp("drizzle", folder, { recursive: true });
  const path = join(folder, "meta", "_journal.json");
  const journal = JSON.parse(await readFile(path, "utf8")) as Journal;
  await writeFile(path, JSON.stringify({ ...journal, entries: await change(journal.entries, folder) }));
  return folder;
}

/** The migrations of the release before this tag. */
export const migrationsBefore = (tag: string): Promise<string> =>
  copyWith(async (entries) =>
    entries.slice(
      0,
      entries.findIndex((entry) => entry.tag === tag),
    ),
  );

/** The migrations up to this tag, which may be the newest. */
export const migrationsUpTo = (tag: string): Promise<string> =>
  copyWith(async (entries) => entries.slice(0, entries.findIndex((entry) => entry.tag === tag) + 1));

/** The migrations of a later release: each name with the text of its file, numbered from 9001 on. */
export const migrationsAnd = (later: Record<string, string>): Promise<string> =>
  copyWith(async (entries, folder) => {
    const last = entries.at(-1)?.when ?? 0;
    const added = Object.keys(later).map((name, at) => ({
      ...{ idx: entries.length + at, version: "7", when: last + 1 + at },
      tag: `${9001 + at}_${name}`,
      breakpoints: true,
    }));
    for (const { tag } of added) {
      await writeFile(join(folder, `${tag}.sql`), later[tag.slice(5)] ?? "");
    }
    return [...entries, ...added];
  });

let count = 0;

export async function emptyDatabase(): Promise<string> {
  const [server = ""] = inject("nodes").urls;
  const name = `${inject("template")}_empty_${process.pid}_${count++}`;
  await onEach({ urls: [server] }, (sql) => sql.unsafe(`create database ${name} template template0`));
  return urlOf(server, name);
}
