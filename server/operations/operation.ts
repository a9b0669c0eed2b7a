import type { z } from "zod";
import type { IdentityDeps } from "@/server/access";
import { type Actor, type Change, recordChange } from "@/server/audit";
import type { Config } from "@/server/base/config";
import type { Language } from "@/server/base/language";
import type { Secrets } from "@/server/base/secrets";
import type { Vault } from "@/server/base/vault";
import { type Db, type Tx, transaction } from "@/server/db";
import type { Permission } from "@/server/domain/enums";
import type { AccountId } from "@/server/domain/ids";
import type { Payments } from "@/server/payments";
import type { Videos } from "@/server/videos";

/** The dependencies of operations: the console takes them from its runtime, a command from its environment. */
export type OperationContext = {
  db: Db;
  config: Config;
  secrets: Secrets;
  vault: Vault;
  /** For operations that require the user's password or code once more. */
  identity: IdentityDeps;
  /** Gives access to video tasks. */
  withVideos: <T>(act: (videos: Videos) => Promise<T>) => Promise<T>;
  /** Payments by customers. */
  payments: Payments;
  /** Makes processes return the money that they escrowed for an account and that none of their calls uses. */
  recall: (accountId: AccountId) => Promise<void>;
  /** The current billing month, as `2026-01`. */
  period: () => string;
  /** The author of the change. */
  actor: Actor;
  /** The author's session; absent if there is none. */
  sessionId?: string | undefined;
  /** The console's address: `https://host`. */
  origin: string;
  /** The author's, in which people are written to who have not used the console yet. */
  language: Language;
  /** Called when something may have been changed. */
  onDone?: () => void;
};

/** The context of a running operation: all of it is in one transaction. */
export type TxContext = Omit<OperationContext, "db"> & { db: Tx };

/**
 * The requirement of an operation: a permission of the role; `self`: a session, for changes to one's own sign-in;
 * `link`: a link that identifies the user. null: for commands only.
 */
export type Requirement = Permission | "self" | "link" | null;

/**
 * The change to record, its author if the session does not name one, and the operation's result. `also`: further
 * changes, each with a separate audit entry.
 */
type OperationResult<Result> = Change & { actor?: Actor; also?: readonly Change[] } & (
    | { result: Result }
    /** Runs after the commit, because it takes longer than a transaction may. */
    | { finish: () => Promise<Result> }
  );

/** A change by people, declared once for every door. */
export type Operation<Input extends z.ZodObject = z.ZodObject, Result = unknown> = {
  needs: Requirement;
  /** The input as it is sent; strict. For a user of an account, `accountId` is taken from the session. */
  input: Input;
  /** Locks the rows and makes the change. Returns the change to record, and its `result`. Throws Refusal. */
  run: (call: TxContext, input: z.output<Input>) => Promise<OperationResult<Result>>;
};

/** Infers the types of a declaration. */
export const operation = <Input extends z.ZodObject, Result>(declared: Operation<Input, Result>) => declared;

/** Runs an operation in one transaction with its audit entries: a failure leaves neither. */
export async function runOperation<Input extends z.ZodObject, Result>(
  { db, ...door }: OperationContext,
  { run }: Operation<Input, Result>,
  input: z.output<Input>,
): Promise<Result> {
  try {
    const done = await transaction(db, async (tx) => {
      const made = await run({ ...door, db: tx }, input);
      const actor = made.actor ?? door.actor;
      for (const change of [made, ...(made.also ?? [])]) {
        await recordChange(tx, { ...change, actor });
      }
      return made;
    });
    return "finish" in done ? await done.finish() : done.result;
  } finally {
    door.onDone?.();
  }
}
