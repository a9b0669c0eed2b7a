import { auditQueries } from "@/server/queries";
import { operatorQuery } from "../queries";
import { router } from "../trpc";

export const auditRouter = router({ list: operatorQuery(auditQueries.list) });
