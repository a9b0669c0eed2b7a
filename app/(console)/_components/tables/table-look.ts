/** How a person looks at tables: how dense they are, and which columns they have. Pure. */

/** The choices are a cookie, so that the server renders tables with them. */
export const TABLES_COOKIE = "tables";

/** The tables whose columns can be chosen. */
export type TableName = "requests" | "accounts" | "keys" | "channels" | "prices" | "videos";

type Choice = "shown" | "hidden";

/** `columns`: choices by `table.column`. A column without one is shown where the window has room for it. */
export type TableLook = { isCompact: boolean; columns: ReadonlyMap<string, Choice> };

const COMPACT = "compact";
const MAX_CHOICES = 100;
const choiceForm = /^([+-])([a-z]{1,20}\.[a-z]{1,20})$/i;

/** Reads the cookie, such as `compact|-requests.tokens|+requests.id`. Parts of another form are left out. */
export function parseLook(cookie = ""): TableLook {
  const parts = cookie.split("|", MAX_CHOICES + 1);
  const choices = parts.flatMap((part): [string, Choice][] => {
    const [, sign, column] = choiceForm.exec(part) ?? [];
    return column === undefined ? [] : [[column, sign === "+" ? "shown" : "hidden"]];
  });
  return { isCompact: parts.includes(COMPACT), columns: new Map(choices) };
}

export const formatLook = ({ isCompact, columns }: TableLook): string =>
  [
    ...(isCompact ? [COMPACT] : []),
    ...Array.from(columns, ([column, choice]) => `${choice === "shown" ? "+" : "-"}${column}`),
  ].join("|");
