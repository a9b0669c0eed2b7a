import type { z } from "zod";
import { type Permission, permissions } from "@/server/domain/enums";
import { isForSide, type Side } from "@/server/domain/roles";
import { type Need, type Operation, runOperation } from "@/server/operations";
import { operationContext } from "@/server/runtime/operation-context";
import {
  type Context,
  operatorProcedure,
  ownerProcedure,
  publicProcedure,
  sessionProcedure,
  userProcedure,
} from "./trpc";

const consoleDoor = ({ runtime, viewer, address, origin, language }: Context) =>
  operationContext(runtime, {
    actor: { userId: viewer?.id ?? null, name: viewer?.email ?? "", address },
    sessionId: viewer?.sessionId,
    origin,
    language,
  });

type ProcedureSpec<Sent extends z.ZodType> = {
  procedure: typeof publicProcedure;
  /** The part of the operation's input that the client sends. */
  input: Sent;
  /** The part of the input that the session determines. */
  sessionInput?: (viewer: Context["viewer"]) => object;
};

/**
 * The permission that the declaration needs. If no role of that side has it, that is our mistake, and the build fails.
 */
export function permissionFor({ needs }: { needs: Need }, side: Side): Permission {
  const needed = permissions.find((permission) => permission === needs);
  if (!needed || !isForSide(needed, side)) {
    throw new Error(`${needs} is for nobody on the side ${side}`);
  }
  return needed;
}

function procedureOf<Input extends z.ZodObject, Result, Sent extends z.ZodType>(
  operation: Operation<Input, Result>,
  { procedure, input: clientInput, sessionInput }: ProcedureSpec<Sent>,
) {
  return (
    procedure
      .meta({ isOperation: true })
      .input(clientInput)
      // tRPC's types lose the output of an operation's schema if the schema is a type parameter.
      .mutation(({ ctx, input }) =>
        runOperation(consoleDoor(ctx), operation, {
          ...(input as object),
          ...sessionInput?.(ctx.viewer),
        } as z.output<Input>),
      )
  );
}

/**
 * An operation by an account's users on their own account: the session determines the account, which cannot be named.
 */
export function ownerOperation<
  Input extends z.ZodObject<{ accountId: z.ZodType<string | null | undefined> }>,
  Result,
>(operation: Operation<Input, Result>) {
  return procedureOf(operation, {
    procedure: ownerProcedure(permissionFor(operation, "owner")),
    // The result of `omit` on a shape that is a type parameter is an unnamed type.
    input: operation.input.omit({ accountId: true }) as unknown as z.ZodType<
      Omit<z.output<Input>, "accountId">,
      Omit<z.input<Input>, "accountId">
    >,
    sessionInput: (viewer) => ({ accountId: viewer?.accountId }),
  });
}

/** An operation by operators. */
export const operatorOperation = <Input extends z.ZodObject, Result>(operation: Operation<Input, Result>) =>
  procedureOf(operation, {
    procedure: operatorProcedure(permissionFor(operation, "operator")),
    input: operation.input,
  });

const operationsFor =
  (needs: Need, procedure: typeof publicProcedure) =>
  <Input extends z.ZodObject, Result>(operation: Operation<Input, Result>) => {
    if (operation.needs !== needs) {
      throw new Error(`this needs ${operation.needs}`);
    }
    return procedureOf(operation, { procedure, input: operation.input });
  };

/** A change by a user to their own sign-in. */
export const ownOperation = operationsFor("self", userProcedure);

/** The one change that a user may have to make before anything else. */
export const firstOperation = operationsFor("self", sessionProcedure);

/** An operation for the holder of a link, with or without a session. */
export const linkOperation = operationsFor("link", publicProcedure);
