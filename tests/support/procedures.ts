import { z } from "zod";
import { exportRouter } from "@/server/console/exports/router";
import { appRouter } from "@/server/console/root";
import {
  type Context,
  operatorProcedure,
  ownerProcedure,
  publicProcedure,
  sessionProcedure,
} from "@/server/console/trpc";
import type { Permission } from "@/server/domain/enums";

/** JSON Schema of a browser's input, as far as inputs use it. */
export type InputSchema = {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  maxLength?: number;
  minimum?: number;
  maxItems?: number;
  items?: InputSchema;
  anyOf?: InputSchema[];
  allOf?: InputSchema[];
  properties?: Record<string, InputSchema>;
  propertyNames?: InputSchema;
  additionalProperties?: boolean | InputSchema;
  required?: string[];
};

export type Procedure = {
  path: string;
  kind: "query" | "mutation" | "subscription";
  /** The callers that its middleware accepts; null: it uses none of our middlewares. */
  seat: "user" | "owner" | "operator" | "anybody" | null;
  /** The permission that a role needs; null: all signed-in users may call it, or the holder of a link. */
  needs: Permission | null;
  /** Whether it is an operation, which records its changes. */
  isOperation: boolean;
  inputs: InputSchema[];
};

type Definition = {
  type: Procedure["kind"];
  inputs: z.ZodType[];
  middlewares: unknown[];
  meta?: { isOperation?: true; needs?: Permission };
};

const definitionOf = (built: unknown) => (built as { _def: Definition })._def;

/** The middleware that a kind of procedure adds to its base. */
const markOf = (built: unknown) => definitionOf(built).middlewares.at(-1);

const marks = {
  operator: markOf(operatorProcedure("staff.read")),
  owner: markOf(ownerProcedure("account.read")),
  user: markOf(sessionProcedure),
  anybody: markOf(publicProcedure),
};

function describe(path: string, built: unknown): Procedure {
  const { type, inputs, middlewares, meta } = definitionOf(built);
  const seats = ["operator", "owner", "anybody", "user"] as const;
  return {
    path,
    kind: type,
    seat: seats.find((seat) => middlewares.includes(marks[seat])) ?? null,
    needs: meta?.needs ?? null,
    isOperation: meta?.isOperation === true,
    inputs: inputs.map(
      (input) => z.toJSONSchema(input, { io: "input", unrepresentable: "any" }) as InputSchema,
    ),
  };
}

const routers = { app: appRouter, export: exportRouter };

/** All procedures that a browser can call, by their names in the routers: `app.keys.list`. */
export const procedures: Procedure[] = Object.entries(routers).flatMap(([router, { _def }]) =>
  Object.entries(_def.procedures).map(([path, built]) => describe(`${router}.${path}`, built)),
);

/** The rows of a file come in batches: reads all of them. */
async function readWhole(answer: unknown): Promise<unknown> {
  const { batches } = (answer ?? {}) as { batches?: AsyncIterable<unknown[]> };
  if (!batches) {
    return answer;
  }
  const rows: unknown[] = [];
  for await (const batch of batches) {
    rows.push(...batch);
  }
  return rows;
}

export async function callProcedure(context: Context, path: string, input: unknown): Promise<unknown> {
  const [router, ...names] = path.split(".");
  const caller: unknown = routers[router as keyof typeof routers].createCaller(context);
  const call = names.reduce((place, name) => (place as Record<string, unknown>)[name], caller);
  return await readWhole(await (call as (input: unknown) => Promise<unknown>)(input));
}

/** The matching procedures, each with its path, as rows of a table. */
export const proceduresWhere = (kept: (procedure: Procedure) => boolean) =>
  procedures.filter(kept).map((procedure) => [procedure.path, procedure] as const);

/** The result of a call: its data, or its refusal as the browser gets it. */
export async function outcomeOf(context: Context, path: string, input: unknown) {
  try {
    return { data: await callProcedure(context, path, input) };
  } catch (error) {
    const { code, message, cause } = error as { code: string; message: string; cause?: unknown };
    return { code, message, isInvalid: cause instanceof z.ZodError };
  }
}

export const codeOf = async (context: Context, path: string, input: unknown) =>
  (await outcomeOf(context, path, input)).code;

