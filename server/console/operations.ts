import type { z } from "zod";
import { type Permission, permissions } from "@/server/base/facts";
import { isForSide, type Side } from "@/server/base/roles";
import { type Need, type Operation, runOperation } from "@/server/operations";
import { doorOf } from "@/server/process/door";
import {
  type Context,
  operatorProcedure,
  ownerProcedure,
  publicProcedure,
  sessionProcedure,
  userProcedure,
} from "./trpc";

const consoleDoor = ({ runtime, viewer, address, origin }: Context) =>
  doorOf(runtime, {
    actor: { userId: viewer?.id ?? null, name: viewer?.email ?? "", address },
    sessionId: viewer?.sessionId,
    origin,
  });

type Way<Sent extends z.ZodType> = {
  procedure: typeof publicProcedure;
  /** What of the operation's input is sent. */
  input: Sent;
  /** What of it the session says. */
  known?: (viewer: Context["viewer"]) => object;
};

/** The declaration's permission: a way in for a side on which nobody has it is our mistake, and fails the build. */
export function permissionFor({ needs }: { needs: Need }, side: Side): Permission {
  const needed = permissions.find((permission) => permission === needs);
  if (!needed || !isForSide(needed, side)) {
    throw new Error(`${needs} is for nobody on the side ${side}`);
  }
  return needed;
}

function procedureOf<Input extends z.ZodObject, Result, Sent extends z.ZodType>(
  operation: Operation<Input, Result>,
  { procedure, input: sent, known }: Way<Sent>,
) {
  return (
    procedure
      .meta({ isOperation: true })
      .input(sent)
      // tRPC's types lose what the operation's schema has made of it, where the schema is a parameter.
      .mutation(({ ctx, input }) =>
        runOperation(consoleDoor(ctx), operation, {
          ...(input as object),
          ...known?.(ctx.viewer),
        } as z.output<Input>),
      )
  );
}

/** An operation on an account's own things by its people: the account is the session's, and not to be named. */
export function ownerOperation<
  Input extends z.ZodObject<{ accountId: z.ZodType<string | null | undefined> }>,
  Result,
>(operation: Operation<Input, Result>) {
  return procedureOf(operation, {
    procedure: ownerProcedure(permissionFor(operation, "owner")),
    // What `omit` makes of a shape that is not known yet has no type of its own.
    input: operation.input.omit({ accountId: true }) as unknown as z.ZodType<
      Omit<z.output<Input>, "accountId">,
      Omit<z.input<Input>, "accountId">
    >,
    known: (viewer) => ({ accountId: viewer?.accountId }),
  });
}

/** An operation by those who run the gateway. */
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

/** What somebody changes about their own sign-in. */
export const ownOperation = operationsFor("self", userProcedure);

/** The one change of somebody who may do nothing else before it. */
export const firstOperation = operationsFor("self", sessionProcedure);

/** For whoever shows a link, with or without a session. */
export const linkOperation = operationsFor("link", publicProcedure);
