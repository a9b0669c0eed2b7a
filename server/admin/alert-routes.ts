import { alertOperations } from "@/server/operations";
import { alertQueries } from "@/server/queries";
import { all, from, operates, type Route, reads, resource } from "./route";
import { act, get, patch } from "./verbs";

/** Routes of alerts by e-mail. */
export const alertRoutes: readonly Route[] = [
  get(
    "/alerts",
    "List who is told of what by e-mail",
    reads(
      alertQueries.list,
      from(all("Recipient"), ({ recipients }) => recipients),
    ),
  ),
  get(
    "/alerts/{user_id}",
    "Show what somebody is told by e-mail",
    reads(alertQueries.get, resource("Recipient")),
  ),
  patch(
    "/alerts/{user_id}",
    "Choose what somebody is told by e-mail",
    operates(alertOperations.set, resource("Recipient")),
  ),
  act(
    "/alerts/{user_id}/tests",
    "Send somebody who is told by e-mail a test",
    operates(alertOperations.test, resource("Recipient")),
  ),
];
