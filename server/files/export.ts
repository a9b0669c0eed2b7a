/** Writes an installation as configuration files. */
import { Document } from "yaml";
import { snakeCase } from "@/server/base/snake-case";
import { type JsonSchema, membersOf, schemaOfItem, toWire } from "@/server/base/wire-names";
import type { Db } from "@/server/db";
import { createFinder, type Finder } from "./finder";
import type { Found, Kind, Members } from "./kind";
import { kinds } from "./kinds";
import { shapeOf, viewOf } from "./view";

export type ExportedFile = { name: string; text: string };

/** Variables for secrets, no two with the same name. */
function createVariables() {
  const names = new Set<string>();
  return {
    names: () => [...names],
    add: (...words: string[]): string => {
      const stem = words
        .join("_")
        .toUpperCase()
        .replaceAll(/[^A-Z0-9]+/g, "_")
        .replaceAll(/^_|_$/g, "");
      const variable = /^\d/.test(stem) ? `_${stem}` : stem;
      let name = variable;
      for (let count = 2; names.has(name); count++) {
        name = `${variable}_${count}`;
      }
      names.add(name);
      return name;
    },
  };
}

type Variables = ReturnType<typeof createVariables>;

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === "object" && Object.keys(value).length === 0);

/** A value without the members that say nothing: null and empty ones, unless the schema needs them. */
function stated(value: unknown, schema: JsonSchema, needs: (member: string) => boolean): unknown {
  if (Array.isArray(value)) {
    const item = schemaOfItem(schema);
    return value.map((each) => stated(each, item, (member) => item.required?.includes(member) === true));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const members = membersOf(schema);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([member, inner]) => needs(member) || !isEmpty(inner))
      .map(([member, inner]) => {
        const own = members.get(member) ?? {};
        return [member, stated(inner, own, (name) => own.required?.includes(name) === true)];
      }),
  );
}

/** The members that an object has, and those that a new object needs. */
function statedOf(kind: Kind, view: Members): Members {
  const { members, json } = shapeOf(kind);
  const { shape } = kind.create.input;
  const isNeeded = (member: string) => shape[member]?.safeParse(undefined).success === false;
  const own = Object.keys(members).filter((member) => Object.hasOwn(view, member));
  return stated(Object.fromEntries(own.map((member) => [member, view[member]])), json, isNeeded) as Members;
}

/** `leftOut`: objects that files cannot describe, in words. */
type Export = { finder: Finder; variables: Variables; leftOut: string[] };

type Place = { kind: Kind; parent: Found | null };

async function exported(into: Export, kind: Kind, found: Found): Promise<Members> {
  const { finder, variables } = into;
  const nameOf = async (other: Kind, id: string) =>
    (await finder.byId({ kind: other, parentId: null }, id))?.name ?? id;
  const view = await viewOf(kind, found.view, nameOf);
  const own = toWire(statedOf(kind, view), shapeOf(kind).json) as Members;
  // Credentials of channels; a key's secret is stored nowhere.
  const hints = (found.view.credentialHints ?? []) as string[];
  const secrets = hints.map(() => ({ env: variables.add(kind.noun, found.name, "secret") }));
  const children: [string, Members[]][] = [];
  for (const child of kind.children) {
    const all = await exportAll(into, { kind: child, parent: found });
    children.push([snakeCase(child.section), all]);
  }
  return {
    ...own,
    ...(kind.secret?.isList && secrets.length > 0 && { [snakeCase(kind.secret.member)]: secrets }),
    ...Object.fromEntries(children.filter(([, all]) => all.length > 0)),
  };
}

/** All objects of a place, by name. Files know objects by their names, so those that share one are left out. */
async function exportAll(into: Export, { kind, parent }: Place): Promise<Members[]> {
  const groups = await into.finder.groups({ kind, parentId: parent?.id ?? null });
  const all: Members[] = [];
  for (const [name, present] of groups) {
    const [found, ...others] = present.filter(({ view }) => kind.isExported(view));
    if (others.length > 0) {
      const where = parent ? ` of ${parent.name}` : "";
      into.leftOut.push(`${others.length + 1} ${kind.noun}s${where} have the name "${name}"`);
    } else if (found) {
      all.push(await exported(into, kind, found));
    }
  }
  return all;
}

/** All objects, a file a kind. Secrets are references to variables, which the file lists. */
export async function exportFiles(db: Db): Promise<{ files: ExportedFile[]; leftOut: readonly string[] }> {
  const finder = createFinder(db, { records: [], label: "" });
  const files: ExportedFile[] = [];
  const leftOut: string[] = [];
  for (const kind of kinds) {
    const variables = createVariables();
    const all = await exportAll({ finder, variables, leftOut }, { kind, parent: null });
    if (all.length > 0) {
      const section = snakeCase(kind.section);
      const document = new Document({ [section]: all });
      const needs = variables.names();
      document.commentBefore =
        needs.length === 0 ? null : ` Set before you apply this file: ${needs.join(", ")}`;
      files.push({ name: `${section.replaceAll("_", "-")}.yaml`, text: document.toString({ lineWidth: 0 }) });
    }
  }
  return { files, leftOut };
}
