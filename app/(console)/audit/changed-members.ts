/** One member that differs. null: that side did not have it. */
export type Changed = { path: string[]; before: string | null; after: string | null };

type Tree = Record<string, unknown>;

const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Lists read as lists, figures and flags as they are written. */
function textOf(value: unknown): string | null {
  if (value === undefined || value === null) {
    return null;
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? null : value.map((entry) => textOf(entry) ?? "").join(", ");
  }
  return isTree(value) ? JSON.stringify(value) : String(value);
}

/** The members that differ, those of nested things one by one, in the order in which they were recorded. */
export function changedMembers(before: unknown, after: unknown, path: string[] = []): Changed[] {
  const [was, is] = [isTree(before) ? before : {}, isTree(after) ? after : {}];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((name) => {
    const [old, fresh] = [was[name], is[name]];
    if (isTree(old) || isTree(fresh)) {
      return changedMembers(old, fresh, [...path, name]);
    }
    const change = { path: [...path, name], before: textOf(old), after: textOf(fresh) };
    return change.before === change.after ? [] : [change];
  });
}
