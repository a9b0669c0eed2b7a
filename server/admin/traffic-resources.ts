/** Resources of the admin API: how models have performed. */
import { z } from "zod";

const uptime = z.number().describe("The share of requests that did not fail, from 0 to 1");
const latencyMs = z
  .number()
  .int()
  .nullable()
  .describe(
    "The median time to the first token of a stream, or to the whole response of a model without streams; null: too few requests",
  );
const tokensPerSecond = z.number().nullable().describe("Output of streams; null: too few requests");

const Figures = z.object({
  calls: z.number().int(),
  uptime: uptime.nullable().describe("null: fewer than 20 requests"),
  latencyMs,
  tokensPerSecond,
});

/** As an account sees it: without the number of requests, which other accounts' are among. */
export const shownTraffic = z
  .object({ over: z.enum(["day", "week"]), uptime, latencyMs, tokensPerSecond })
  .nullable()
  .describe("Of all requests of the installation in the last 24 hours or 7 days; null: too few");

export const trafficResources = {
  ModelTraffic: z.object({
    day: Figures.describe("The last 24 hours"),
    week: Figures.describe("The last 7 days"),
  }),
};
