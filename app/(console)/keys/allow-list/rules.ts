/** The rows of an allow-list while a user edits it. Pure. */
import { allowsAddress, type ReviewedRule, splitRules } from "@/server/access/keys/allow-list-review";

/** `id` identifies a row wherever it moves. */
export type AllowListRule = { id: number; text: string };

export type Rules = {
  rows: AllowListRule[];
  nextId: number;
  /** The row that should take the focus; `turn` tells one request from the next. null: no row is left. */
  focus: { id: number | null; turn: number };
};

export type RuleEdit =
  | { type: "write"; id: number; text: string }
  | { type: "append"; texts: string[] }
  | { type: "remove"; ids: readonly number[] }
  | { type: "replace"; texts: readonly string[] };

const toRows = (texts: readonly string[], firstId: number): AllowListRule[] =>
  texts.map((text, index) => ({ id: firstId + index, text }));

export const startRules = (texts: readonly string[]): Rules => ({
  rows: toRows(texts, 1),
  nextId: texts.length + 1,
  focus: { id: null, turn: 0 },
});

/** Splits several rules in one row into rows; the last one takes the focus. */
function write(rules: Rules, { id, text }: { id: number; text: string }): Rules {
  const [first = "", ...others] = splitRules(text);
  if (others.length === 0) {
    return { ...rules, rows: rules.rows.map((row) => (row.id === id ? { id, text } : row)) };
  }
  const added = toRows(others, rules.nextId);
  return {
    rows: rules.rows.flatMap((row) => (row.id === id ? [{ id, text: first }, ...added] : row)),
    nextId: rules.nextId + added.length,
    focus: { id: added.at(-1)?.id ?? null, turn: rules.focus.turn + 1 },
  };
}

/** The focus goes to the row that takes the place of the first one removed, else to the one before. */
function remove(rules: Rules, ids: readonly number[]): Rules {
  const gone = new Set(ids);
  const place = rules.rows.findIndex(({ id }) => gone.has(id));
  const rows = rules.rows.filter(({ id }) => !gone.has(id));
  const neighbour = rows[place] ?? rows.at(-1);
  return { ...rules, rows, focus: { id: neighbour?.id ?? null, turn: rules.focus.turn + 1 } };
}

export function editRules(rules: Rules, edit: RuleEdit): Rules {
  switch (edit.type) {
    case "write":
      return write(rules, edit);
    case "append": {
      const added = toRows(edit.texts, rules.nextId);
      return {
        rows: [...rules.rows, ...added],
        nextId: rules.nextId + added.length,
        focus: { id: added.at(-1)?.id ?? null, turn: rules.focus.turn + 1 },
      };
    }
    case "remove":
      return remove(rules, edit.ids);
    case "replace":
      return {
        ...rules,
        rows: toRows(edit.texts, rules.nextId),
        nextId: rules.nextId + edit.texts.length,
      };
  }
}

/** Whether a rule is wrong. An empty row is not. */
export const isWrong = ({ error }: ReviewedRule): boolean => error !== null && error !== "empty";

/** Rules that can be removed without a change of what is allowed. */
export const isRedundant = ({ duplicateOf, containedIn }: ReviewedRule): boolean =>
  duplicateOf !== null || containedIn !== null;

/** The rules to store. */
export const storedRules = (review: readonly ReviewedRule[]): string[] =>
  review.flatMap(({ canonical, duplicateOf }) => (canonical && duplicateOf === null ? [canonical] : []));

/** The index of the rule that allows an address; -1: none. */
export const findAllowing = (review: readonly ReviewedRule[], address: string): number =>
  review.findIndex(({ canonical }) => canonical !== null && allowsAddress([canonical], address));

const PRIVATE = [
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::1",
  "fc00::/7",
  "fe80::/10",
];

/** Whether an address is private: a call from it can only come from the server's own network. */
export const isPrivate = (address: string): boolean => allowsAddress(PRIVATE, address);
