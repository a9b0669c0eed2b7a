/**
 * A kind of object in configuration files. Its members are those of the operations that create and change it: a new
 * member of an operation is in the files, the JSON schema, the comparison and the export without code here.
 */
import { z } from "zod";
import type { Secrets } from "@/server/base/secrets";
import type { Vault } from "@/server/base/vault";
import type { Db } from "@/server/db";
import { type Door, type Operation, runOperation } from "@/server/operations";

export type Members = Readonly<Record<string, unknown>>;

/** An operation whose input is not checked yet. `fixedMembers`: members that files do not have, with their values. */
export type Step = {
  input: z.ZodObject;
  fixedMembers: Members;
  /** Takes the members of `input` that it finds. Throws ZodError and Refusal. */
  run: (door: Door, members: Members) => Promise<unknown>;
};

export const step = <Input extends z.ZodObject, Result>(
  operation: Operation<Input, Result>,
  fixedMembers: Members = {},
): Step => ({
  input: operation.input,
  fixedMembers,
  run: async (door, members) => {
    const own = Object.entries({ ...members, ...fixedMembers }).filter(
      ([name, value]) => value !== undefined && Object.hasOwn(operation.input.shape, name),
    );
    return await runOperation(door, operation, operation.input.parse(Object.fromEntries(own)));
  },
});

/** Where an object is: its own identifier and that of the object it belongs to. */
export type Ids = { id: string; parentId: string | null };

/** An object of the installation. `view`: its members under the names of the operations. */
export type Found = { id: string; name: string; view: Members };

/** The member of a kind that holds secrets. Files refer to secrets, and never have them. */
export type SecretMember = {
  member: string;
  /** Several secrets, in a list, or one. */
  isList: boolean;
  /** The value for the operation that creates an object. */
  fresh: (secrets: readonly string[]) => unknown;
  /** The value for the operation that changes it; undefined: the installation has these secrets already. */
  changed: (
    ground: { db: Db; vault: Vault; secrets: Secrets },
    object: Ids & { secrets: readonly string[]; due: Members; view: Members },
  ) => Promise<unknown>;
};

export type Advised = Found & {
  hasSecret: boolean;
  isNew: boolean;
  isTrial: boolean;
  /** Whether the files have an object with this title. */
  isNamed: (title: string) => boolean;
};

export type Kind = {
  /** For people: `channel`. */
  noun: string;
  /** The member of the file, or of the object it belongs to, that lists the objects: `channels`. */
  section: string;
  /** The member that names an object; no two objects of a place have the same name. */
  name: string;
  /** Whether people can change the name. */
  isRenamable: boolean;
  create: Step;
  /** Each runs if a member of its input is to change. */
  steps: readonly Step[];
  /** The members of inputs that say which object it is. */
  target: (ids: Ids) => Members;
  /** Members of inputs that hold the identifier of another object, which files name, and the kind of that object. */
  references: Readonly<Record<string, () => Kind>>;
  secret: SecretMember | null;
  /** The change of an object that no file names any more: it is removed, or it is disabled and can be enabled again. */
  prune: { step: Step; enabled: Members | null; disabled: Members };
  list: (db: Db, parentId: string | null) => Promise<Found[]>;
  read: (db: Db, ids: Ids) => Promise<Members>;
  /** The identifier of a new object. */
  idOf: (made: unknown, name: string, parentId: string | null) => string;
  /** An advice about an object that was made or changed, or would be. */
  advise?: (db: Db, object: Advised) => Promise<string | null>;
  /** Whether an export has it. */
  isExported: (view: Members) => boolean;
  children: readonly Kind[];
};

const idOfResult = (made: unknown) => String((made as { id: string }).id);

/** A kind with the usual rules; `own` has the others. */
export const kind = (
  own: Pick<Kind, "noun" | "section" | "name" | "create" | "steps" | "target" | "prune" | "list" | "read"> &
    Partial<Kind>,
): Kind => ({
  isRenamable: false,
  references: {},
  secret: null,
  idOf: idOfResult,
  isExported: () => true,
  children: [],
  ...own,
});

const NO_IDS = { id: "", parentId: "" };

/** `priceGroupId` is `priceGroup` in files. */
export const referenceName = (member: string) => member.replace(/Id$/, "");

/** Files name a variable or a file instead of a secret. */
const SecretReference = z
  .union(
    [
      z.strictObject({
        env: z.string().min(1).max(200).describe("The environment variable that has the secret"),
      }),
      z.strictObject({
        file: z.string().min(1).max(1_000).describe("The file that has the secret; relative to this file"),
      }),
    ],
    { error: "a secret is a reference: { env: NAME } or { file: PATH }" },
  )
  .describe("Where the secret is; the secret itself is never in this file");
export type SecretReference = z.output<typeof SecretReference>;

const MOST_SECRETS = 100;

/** The schema of each member that files have, under its name there. */
export function membersOf(each: Kind): Record<string, z.ZodType> {
  const { create, steps, target, references, secret, name } = each;
  const targets = target(NO_IDS);
  const inFiles = (own: Step): [string, z.ZodType][] =>
    Object.entries<z.ZodType>(own.input.shape).filter(
      ([member]) =>
        member === name || !(Object.hasOwn(targets, member) || Object.hasOwn(own.fixedMembers, member)),
    );
  const asInFiles = ([member, schema]: [string, z.ZodType]): [string, z.ZodType] => {
    if (member === secret?.member) {
      const shape = secret.isList ? z.array(SecretReference).min(1).max(MOST_SECRETS) : SecretReference;
      return [member, shape.optional()];
    }
    return Object.hasOwn(references, member)
      ? [
          referenceName(member),
          z
            .string()
            .min(1)
            .nullable()
            .optional()
            .describe(schema.description ?? ""),
        ]
      : [member, member === name ? schema : schema.optional()];
  };
  const own = [create, ...steps].flatMap(inFiles).map(asInFiles);
  const isName = ([member]: [string, z.ZodType]) => member === name;
  return Object.fromEntries([...own.filter(isName), ...own.filter((entry) => !isName(entry))]);
}

/** The schema of an object in files, in the names of the declarations. */
const shapeOf = (each: Kind): z.ZodObject =>
  z.strictObject({
    ...membersOf(each),
    ...Object.fromEntries(each.children.map((child) => [child.section, listOf(child)])),
  });

const listOf = (each: Kind) => z.array(shapeOf(each)).max(10_000).optional();

/** The schema of a document. */
export const documentShape = (kinds: readonly Kind[]): z.ZodObject =>
  z.strictObject(Object.fromEntries(kinds.map((each) => [each.section, listOf(each)])));

/** Whether a step changes a member of files. */
export const changes = ({ input }: Step, member: string, { references }: Kind): boolean =>
  Object.hasOwn(input.shape, member) ||
  Object.keys(references).some((id) => referenceName(id) === member && Object.hasOwn(input.shape, id));
