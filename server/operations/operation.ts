import type { z } from "zod";
import type { IdentityDeps } from "@/server/access";
import { type Actor, type Change, recordChange } from "@/server/audit";
import type { Config } from "@/server/base/config";
import type { Permission } from "@/server/base/facts";
import type { AccountId } from "@/server/base/ids";
import type { Secrets } from "@/server/base/secrets";
import type { Vault } from "@/server/base/vault";
import { type Db, type Tx, transaction } from "@/server/db";
import type { Payments } from "@/server/payments";
import type { Videos } from "@/server/videos";

/** What operations stand on: the console has it of its runtime, a command of its environment. */
export type Door = {
  db: Db;
  config: Config;
  secrets: Secrets;
  vault: Vault;
  /** For what needs somebody's password or code once more. */
  identity: IdentityDeps;
  /** Works with video tasks. */
  withVideos: <T>(act: (videos: Videos) => Promise<T>) => Promise<T>;
  /** What takes customers' payments. */
  payments: Payments;
  /** Has processes give back what they have set aside for an account and no call of theirs has taken. */
  recall: (accountId: AccountId) => Promise<void>;
  /** The billing month of this moment, as `2026-01`. */
  period: () => string;
  /** Who asks. */
  actor: Actor;
  /** In which session they do; absent where there is none. */
  sessionId?: string | undefined;
  /** Where people reach us: `https://host`. */
  origin: string;
  /** Told when something may have been changed. */
  onDone?: () => void;
};

/** What an operation works with: all of it in one transaction. */
export type Call = Omit<Door, "db"> & { db: Tx };

/**
 * What it takes to ask: a permission of one's role; `self`: a session, for it is about one's own sign-in; `link`: a link
 * that says who one is. null: it is for commands alone.
 */
export type Need = Permission | "self" | "link" | null;

/**
 * What is recorded, by whom where the session does not say, and what the operation answers. `also`: of further things
 * that were changed with the first, each with an entry of its own.
 */
type Done<Result> = Change & { actor?: Actor; also?: readonly Change[] } & (
    | { result: Result }
    /** Done once that is committed, for it takes longer than a transaction may. */
    | { finish: () => Promise<Result> }
  );

/** A change that people make, declared once for every door. */
export type Operation<Input extends z.ZodObject = z.ZodObject, Result = unknown> = {
  needs: Need;
  /** As it travels; strict. A member `accountId` is the session's where somebody of an account asks. */
  input: Input;
  /** Locks and makes the change. Answers what is recorded of it, and its `result`. Throws Refusal. */
  run: (call: Call, input: z.output<Input>) => Promise<Done<Result>>;
};

/** Infers the types of a declaration. */
export const operation = <Input extends z.ZodObject, Result>(declared: Operation<Input, Result>) => declared;

/** One transaction around a change and its audit entries: what fails leaves none. */
export async function runOperation<Input extends z.ZodObject, Result>(
  { db, ...door }: Door,
  { run }: Operation<Input, Result>,
  input: z.output<Input>,
): Promise<Result> {
  try {
    const done = await transaction(db, async (tx) => {
      const made = await run({ ...door, db: tx }, input);
      const actor = made.actor ?? door.actor;
      for (const one of [made, ...(made.also ?? [])]) {
        await recordChange(tx, { ...one, actor });
      }
      return made;
    });
    return "finish" in done ? await done.finish() : done.result;
  } finally {
    door.onDone?.();
  }
}
