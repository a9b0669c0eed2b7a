import type { JsonText } from "./json-text";

/**
 * Sets top-level members of a JSON object in its text, gives some another name, and leaves every other character as it
 * is: parsing and printing again would change 64-bit seeds and number spellings that the upstream shall see untouched.
 * A member whose value is `undefined` is left alone. `renamed`: new names by old ones.
 */
export function setMembers(
  { raw, members, end }: Pick<JsonText, "raw" | "members" | "end">,
  values: Record<string, unknown>,
  renamed: Record<string, string> = {},
): string {
  const present = new Set<string>();
  let text = "";
  let copied = 0;
  for (const { key, keyStart, keyEnd, valueStart, valueEnd } of members) {
    const name = Object.hasOwn(renamed, key) ? renamed[key] : key;
    if (name !== undefined && name !== key) {
      text += raw.slice(copied, keyStart) + JSON.stringify(name);
      copied = keyEnd;
    }
    const value = name !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) {
      text += raw.slice(copied, valueStart) + JSON.stringify(value);
      copied = valueEnd;
    }
    present.add(name ?? key);
  }
  text += raw.slice(copied, end);
  const added = Object.entries(values)
    .filter(([key, value]) => value !== undefined && !present.has(key))
    .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  const comma = members.length > 0 && added.length > 0 ? "," : "";
  return `${text}${comma}${added.join(",")}${raw.slice(end)}`;
}
