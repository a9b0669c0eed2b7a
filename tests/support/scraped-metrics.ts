import { readFileSync } from "node:fs";

/** The metrics of a server, as text. */
export const scrape = async ({ url }: { url: string }) => await (await fetch(`${url}/metrics`)).text();

/** The value of a series; null: it is missing. */
export const seriesOf = (text: string, series: string): number | null => {
  const line = text.split("\n").find((sample) => sample.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length + 1));
};

/** A series of a server; 0: it has not been counted yet. */
export const metricOf = async (server: { url: string }, series: string) =>
  seriesOf(await scrape(server), series) ?? 0;

/** The number of charges of this kind that an operator should look at. */
export const incidentsOf = (server: { url: string }, kind: string) =>
  metricOf(server, `tollgate_billing_incidents_total{kind="${kind}"}`);

/** The number of successful calls of an endpoint, in all processes. */
export const servedBy = (text: string, endpoint: string): number =>
  text
    .split("\n")
    .filter((line) => line.startsWith(`tollgate_requests_total{endpoint="${endpoint}",status="200"} `))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);

/** The metrics in docs/metrics.md, with their labels. */
export const documentedMetrics = () =>
  [
    ...readFileSync("docs/metrics.md", "utf8").matchAll(
      /^\| `((?:tollgate|gen_ai)_\w+)(?:\{([\w,]*)\})?` \|/gm,
    ),
  ].map(([, name = "", labels = ""]) => ({ name, labels }));

/** The metrics in the text, counted or not. */
export const metricsIn = (text: string) =>
  new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name));
