import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

/**
 * The monitoring files may only use existing metrics: names and labels as in docs/metrics.md, which another test
 * compares with a scrape.
 */
const documented = new Map(
  [
    ...readFileSync("docs/metrics.md", "utf8").matchAll(
      /^\| `((?:tollgate|gen_ai)_\w+)(?:\{([\w,]*)\})?` \|/gm,
    ),
  ].map(([, name = "", labels = ""]) => [name, labels.split(",").filter((label) => label !== "")]),
);

type AlertRule = { alert: string; expr: string; annotations: { summary: string; runbook_url: string } };
const rules = (
  parse(readFileSync("ops/prometheus/rules.yml", "utf8")) as { groups: { rules: AlertRule[] }[] }
).groups.flatMap((group) => group.rules);

type Panel = { title: string; targets?: { expr: string }[] };
const dashboard = JSON.parse(readFileSync("ops/grafana/tollgate.json", "utf8")) as {
  panels: Panel[];
  templating: { list: { definition?: string }[] };
};
const expressions = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...dashboard.templating.list.flatMap(({ definition }) => definition ?? []),
];

const SERIES = /\b((?:tollgate|gen_ai)_\w+?)(?:_(?:bucket|count|sum))?(?![\w])(?:\{([^}]*)\})?/g;
/** Labels that Prometheus adds. */
const ADDED = ["instance", "job", "le"];

/** The metrics and labels of an expression that do not exist. */
function unknownIn(expr: string): string[] {
  // Labels in grouping and joining clauses are not metrics.
  const withoutLabels = expr
    .replace(/\b(?:by|on|group_left|group_right|without|ignoring)\s*\([^)]*\)/g, "")
    .replace(/label_values\((.*), \w+\)/, "$1");
  return [...withoutLabels.matchAll(SERIES)].flatMap(([, name = "", matchers = ""]) => {
    const labels = documented.get(name);
    const used = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = ""]) => label);
    return labels === undefined
      ? [name]
      : used.filter((label) => ![...labels, ...ADDED].includes(label)).map((label) => `${name}{${label}}`);
  });
}

test("every expression of the rules and the dashboard names existing metrics and labels", () => {
  expect(expressions.length).toBeGreaterThan(30);
  expect([...rules.map(({ expr }) => expr), ...expressions].flatMap(unknownIn)).toEqual([]);
  expect(unknownIn('sum by (x) (rate(tollgate_nothing_total{a="b"}[5m])) + tollgate_holds{key="k"}')).toEqual(
    ["tollgate_nothing_total", "tollgate_holds{key}"],
  );
});

test("every label that the dashboard or a rule groups by exists", () => {
  const labelNames = new Set([...documented.values()].flat());
  const grouped = [...rules.map(({ expr }) => expr), ...expressions].flatMap((expr) =>
    [...expr.matchAll(/\b(?:by|on|group_left)\s*\(([^)]*)\)/g)].flatMap(([, labels = ""]) =>
      labels.split(",").map((label) => label.trim()),
    ),
  );
  expect(grouped.filter((label) => !labelNames.has(label) && !ADDED.includes(label))).toEqual([]);
});

describe("the runbook", () => {
  const headings = [...readFileSync("docs/runbook.md", "utf8").matchAll(/^### (\w+)$/gm)].map(
    ([, name]) => name,
  );

  test("has a section for each alert with a link to it, and no other section", () => {
    expect(headings.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
    expect(rules.map(({ annotations }) => annotations.runbook_url)).toEqual(
      rules.map(({ alert }) => `docs/runbook.md#${alert.toLowerCase()}`),
    );
  });
});

type Case = {
  input_series: { series: string }[];
  alert_rule_test: { alertname: string; exp_alerts: unknown[] }[];
};
const cases = ["money", "calls", "server"].flatMap(
  (group) =>
    (parse(readFileSync(`ops/prometheus/rules.${group}.test.yml`, "utf8")) as { tests: Case[] }).tests,
);

/** Whether a case of `promtool test rules` has series for the alert. */
const isSeen = ({ input_series }: Case, { expr }: AlertRule) =>
  input_series.some(({ series }) => expr.includes(series.replace(/\{.*/, "")));

test.each(rules)("$alert has a case in which it fires and a similar one in which it does not", (rule) => {
  const expected = cases
    .filter((testCase) => isSeen(testCase, rule))
    .flatMap(({ alert_rule_test }) => alert_rule_test)
    .filter(({ alertname }) => alertname === rule.alert)
    .map(({ exp_alerts }) => exp_alerts.length > 0);
  expect(expected).toContain(true);
  expect(expected).toContain(false);
});

test("the chart has the same rules", () => {
  expect(readFileSync("deploy/chart/tollgate/files/rules.yml", "utf8")).toBe(
    readFileSync("ops/prometheus/rules.yml", "utf8"),
  );
});
