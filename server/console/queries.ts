import type { z } from "zod";
import type { Query } from "@/server/queries";
import { queryContext } from "@/server/runtime/operation-context";
import { permissionFor } from "./operations";
import { operatorProcedure, ownerProcedure } from "./trpc";

/** The key type of an object without members is `string` or `never`. */
type HasNoMembers<Input> = string extends keyof Input ? true : keyof Input extends never ? true : false;

/** A procedure's input; undefined is allowed if there are no members. */
type ProcedureInput<Output, Input> = z.ZodType<
  Output,
  HasNoMembers<Input> extends true ? Input | undefined : Input
>;

function givenOf<Output, Input>(input: z.ZodObject): ProcedureInput<Output, Input> {
  const schema = Object.keys(input.shape).length === 0 ? input.prefault({}) : input;
  return schema as unknown as ProcedureInput<Output, Input>;
}

/** A query by an account's users: the session determines the account, which cannot be named. */
export function ownerQuery<Input extends z.ZodObject, Result>(query: Query<Input, Result>) {
  const { input, read } = query;
  const isOfAccount = "accountId" in input.shape;
  const own = isOfAccount ? input.omit({ accountId: true }) : input;
  return ownerProcedure(permissionFor(query, "owner"))
    .input(givenOf<Omit<z.output<Input>, "accountId">, Omit<z.input<Input>, "accountId">>(own))
    .query(({ ctx, input: values }) => {
      const parameters = isOfAccount ? { ...values, accountId: ctx.accountId } : values;
      return read(queryContext(ctx.runtime, query), parameters as z.output<Input>, "owner");
    });
}

/** A query by operators. */
export function operatorQuery<Input extends z.ZodObject, Result>(query: Query<Input, Result>) {
  const { input, read } = query;
  return operatorProcedure(permissionFor(query, "operator"))
    .input(givenOf<z.output<Input>, z.input<Input>>(input))
    .query(({ ctx, input: values }) =>
      read(queryContext(ctx.runtime, query), values as z.output<Input>, "operator"),
    );
}

/** As `operatorQuery`, for input that is too long for an address: it is sent as a mutation, but changes nothing. */
export function operatorPreview<Input extends z.ZodObject, Result>(query: Query<Input, Result>) {
  const { input, read } = query;
  return operatorProcedure(permissionFor(query, "operator"))
    .input(givenOf<z.output<Input>, z.input<Input>>(input))
    .mutation(({ ctx, input: values }) =>
      read(queryContext(ctx.runtime, query), values as z.output<Input>, "operator"),
    );
}
