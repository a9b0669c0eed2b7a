/** The migrations of this release, in `drizzle/`, and how each must be run (docs/migrations.md). */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * `transaction`: completely or not at all. `concurrently`: indexes, built while others write, which is impossible in a
 * transaction. `batches`: each statement is repeated until it changes nothing.
 */
type How = "transaction" | "concurrently" | "batches";

export type Migration = {
  /** The version of the schema that it creates: 18 for `0018_name`. */
  version: number;
  tag: string;
  /** Its identity in a database: when it was generated, in milliseconds. */
  when: number;
  hash: string;
  how: How;
  /**
   * The oldest version that a release must know, if this migration removes what earlier releases use. null: it does
   * not.
   */
  serves: number | null;
  statements: string[];
};

const MARK = /^-- tollgate: (.+)$/gm;
/** For its reviewer: `scripts/migration-rules.ts`. */
const ALLOWED = /^allowed, [a-z-]+: ./;
const HOWS: Record<string, How> = { concurrently: "concurrently", "in batches": "batches" };

/**
 * Reads the marks of a file. Throws on an unknown mark: a migration with a misspelt one would be run in a wrong way.
 */
export function marksOf(tag: string, text: string): Pick<Migration, "how" | "serves"> {
  let how: How = "transaction";
  let serves: number | null = null;
  for (const [, mark = ""] of text.matchAll(MARK)) {
    const contract = /^contract, for releases that know (\d{4})$/.exec(mark);
    const named = HOWS[mark];
    if (contract === null && named === undefined && !ALLOWED.test(mark)) {
      throw new Error(`${tag} has a mark that means nothing: ${mark}`);
    }
    how = named ?? how;
    serves = contract === null ? serves : Number(contract[1]);
  }
  return { how, serves };
}

const isEmpty = (statement: string) => statement.replace(/--.*$/gm, "").trim() === "";

/** Every migration of a folder, oldest first. */
export function readMigrations(folder: string): Migration[] {
  const journal = JSON.parse(readFileSync(join(folder, "meta", "_journal.json"), "utf8")) as {
    entries: { when: number; tag: string }[];
  };
  return journal.entries.map(({ when, tag }) => {
    const text = readFileSync(join(folder, `${tag}.sql`), "utf8");
    return {
      version: Number(tag.slice(0, 4)),
      tag,
      when,
      hash: createHash("sha256").update(text).digest("hex"),
      ...marksOf(tag, text),
      statements: text.split("--> statement-breakpoint").filter((statement) => !isEmpty(statement)),
    };
  });
}
