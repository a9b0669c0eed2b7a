/** The objects that files name. */
import { z } from "zod";
import { snakeCase } from "@/server/base/snake-case";
import { type JsonSchema, membersOf, schemaOfItem } from "@/server/base/wire-names";
import { type FileDocument, readDocuments } from "./document";
import { documentShape, type Kind, type Members, type SecretReference } from "./kind";
import { kinds } from "./kinds";
import { nearestOf } from "./nearest";
import { InvalidFiles, type Place, type Problem } from "./problem";
import { type Environment, NoSecret, readSecret, inWords as referenceInWords } from "./secret";

/** An object as files want it: the members that they name, and no others. */
export type DesiredObject = {
  kind: Kind;
  name: string;
  /** For people: `key acme/ci`. */
  title: string;
  parent: DesiredObject | null;
  /** Without its secrets and without the objects that belong to it. */
  members: Members;
  /** null: the files name no secret. */
  secrets: { values: readonly string[]; from: string } | null;
  place: Place;
  /** The problem of one of its members. */
  problem: (path: readonly PropertyKey[], message: string) => Problem;
};

const shape = documentShape(kinds);
/** In the names of the declarations. Parts that only zod can express are left out. */
export const declaredSchema = z.toJSONSchema(shape, { io: "input", unrepresentable: "any" });

/** An e-mail's case says nothing. */
export const canonicalName = ({ name }: Kind, text: string): string =>
  name === "email" ? text.trim().toLowerCase() : text.trim();

export const titleOf = ({ noun }: Kind, name: string, parent: DesiredObject | null) =>
  parent === null ? `${noun} ${name}` : `${noun} ${parent.name}/${name}`;

const UNION = "Invalid input";
const MISSING = /received undefined$/;

/** The members that an object of a path may have, in the names of files. */
function membersAt(path: readonly PropertyKey[]): string[] {
  const at = path.reduce<JsonSchema>(
    (schema, step) =>
      typeof step === "number" ? schemaOfItem(schema) : (membersOf(schema).get(String(step)) ?? {}),
    declaredSchema,
  );
  return [...membersOf(at).keys()].map(snakeCase);
}

/** An issue as problems of members. Of a union without a message, the alternative that comes closest. */
function causesOf(issue: z.core.$ZodIssue): { path: readonly PropertyKey[]; message: string }[] {
  const { path } = issue;
  if (issue.code === "invalid_union" && issue.message === UNION) {
    const [nearest = []] = issue.errors.toSorted((a, b) => a.length - b.length);
    return nearest.flatMap(causesOf).map((cause) => ({ ...cause, path: [...path, ...cause.path] }));
  }
  if (issue.code === "unrecognized_keys") {
    const candidates = membersAt(path);
    return issue.keys.map((key) => {
      const [meant] = nearestOf(key, candidates);
      const hint = meant === undefined ? `: there are ${candidates.join(", ")}` : `; is it ${meant}?`;
      return { path: [...path, key], message: `there is no such member${hint}` };
    });
  }
  return [{ path, message: MISSING.test(issue.message) ? "it is missing" : issue.message }];
}

const problemIn =
  ({ placeOf, memberOf }: FileDocument) =>
  (path: readonly PropertyKey[], message: string): Problem => ({
    ...placeOf(path),
    member: memberOf(path),
    message,
  });

type Listed = { kind: Kind; value: Members; path: readonly PropertyKey[]; parent: DesiredObject | null };

/** Collects the objects of one document, each before those that belong to it. */
async function collect(
  document: FileDocument,
  env: Environment,
  problems: Problem[],
): Promise<DesiredObject[]> {
  const problem = problemIn(document);
  const found: DesiredObject[] = [];
  const secretsOf = async ({ kind, value, path }: Listed): Promise<DesiredObject["secrets"]> => {
    const reference = kind.secret && value[kind.secret.member];
    if (!kind.secret || reference === undefined || reference === null) {
      return null;
    }
    const references = [reference].flat() as SecretReference[];
    const { file } = document.placeOf(path);
    const values = await Promise.all(
      references.map((reference, index) =>
        readSecret(reference, { file, env }).catch((error: unknown) => {
          if (!(error instanceof NoSecret)) {
            throw error;
          }
          const at = [...path, kind.secret?.member ?? "", ...(kind.secret?.isList ? [index] : [])];
          problems.push(problem(at, error.message));
          return "";
        }),
      ),
    );
    return { values, from: references.map(referenceInWords).join(", ") };
  };
  const visit = async (listed: Listed): Promise<void> => {
    const { kind, value, path, parent } = listed;
    const name = canonicalName(kind, String(value[kind.name]));
    const left = [...kind.children.map(({ section }) => section), kind.secret?.member];
    const own = Object.entries(value).filter(([member]) => !left.includes(member));
    const desired: DesiredObject = {
      ...{ kind, name, parent, title: titleOf(kind, name, parent) },
      members: { ...Object.fromEntries(own), [kind.name]: name },
      secrets: await secretsOf(listed),
      place: document.placeOf(path),
      problem: (inside, message) => problem([...path, ...inside], message),
    };
    found.push(desired);
    await visitAll(kind.children, value, { path, parent: desired });
  };
  const visitAll = async (
    childKinds: readonly Kind[],
    value: Members,
    at: Pick<Listed, "path" | "parent">,
  ) => {
    for (const kind of childKinds) {
      const items = (value[kind.section] ?? []) as Members[];
      for (const [index, item] of items.entries()) {
        await visit({ kind, value: item, path: [...at.path, kind.section, index], parent: at.parent });
      }
    }
  };
  await visitAll(kinds, document.value as Members, { path: [], parent: null });
  return found;
}

/** An object is named once: two descriptions could differ. */
function findTwice(all: readonly DesiredObject[]): Problem[] {
  const first = new Map<string, DesiredObject>();
  return all.flatMap((desired) => {
    const other = first.get(desired.title);
    if (other) {
      const { file, line } = other.place;
      return [desired.problem([], `${desired.title} is in ${file}:${line} already`)];
    }
    first.set(desired.title, desired);
    return [];
  });
}

const orderOf = (desired: DesiredObject): number =>
  desired.parent ? orderOf(desired.parent) : kinds.indexOf(desired.kind);

/** Reads the objects of files, in the order in which they are applied. Throws InvalidFiles, with every problem. */
export async function readDesired(
  sources: readonly { file: string; text: string }[],
  env: Environment,
): Promise<DesiredObject[]> {
  const problems: Problem[] = [];
  const all: DesiredObject[] = [];
  for (const source of sources) {
    const read = readDocuments(source, declaredSchema);
    problems.push(...read.problems);
    for (const document of read.documents) {
      const parsed = shape.safeParse(document.value);
      if (parsed.success) {
        all.push(...(await collect(document, env, problems)));
      } else {
        const causes = parsed.error.issues.flatMap(causesOf);
        problems.push(...causes.map(({ path, message }) => problemIn(document)(path, message)));
      }
    }
  }
  problems.push(...findTwice(all));
  if (problems.length > 0) {
    throw new InvalidFiles(problems);
  }
  return all.toSorted((a, b) => orderOf(a) - orderOf(b));
}
