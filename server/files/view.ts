/** An object of the installation as files would have it. */
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { type JsonSchema, membersOf as namesOf, schemaOfItem } from "@/server/base/wire-names";
import { type Kind, type Members, membersOf, referenceName } from "./kind";

/** The members of a kind: their schemas, and the same as JSON Schema, each made once. */
export const shapeOf = (() => {
  const made = new Map<Kind, { members: Record<string, z.ZodType>; json: JsonSchema }>();
  return (kind: Kind) => {
    const members = membersOf(kind);
    const shape = made.get(kind) ?? {
      members,
      json: z.toJSONSchema(z.strictObject(members), { io: "input", unrepresentable: "any" }),
    };
    made.set(kind, shape);
    return shape;
  };
})();

/** A value as JSON, with only the members that the schema names. */
function restricted(value: unknown, schema: JsonSchema): unknown {
  if (value instanceof Date) {
    return value.toISOString();
  }
  if (Array.isArray(value)) {
    return value.map((item) => restricted(item, schemaOfItem(schema)));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const members = namesOf(schema);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const member = members.get(name);
      return member || members.size === 0 ? [[name, restricted(inner, member ?? {})]] : [];
    }),
  );
}

/** Turns an identifier into the name of that object. */
export type NameOf = (kind: Kind, id: string) => Promise<string>;

/** The members of an object that files can name, with the names of other objects instead of their identifiers. */
export async function viewOf(kind: Kind, read: Members, nameOf: NameOf): Promise<Members> {
  const named = { ...read };
  for (const [member, other] of Object.entries(kind.references)) {
    const id = read[member];
    named[referenceName(member)] = typeof id === "string" ? await nameOf(other(), id) : null;
  }
  return restricted(named, shapeOf(kind).json) as Members;
}

/** Whether a member of a file says what the installation has, as far as its schema knows: `1.0` is `1`. */
export function isSame(kind: Kind, member: string, [desired, present]: [unknown, unknown]): boolean {
  const parsed = [desired, present].map((value) => shapeOf(kind).members[member]?.safeParse(value));
  const [a, b] = parsed;
  return a?.success === true && b?.success === true && isDeepStrictEqual(a.data, b.data);
}
