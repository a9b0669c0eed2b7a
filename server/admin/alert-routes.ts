import { alertOperations } from "@/server/operations";
import { alertQueries } from "@/server/queries";
import { all, from, operates, type Route, reads, resource } from "./route";
import { act, get, patch } from "./verbs";

/** Routes of email alerts. */
export const alertRoutes: readonly Route[] = [
  get(
    "/alerts",
    "List email alerts by person",
    reads(
      alertQueries.list,
      from(all("Recipient"), ({ recipients }) => recipients),
    ),
  ),
  get(
    "/alerts/{user_id}",
    "Show the email alerts of a person",
    reads(alertQueries.get, resource("Recipient")),
  ),
  patch(
    "/alerts/{user_id}",
    "Set the email alerts of a person",
    operates(alertOperations.set, resource("Recipient")),
  ),
  act(
    "/alerts/{user_id}/tests",
    "Send a test email to a person with email alerts",
    operates(alertOperations.test, resource("Recipient")),
  ),
];
