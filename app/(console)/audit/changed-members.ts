/** A value as it is written; a flag stays a boolean, to be put into words later. */
export type MemberValue = string | boolean;

/** One member that differs. null: absent on that side. */
export type Changed = { path: string[]; before: MemberValue | null; after: MemberValue | null };

type Tree = Record<string, unknown>;

const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isTreeOrAbsent = (value: unknown): boolean => value === undefined || value === null || isTree(value);

/** Not a member that every object inherits, such as `constructor`. */
const own = (tree: Tree, name: string): unknown => (Object.hasOwn(tree, name) ? tree[name] : undefined);

/** A list of objects as an object: by their names if these are unique, else numbered from 1. */
function byName(value: unknown): unknown {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isTree)) {
    return value;
  }
  const names = value.map((entry) => entry.name ?? entry.modelId);
  const isNamed = names.every((name) => typeof name === "string") && new Set(names).size === names.length;
  return Object.fromEntries(value.map((entry, index) => [isNamed ? names[index] : index + 1, entry]));
}

/** Formats a value: lists as lists, figures as they are written. */
function shownOf(value: unknown): MemberValue | null {
  if (value === undefined || value === null) {
    return null;
  }
  if (typeof value === "boolean") {
    return value;
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? null : value.map((entry) => shownOf(entry) ?? "").join(", ");
  }
  return isTree(value) ? JSON.stringify(value) : String(value);
}

/** The members that differ, including members of nested objects, in the recorded order. */
export function changedMembers(before: unknown, after: unknown, path: string[] = []): Changed[] {
  const [was, is] = [isTree(before) ? before : {}, isTree(after) ? after : {}];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((name) => {
    const [old, fresh] = [byName(own(was, name)), byName(own(is, name))];
    if ((isTree(old) || isTree(fresh)) && isTreeOrAbsent(old) && isTreeOrAbsent(fresh)) {
      return changedMembers(old, fresh, [...path, name]);
    }
    const change = { path: [...path, name], before: shownOf(old), after: shownOf(fresh) };
    return change.before === change.after ? [] : [change];
  });
}
