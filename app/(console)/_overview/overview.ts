import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";

type OverviewOutputs = inferRouterOutputs<AppRouter>["overview"];

export type OwnMonth = OverviewOutputs["month"];
export type FirstSteps = OverviewOutputs["firstSteps"];
export type RecentFailure = OverviewOutputs["failures"][number];
export type OpenTask = OverviewOutputs["openTasks"]["tasks"][number];
export type Business = OverviewOutputs["business"];
export type Earnings = OverviewOutputs["earnings"];
export type Attention = OverviewOutputs["attention"];
export type MissedPath = OverviewOutputs["missedPaths"][number];
export type LastChange = OverviewOutputs["changes"][number];

/** The query for the most expensive keys of the month on an owner's overview. */
export const topKeys = { by: "key" } as const;
