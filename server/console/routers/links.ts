import { securityOperations } from "@/server/operations";
import { linkOperation } from "../operations";
import { router } from "../trpc";

/** Actions of a person without a session, by a link from an operator. */
export const linksRouter = router({ setPassword: linkOperation(securityOperations.setPasswordByLink) });
