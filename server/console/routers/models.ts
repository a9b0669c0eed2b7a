import { modelQueries } from "@/server/queries";
import { ownerQuery } from "../queries";
import { router } from "../trpc";

/** Models on sale. */
export const modelsRouter = router({ list: ownerQuery(modelQueries.listOnSale) });
