import { securityOperations } from "@/server/operations";
import { linkOperation } from "../operations";
import { router } from "../trpc";

/** What somebody may do who has no session, but the link that an operator gave them. */
export const linksRouter = router({ setPassword: linkOperation(securityOperations.setPasswordByLink) });
