import type { z } from "zod";
import { type Operation, runOperation, type Seat } from "@/server/operations";
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
  seat: Seat;
  procedure: typeof publicProcedure;
  /** What of the operation's input is sent. */
  input: Sent;
  /** What of it the session says. */
  known?: (viewer: Context["viewer"]) => object;
};

/** The seat is the declaration's to give: a way in for somebody else is our mistake, and fails the build. */
export function checkSeat({ by }: { by: readonly Seat[] }, seat: Seat): void {
  if (!by.includes(seat)) {
    throw new Error(`this is not for the seat ${seat}`);
  }
}

function procedureOf<Input extends z.ZodObject, Result, Sent extends z.ZodType>(
  operation: Operation<Input, Result>,
  { seat, procedure, input: sent, known }: Way<Sent>,
) {
  checkSeat(operation, seat);
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

/** An operation on an account's own things by its owner: the account is the session's, and not to be named. */
export function ownerOperation<
  Input extends z.ZodObject<{ accountId: z.ZodType<string | null | undefined> }>,
  Result,
>(operation: Operation<Input, Result>) {
  return procedureOf(operation, {
    seat: "owner",
    procedure: ownerProcedure,
    // What `omit` makes of a shape that is not known yet has no type of its own.
    input: operation.input.omit({ accountId: true }) as unknown as z.ZodType<
      Omit<z.output<Input>, "accountId">,
      Omit<z.input<Input>, "accountId">
    >,
    known: (viewer) => ({ accountId: viewer?.accountId }),
  });
}

const operationsBy =
  (seat: Seat, procedure: typeof publicProcedure) =>
  <Input extends z.ZodObject, Result>(operation: Operation<Input, Result>) =>
    procedureOf(operation, { seat, procedure, input: operation.input });

/** An operation by those who run the gateway. */
export const operatorOperation = operationsBy("operator", operatorProcedure);

/** What somebody changes about their own sign-in. */
export const ownOperation = operationsBy("self", userProcedure);

/** The one change of somebody who may do nothing else before it. */
export const firstOperation = operationsBy("self", sessionProcedure);

/** For whoever shows a link, with or without a session. */
export const linkOperation = operationsBy("link", publicProcedure);
