/** Where each top-level member of a JSON object lies in its text. */
type Member = { key: string; keyStart: number; keyEnd: number; valueStart: number; valueEnd: number };

function stringEnd(raw: string, start: number): number {
  for (let end = raw.indexOf('"', start + 1); end !== -1; end = raw.indexOf('"', end + 1)) {
    let slashes = 0;
    while (raw[end - 1 - slashes] === "\\") {
      slashes++;
    }
    if (slashes % 2 === 0) {
      return end + 1;
    }
  }
  throw new SyntaxError("unterminated string");
}

function valueEnd(raw: string, start: number): number {
  let depth = 0;
  for (let place = start; place < raw.length; place++) {
    const character = raw[place];
    if (character === '"') {
      place = stringEnd(raw, place) - 1;
    } else if (character === "{" || character === "[") {
      depth++;
    } else if (character === "}" || character === "]") {
      if (depth === 0) {
        return place;
      }
      depth--;
    } else if (character === "," && depth === 0) {
      return place;
    }
  }
  throw new SyntaxError("unterminated value");
}

const isSpace = (character: string | undefined) =>
  character === " " || character === "\n" || character === "\r" || character === "\t";

function skipSpace(raw: string, start: number): number {
  let place = start;
  while (isSpace(raw[place])) {
    place++;
  }
  return place;
}

/** One pass over the text; `end` is the place of the closing brace. */
function topLevelMembers(raw: string): { members: Member[]; end: number } {
  const members: Member[] = [];
  let place = skipSpace(raw, raw.indexOf("{") + 1);
  while (raw[place] === '"') {
    const keyEnd = stringEnd(raw, place);
    const key = JSON.parse(raw.slice(place, keyEnd)) as string;
    const valueStart = skipSpace(raw, skipSpace(raw, keyEnd) + 1);
    const after = valueEnd(raw, valueStart);
    const text = raw.slice(valueStart, after).trimEnd();
    members.push({ key, keyStart: place, keyEnd, valueStart, valueEnd: valueStart + text.length });
    place = raw[after] === "," ? skipSpace(raw, after + 1) : after;
  }
  return { members, end: place };
}

/**
 * Sets top-level members of a JSON object in its text and leaves every other character as it is: parsing and printing
 * again would change 64-bit seeds, number spellings and duplicate keys that the upstream shall see untouched. `raw`
 * must be the text of a JSON object. A member of value `undefined` is left alone.
 */
export function setMembers(raw: string, values: Record<string, unknown>): string {
  const { members, end } = topLevelMembers(raw);
  let text = "";
  let copied = 0;
  for (const member of members) {
    const value = Object.hasOwn(values, member.key) ? values[member.key] : undefined;
    if (value !== undefined) {
      text += raw.slice(copied, member.valueStart) + JSON.stringify(value);
      copied = member.valueEnd;
    }
  }
  text += raw.slice(copied, end);
  const present = new Set(members.map((member) => member.key));
  const added = Object.entries(values)
    .filter(([key, value]) => value !== undefined && !present.has(key))
    .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  const comma = members.length > 0 && added.length > 0 ? "," : "";
  return `${text}${comma}${added.join(",")}${raw.slice(end)}`;
}

/** The names of the top-level members, in their order, each as often as it stands there. `raw`: the text of a JSON object. */
export const memberNames = (raw: string): string[] => topLevelMembers(raw).members.map(({ key }) => key);

/** Renames a top-level member of a JSON object in its text, wherever it stands there. */
export function renameMember(raw: string, from: string, to: string): string {
  let text = "";
  let copied = 0;
  for (const { key, keyStart, keyEnd } of topLevelMembers(raw).members) {
    if (key === from) {
      text += raw.slice(copied, keyStart) + JSON.stringify(to);
      copied = keyEnd;
    }
  }
  return text + raw.slice(copied);
}