/** A member of an input, at any depth, that is one text. */
export type TextMember = { name: string; isRequired: boolean };

/** The members of an input with free texts: neither one of a few words nor a moment. */
export function textMembers(schema: InputSchema, name = "", isRequired = true): TextMember[] {
  const parts = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  if (parts.length > 0) {
    return parts.flatMap((part) => textMembers(part, name, isRequired));
  }
  if (schema.type === "object") {
    return Object.entries(schema.properties ?? {}).flatMap(([member, value]) =>
      textMembers(value, member, isRequired && (schema.required ?? []).includes(member)),
    );
  }
  if (schema.type === "array") {
    return schema.items ? textMembers(schema.items, name, isRequired) : [];
  }
  const isFree = schema.type === "string" && !schema.enum && schema.const === undefined && !schema.format;
  return isFree ? [{ name, isRequired }] : [];
}

/** Values for an input: by a member's name, and the names of optional members to include. */
export type Filling = { values: Record<string, unknown>; optionalNames?: string[] };

/** A valid input, without optional members that are not asked for. */
export function fill(schema: InputSchema, filling: Filling, name = ""): unknown {
  const { values, optionalNames = [] } = filling;
  const [choice] = schema.anyOf ?? [];
  if (choice) {
    return fill(choice, filling, name);
  }
  if (schema.type === "object") {
    const members = Object.entries(schema.properties ?? {}).filter(
      ([member, value]) => schema.required?.includes(member) || holds(value, member, optionalNames),
    );
    return Object.fromEntries(members.map(([member, value]) => [member, fill(value, filling, member)]));
  }
  if (schema.type === "array") {
    return holds(schema, name, optionalNames) && schema.items ? [fill(schema.items, filling, name)] : [];
  }
  if (schema.const !== undefined || schema.enum) {
    return schema.const ?? schema.enum?.[0];
  }
  const plain: Record<string, unknown> = {
    boolean: true,
    integer: Math.max(1, schema.minimum ?? 1),
    number: Math.max(1, schema.minimum ?? 1),
  };
  return values[name] ?? plain[typesOf(schema)[0] ?? ""] ?? "x";
}

/** Empty for a schema that accepts anything. */
const typesOf = ({ type = [] }: InputSchema): string[] => [type].flat();

const holds = (schema: InputSchema, name: string, names: string[]) =>
  textMembers(schema, name).some((member) => names.includes(member.name));

/** The parts of an input without limits, as paths into it. */
export function findLoose(schema: InputSchema, path = "input"): string[] {
  const parts = schema.anyOf ?? schema.allOf;
  if (parts) {
    return parts.flatMap((part) => findLoose(part, path));
  }
  if (schema.const !== undefined || schema.enum) {
    return [];
  }
  if (schema.type === "object") {
    const members = Object.entries(schema.properties ?? {}).flatMap(([name, value]) =>
      findLoose(value, `${path}.${name}`),
    );
    return [...members, ...findLooseRest(schema, path)];
  }
  if (schema.type === "array") {
    const isBounded = schema.maxItems !== undefined && schema.items !== undefined;
    return isBounded && schema.items
      ? findLoose(schema.items, `${path}[]`)
      : [`${path}: a list without an end`];
  }
  if (schema.type === "string") {
    return schema.maxLength !== undefined || schema.format === "date-time"
      ? []
      : [`${path}: a text without an end`];
  }
  const types = typesOf(schema);
  const isPlain = types.every((type) => ["boolean", "integer", "number", "null"].includes(type));
  return isPlain && types.length > 0 ? [] : [`${path}: anything at all`];
}

/** Additional members: none, or those of a record whose names and values are limited. */
function findLooseRest({ additionalProperties, propertyNames }: InputSchema, path: string): string[] {
  if (additionalProperties === false) {
    return [];
  }
  if (typeof additionalProperties !== "object") {
    return [`${path}: unknown members`];
  }
  const names = propertyNames
    ? findLoose({ type: "string", ...propertyNames }, `${path} (names)`)
    : [`${path}: any name`];
  return [...names, ...findLoose(additionalProperties, `${path}.*`)];
}
