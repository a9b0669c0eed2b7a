/** The alerts that a server's metrics raise: the rules of ops/prometheus on two scrapes. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";

type Series = { name: string; labels: Map<string, string>; value: number };
/** null: the server did not answer. */
export type Scrape = Series[] | null;

const LABEL = /(\w+)(=~|!~|!=|=)"((?:[^"\\]|\\.)*)"/g;

const readSeries = (line: string): Series[] => {
  const [, name = "", labels = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
  const pairs = [...labels.matchAll(LABEL)].map(([, label = "", , text = ""]) => [label, text] as const);
  return name === "" ? [] : [{ name, labels: new Map(pairs), value: Number(value) }];
};

/** As long as an outage of the short form: a longer wait would make that longer. */
const PATIENCE_MS = 1_000;

export async function scrape(url: string): Promise<Scrape> {
  const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(
    () => null,
  );
  const text = answer?.ok ? await answer.text().catch(() => null) : null;
  return text?.split("\n").flatMap(readSeries) ?? null;
}

type Selector = { name: string; matches: (series: Series) => boolean };
/** `above`: for a rule on one metric, the value that must be exceeded. */
type AlertMatcher = { alert: string; selectors: Selector[]; above: number };

const SELECTOR = /\b((?:tollgate|gen_ai)_\w+)(?:\{([^}]*)\})?/g;
const GROUPS = /\b(?:by|on|group_left|without)\s*\([^)]*\)/g;

function selectorOf([, name = "", matchers = ""]: string[]): Selector {
  const tests = [...matchers.matchAll(LABEL)].map(([, label = "", how = "=", text = ""]) => {
    const pattern = new RegExp(`^(?:${text})$`);
    return ({ labels }: Series) => {
      const value = labels.get(label) ?? "";
      const isSame = how.includes("~") ? pattern.test(value) : value === text;
      return isSame !== how.startsWith("!");
    };
  });
  return { name, matches: (series) => series.name === name && tests.every((test) => test(series)) };
}

type RulesFile = { groups: { rules: { alert: string; expr: string }[] }[] };

/** Without rules about elapsed time, the slowest twentieth, or reachability: two scrapes do not show those. */
const rules: AlertMatcher[] = (parse(readFileSync("ops/prometheus/rules.yml", "utf8")) as RulesFile).groups
  .flatMap((group) => group.rules)
  .filter(({ expr }) => !/time\(\)|_bucket|\bup\b/.test(expr))
  .map(({ alert, expr }) => {
    const selectors = [...expr.replace(GROUPS, "").matchAll(SELECTOR)].map(selectorOf);
    const isOne = new Set(selectors.map(({ name }) => name)).size === 1;
    return { alert, selectors, above: isOne ? Number(/ > ([\d.]+)/.exec(expr)?.[1] ?? 0) : 0 };
  });

const isCounter = ({ name }: Selector) => name.endsWith("_total");

/** The rise of a counter, or the highest value of a gauge. */
function moved(selector: Selector, scrapes: Series[][]): number {
  const values = scrapes.map((series) => series.filter(selector.matches).map(({ value }) => value));
  if (!isCounter(selector)) {
    return Math.max(0, ...values.slice(1).flat());
  }
  const sums = values.map((each) => each.reduce((sum, value) => sum + value, 0));
  return (sums.at(-1) ?? 0) - (sums[0] ?? 0);
}

/**
 * The alerts whose condition became true between the first scrape and the last, whatever duration they require.
 * Includes the names of failed checks.
 */
export function findAlerts(scrapes: Scrape[]): string[] {
  const answered = scrapes.filter((scrape) => scrape !== null);
  const alerts = rules
    .filter(
      ({ selectors, above }) =>
        answered.length > 1 && selectors.every((selector) => moved(selector, answered) > above),
    )
    .map(({ alert }) => alert);
  return [...(scrapes.includes(null) ? ["`up` is 0"] : []), ...alerts];
}
