import { unusualDayQueries, usageQueries } from "@/server/queries";
import { operatorQuery, ownerQuery } from "../queries";
import { router } from "../trpc";

export const usageRouter = router({
  show: ownerQuery(usageQueries.show),
  unusualDay: ownerQuery(unusualDayQueries.show),
});

export const allUsageRouter = router({
  show: operatorQuery(usageQueries.show),
  unusualDay: operatorQuery(unusualDayQueries.show),
});
