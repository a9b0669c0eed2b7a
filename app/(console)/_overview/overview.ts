import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";

type Outputs = inferRouterOutputs<AppRouter>["overview"];

export type OwnMonth = Outputs["month"];
export type FirstSteps = Outputs["firstSteps"];
export type Failure = Outputs["failures"][number];
export type OpenTask = Outputs["openTasks"]["tasks"][number];
export type Business = Outputs["business"];
export type Earnings = Outputs["earnings"];
export type Attention = Outputs["attention"];
export type MissedPath = Outputs["missedPaths"][number];
export type LastChange = Outputs["changes"][number];

/** The query for the most expensive keys of the month on an owner's overview. */
export const topKeys = { by: "key" } as const;

/** How often a visible page refreshes data in progress. */
export const FOLLOW_MS = 5_000;
