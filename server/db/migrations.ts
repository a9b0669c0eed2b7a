/** What lies in `drizzle/`: the migrations of this release, and how each wants to be run (docs/upgrading.md). */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * `transaction`: all of it or nothing. `concurrently`: indexes, built beside those who write, which no transaction can.
 * `batches`: each statement again and again, until it finds nothing more to do.
 */
type How = "transaction" | "concurrently" | "batches";

export type Migration = {
  /** The version of the schema that it makes: 18 for `0018_name`. */
  version: number;
  tag: string;
  /** By which a database knows it: when it was generated, in milliseconds. */
  when: number;
  hash: string;
  how: How;
  /** It takes away what earlier releases use: the oldest version that a release must know. null: it does not. */
  serves: number | null;
  statements: string[];
};

const MARK = /^-- tollgate: (.+)$/gm;
/** For who reviews it: `scripts/migration-rules.ts`. */
const ALLOWED = /^allowed, [a-z-]+: ./;
const HOWS: Record<string, How> = { concurrently: "concurrently", "in batches": "batches" };

/** Reads a file's marks. Throws of one that means nothing: a misspelt one would be run in another way than it wants. */
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

/** Every migration of a folder, the oldest first. */
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
