/** Reads YAML documents. Knows the line of every member. */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
} from "yaml";
import { snakeCase } from "@/server/base/snake-case";
import { type JsonSchema, membersOf, schemaOfEntry, schemaOfItem } from "@/server/base/wire-names";
import type { Place, Problem } from "./problem";

type Path = readonly PropertyKey[];

/** A document: its value in the names of the declarations, and the place of each path in it. */
export type FileDocument = {
  value: unknown;
  placeOf: (path: Path) => Place;
  memberOf: (path: Path) => string;
};

/** `models` inside a channel's models is the name of a model: only names that the schema has are names. */
const nameIn = (members: Map<string, JsonSchema>, key: string) =>
  [...members.keys()].find((member) => snakeCase(member) === key) ?? key;

const typesOf = (schema: JsonSchema): unknown[] => [
  schema.type,
  ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((each) =>
    typeof each === "object" && each !== null ? typesOf(each) : [],
  ),
];

/** Whether a number in the file is meant as text: an amount, or a name such as `4.1`. */
function isText(schema: JsonSchema): boolean {
  const types = typesOf(schema);
  return types.includes("string") && !types.includes("number") && !types.includes("integer");
}

const keyOf = (key: unknown): string => String(isScalar(key) ? (key.source ?? key.value) : key);

/** Deeper than any file; an alias can contain itself. */
const MOST_LEVELS = 30;
/** Aliases of aliases grow without bound, and finding one's anchor takes a walk through the document. */
const MOST_ALIASES = 10_000;
const MOST_VALUES = 1_000_000;

/** The value of a document in the names of the declarations. A number that is meant as text stays as it is written. */
function readValue(document: Document, whole: JsonSchema): unknown {
  let [values, aliases] = [0, 0];
  const read = (node: unknown, schema: JsonSchema, level: number): unknown => {
    if (level > MOST_LEVELS || ++values > MOST_VALUES || aliases > MOST_ALIASES) {
      throw new RangeError("the document is too large or too deep; does an alias contain itself?");
    }
    if (isAlias(node)) {
      aliases++;
      return read(node.resolve(document), schema, level + 1);
    }
    if (isMap(node)) {
      const members = membersOf(schema);
      return Object.fromEntries(
        node.items.map(({ key, value }) => {
          const name = nameIn(members, keyOf(key));
          return [name, read(value, members.get(name) ?? schemaOfEntry(schema), level + 1)];
        }),
      );
    }
    if (isSeq(node)) {
      return node.items.map((item) => read(item, schemaOfItem(schema), level + 1));
    }
    if (isScalar(node)) {
      const { value, source } = node;
      return typeof value === "number" && source !== undefined && isText(schema) ? source : value;
    }
    return null;
  };
  return read(document.contents, whole, 0);
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;

/** The node at a path, or the nearest one above it; of a member, its key. And the path as the file has it. */
function find(document: Document, path: Path): { node: Node | null; written: string } {
  let node: unknown = document.contents;
  let nearest = isNode(node) ? node : null;
  let written = "";
  for (const step of path) {
    node = isAlias(node) ? node.resolve(document) : node;
    if (isSeq(node)) {
      node = node.items[Number(step)];
      nearest = isNode(node) ? node : nearest;
      written += `[${String(step)}]`;
      continue;
    }
    const names = [String(step), snakeCase(String(step))];
    const pair = isMap(node) ? node.items.find(({ key }) => names.includes(keyOf(key))) : undefined;
    const name = pair ? keyOf(pair.key) : snakeCase(String(step));
    written += written === "" ? name : `.${name}`;
    nearest = pair && isNode(pair.key) ? pair.key : nearest;
    node = pair?.value;
  }
  return { node: nearest, written };
}

/** Reads all documents of a file. A document with a problem has no value. */
export function readDocuments(
  { file, text }: { file: string; text: string },
  schema: JsonSchema,
): { documents: FileDocument[]; problems: Problem[] } {
  const lines = new LineCounter();
  const lineAt = (offset = 0) => Math.max(lines.linePos(offset).line, 1);
  const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  const all: Document[] = Array.isArray(parsed) ? parsed : [];
  const problems = all
    .flatMap(({ errors, warnings }) => [...errors, ...warnings])
    .map(({ pos: [offset], message }) => ({ file, line: lineAt(offset), member: "", message }));
  const documents: FileDocument[] = [];
  for (const document of all) {
    const placeOf = (path: Path) => ({ file, line: lineAt(find(document, path).node?.range?.[0]) });
    try {
      // A comment between two separators is a document, too.
      if (document.errors.length === 0 && document.contents !== null) {
        const memberOf = (path: Path) => find(document, path).written;
        documents.push({ value: readValue(document, schema), placeOf, memberOf });
      }
    } catch (error) {
      if (!(error instanceof RangeError)) {
        throw error;
      }
      problems.push({ ...placeOf([]), member: "", message: error.message });
    }
  }
  return { documents, problems };
}
