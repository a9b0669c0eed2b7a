/** The parts of a route of the admin API. */
import { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import { snakeCase } from "@/server/base/snake-case";
import type { JsonSchema } from "@/server/base/wire-names";
import { transaction } from "@/server/db";
import type { Side } from "@/server/domain/roles";
import { type Door, type Need, type Operation, runOperation } from "@/server/operations";
import type { Query, Reading } from "@/server/queries";
import { resources } from "./resources";

/** The dependencies of a route's run. */
type RouteContext = { door: Door; reading: Reading; side: Side };

/** Members in the names of the declarations, including those of the path. */
type Params = Record<string, unknown>;

/** A route's behaviour for some of its callers. */
export type RouteVariant = {
  /** The operations and queries that it runs. */
  declared: readonly object[];
  /** As `mayLag` of a query. */
  mayLag?: true | undefined;
  /** All of these are required. */
  needs: readonly Need[];
  input: z.ZodObject;
  /** The name of its answer, and the schema that selects the members that leave. */
  answers: Pick<ResponseShape<never>, "name" | "schema" | "item">;
  run: (context: RouteContext, parameters: Params) => Promise<unknown>;
};

export type Route = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path below `/admin/v1`, as OpenAPI writes it: `/keys/{key_id}`. */
  path: string;
  /** One line for the reference. */
  summary: string;
  status: 200 | 201;
  /** Its answer is kept for a repeat with the same Idempotency-Key. */
  isKept: boolean;
  /** A call uses the first variant that its key may use. The reference shows the first. */
  ways: readonly [RouteVariant, ...RouteVariant[]];
};

const schemas = new WeakMap<z.ZodType, JsonSchema>();

/** Prints each schema once. Parts that only zod can express are left out. */
function printed(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const jsonSchema = schemas.get(schema) ?? z.toJSONSchema(schema, { io, unrepresentable: "any" });
  schemas.set(schema, jsonSchema);
  return jsonSchema;
}

/** JSON Schema of the input, in the names of the declarations. */
export const inputSchema = ({ input }: RouteVariant): JsonSchema => printed(input, "input");

/** JSON Schema of the answer, in the names of the declarations. */
export const outputSchema = ({ answers }: { answers: { schema: z.ZodType } }): JsonSchema =>
  printed(answers.schema, "output");

/** Makes a constructor of routes of one kind. */
export const route =
  (kind: Pick<Route, "method" | "status" | "isKept">) =>
  (path: string, summary: string, ...ways: [RouteVariant, ...RouteVariant[]]): Route => ({
    ...kind,
    path,
    summary,
    ways,
  });

type ResourceName = keyof typeof resources;
type Resource<N extends ResourceName> = z.input<(typeof resources)[N]>;

/** Turns the result of an operation or a query into an answer. */
export type ResponseShape<Result> = {
  name: string;
  schema: z.ZodObject;
  /** The items of a list. */
  item?: { name: ResourceName; schema: z.ZodObject };
  bodyOf: (result: Result) => unknown;
};

/** Answers with the result unchanged. */
export const resource = <N extends ResourceName>(name: N): ResponseShape<Resource<N> | undefined> => ({
  name,
  schema: resources[name],
  bodyOf: (result) => result,
});

/** Answers with a page of a list. */
export const page = <N extends ResourceName>(
  name: N,
): ResponseShape<{ rows: Resource<N>[]; nextCursor: string | null }> => ({
  name: `${name}List`,
  schema: z.object({
    data: z.array<z.ZodObject>(resources[name]),
    nextCursor: z
      .string()
      .nullable()
      .describe("Pass it as `cursor` to get the next page; null: this is the last page"),
  }),
  item: { name, schema: resources[name] },
  bodyOf: ({ rows, nextCursor }) => ({ data: rows, nextCursor }),
});

/** Answers with a whole list. */
export const all = <N extends ResourceName>(name: N): ResponseShape<Resource<N>[]> =>
  from(page(name), (rows) => ({ rows, nextCursor: null }));

/** Answers with a result that `read` converts first. */
export const from = <Given, Result>(
  { bodyOf, ...answers }: ResponseShape<Result>,
  read: (source: Given) => Result,
): ResponseShape<Given> => ({ ...answers, bodyOf: (source) => bodyOf(read(source)) });

/** Answers of routes that have nothing else to return. */
const done: ResponseShape<unknown> = { name: "Done", schema: resources.Done, bodyOf: () => ({ done: true }) };

const textOf = ({ issues: [issue] }: z.ZodError): string => {
  const path = issue?.path
    .map((step) => (typeof step === "string" ? snakeCase(step) : String(step)))
    .join(".");
  return [path, issue?.message].filter(Boolean).join(": ");
};

/** Throws invalidParameters (400) that names the first problem. */
function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) {
    return parsed.data;
  }
  const chinese = schema.safeParse(input, { error: z.locales.zhCN().localeError });
  throw new GatewayError("invalidParameters", {
    en: textOf(parsed.error),
    zh: textOf(chinese.error ?? parsed.error),
  });
}

/** A variant that answers with a query's result. */
export const reads = <Input extends z.ZodObject, Result>(
  query: Query<Input, Result>,
  answers: ResponseShape<Result>,
): RouteVariant => ({
  declared: [query],
  mayLag: query.mayLag,
  needs: [query.needs],
  input: query.input,
  answers,
  run: async ({ reading, side }, parameters) =>
    answers.bodyOf(await query.read(reading, parse(query.input, parameters), side)),
});

/** A variant that runs an operation; without `answers` it only confirms. */
export const operates = <Input extends z.ZodObject, Result>(
  operation: Operation<Input, Result>,
  answers: ResponseShape<Result> = done,
): RouteVariant => ({
  declared: [operation],
  needs: [operation.needs],
  input: operation.input,
  answers,
  run: async ({ door }, parameters) =>
    answers.bodyOf(await runOperation(door, operation, parse(operation.input, parameters))),
});

/**
 * Changes a resource by several operations in one transaction, each run only if the request names one of its members,
 * then reads the resource. `target`: the members that identify the resource.
 */
export function changes(
  steps: readonly RouteVariant[],
  target: readonly string[],
  then: RouteVariant,
): RouteVariant {
  const isTarget = (name: string) => target.includes(name) || name === "accountId";
  const shape = Object.fromEntries(
    steps.flatMap(({ input }) =>
      Object.entries<z.ZodType>(input.shape).map(([name, schema]) => [
        name,
        target.includes(name) ? schema : schema.optional(),
      ]),
    ),
  );
  const part = (parameters: Params, { input }: RouteVariant): Params =>
    Object.fromEntries(Object.entries(parameters).filter(([name]) => Object.hasOwn(input.shape, name)));
  return {
    declared: steps.flatMap(({ declared }) => declared),
    needs: [...then.needs, ...steps.flatMap(({ needs }) => needs)],
    input: z.strictObject(shape),
    answers: then.answers,
    run: async (context, parameters) => {
      const due = steps
        .map((step) => ({ step, own: part(parameters, step) }))
        .filter(({ own }) => Object.keys(own).some((name) => !isTarget(name)));
      if (due.length === 0) {
        throw new GatewayError("invalidParameters", errorMessages.nothingToChange());
      }
      const { door } = context;
      await transaction(door.db, async (tx) => {
        for (const { step, own } of due) {
          await step.run({ ...context, door: { ...door, db: tx } }, own);
        }
      });
      return await then.run(context, part(parameters, then));
    },
  };
}
