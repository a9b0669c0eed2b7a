import type { JsonText } from "./text";

type Spliced = Pick<JsonText, "raw" | "members" | "end">;

/** Removes these top-level members from the text of an object. */
export function dropMembers(text: Spliced, dropped: readonly string[]): Spliced {
  const kept = text.members.filter(({ key }) => !dropped.includes(key));
  if (kept.length === text.members.length) {
    return text;
  }
  let raw = "{";
  const members = kept.map(({ key, keyStart, keyEnd, valueStart, valueEnd }, index) => {
    raw += index > 0 ? "," : "";
    const moved = raw.length - keyStart;
    raw += text.raw.slice(keyStart, valueEnd);
    return {
      key,
      keyStart: keyStart + moved,
      keyEnd: keyEnd + moved,
      valueStart: valueStart + moved,
      valueEnd: valueEnd + moved,
    };
  });
  return { raw: `${raw}}`, members, end: raw.length };
}

/**
 * Sets and renames top-level members of a JSON object in its text and leaves every other character unchanged: parsing
 * and printing again would change 64-bit seeds and number spellings that the upstream must get unchanged. A member
 * whose value is `undefined` stays as it is. `renamed`: new names by old ones.
 */
export function setMembers(
  { raw, members, end }: Spliced,
  values: Record<string, unknown>,
  renamed: Record<string, string> = {},
): string {
  const nameOf = (key: string) => (Object.hasOwn(renamed, key) ? renamed[key] : undefined) ?? key;
  let text = "";
  let copied = 0;
  for (const { key, keyStart, keyEnd, valueStart, valueEnd } of members) {
    const name = nameOf(key);
    if (name !== key) {
      text += raw.slice(copied, keyStart) + JSON.stringify(name);
      copied = keyEnd;
    }
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) {
      text += raw.slice(copied, valueStart) + JSON.stringify(value);
      copied = valueEnd;
    }
  }
  text += raw.slice(copied, end);
  const added = Object.entries(values)
    .filter(([name, value]) => value !== undefined && !members.some(({ key }) => nameOf(key) === name))
    .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  const comma = members.length > 0 && added.length > 0 ? "," : "";
  return `${text}${comma}${added.join(",")}${raw.slice(end)}`;
}

/** A piece of a new text: text, or a part of the old one. */
export type Piece = string | { from: number; to: number };

/** Members to remove, to set (`undefined`: as it is) and to rename, by their old names. */
export type Edit = {
  dropped: readonly string[];
  values: Record<string, unknown>;
  renamed: Record<string, string>;
};

/** As `dropMembers` and then `setMembers`, in pieces: the unchanged parts are not copied. */
export function splicePieces(
  { members }: Pick<JsonText, "members">,
  { dropped, values, renamed }: Edit,
): Piece[] {
  const present = new Set<string>();
  const pieces: Piece[] = ["{"];
  for (const { key, keyStart, keyEnd, valueStart, valueEnd } of members) {
    if (dropped.includes(key)) {
      continue;
    }
    const name = (Object.hasOwn(renamed, key) ? renamed[key] : undefined) ?? key;
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    const [isSame, isKept] = [name === key, value === undefined];
    pieces.push(
      ...(present.size > 0 ? [","] : []),
      ...(isSame ? [] : [JSON.stringify(name)]),
      { from: isSame ? keyStart : keyEnd, to: isKept ? valueEnd : valueStart },
      ...(isKept ? [] : [JSON.stringify(value)]),
    );
    present.add(name);
  }
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && !present.has(name)) {
      pieces.push(`${present.size > 0 ? "," : ""}${JSON.stringify(name)}:${JSON.stringify(value)}`);
      present.add(name);
    }
  }
  return [...pieces, "}"];
}
