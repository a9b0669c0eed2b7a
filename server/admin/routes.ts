/** The admin API, route by route. Changes and reads are declared in `operations` and `queries`. */
import {
  accountOperations,
  codeOperations,
  erasureOperations,
  keyOperations,
  modelOperations,
  priceGroupOperations,
  refundOperations,
  taskOperations,
  userOperations,
} from "@/server/operations";
import {
  accountQueries,
  auditQueries,
  callQueries,
  channelQueries,
  codeQueries,
  keyQueries,
  modelQueries,
  statementQueries,
  taskQueries,
  usageQueries,
  userQueries,
  wholeStatementQueries,
} from "@/server/queries";
import { alertRoutes } from "./alert-routes";
import { channelRoutes } from "./channel-routes";
import { paymentRoutes } from "./payment-routes";
import { priceRoutes } from "./price-routes";
import { all, changes, from, operates, page, type Route, reads, resource } from "./route";
import { act, create, get, patch, remove } from "./verbs";
import { webhookRoutes } from "./webhook-routes";

const showAccount = reads(accountQueries.get, resource("AccountDetail"));
const showKey = reads(keyQueries.get, resource("Key"));
const showModel = reads(modelQueries.get, resource("Model"));
const showUser = reads(userQueries.get, resource("User"));

export const routes: readonly Route[] = [
  get("/accounts", "List accounts", reads(accountQueries.list, page("Account"))),
  get(
    "/running-out",
    "List accounts projected to run out of quota this month, soonest first",
    reads(accountQueries.runningOut, all("RunningOut")),
  ),
  create("/accounts", "Create an account", operates(accountOperations.create, resource("NewAccount"))),
  get("/accounts/{account_id}", "Show an account with its months and users", showAccount),
  patch(
    "/accounts/{account_id}",
    "Rename, enable or disable an account; set its limits, quota, price group, storing of responses and top-up carry-over",
    changes(
      [
        operates(accountOperations.rename),
        operates(accountOperations.setStatus),
        operates(accountOperations.setLimits),
        operates(accountOperations.setQuota),
        operates(accountOperations.setStoresResponses),
        operates(accountOperations.setCarriesTopups),
        operates(priceGroupOperations.assign),
        operates(accountOperations.setBuyer),
      ],
      ["accountId"],
      showAccount,
    ),
    changes(
      [operates(accountOperations.setStoresResponses), operates(accountOperations.setBuyer)],
      ["accountId"],
      showAccount,
    ),
  ),
  create(
    "/accounts/{account_id}/top-ups",
    "Add money to the current month",
    operates(accountOperations.topUp, resource("TopUp")),
  ),
  create(
    "/accounts/{account_id}/adjustments",
    "Credit or debit the current month",
    operates(accountOperations.adjust, resource("TopUp")),
  ),
  create(
    "/refunds",
    "Refund a charge, in full or in part, to the current month",
    operates(refundOperations.create, resource("Refund")),
  ),
  act(
    "/accounts/{account_id}/erasures",
    "Erase the personal data of a disabled account permanently; the ledger stays",
    operates(erasureOperations.eraseCustomer),
  ),
  get(
    "/accounts/{account_id}/months/{period}",
    "Show the balance of a month",
    reads(statementQueries.get, resource("Statement")),
  ),
  get(
    "/accounts/{account_id}/months/{period}/statement",
    "Show the statement of a month: balance, charges by model and key, and credits",
    reads(wholeStatementQueries.get, resource("WholeStatement")),
  ),
  get(
    "/accounts/{account_id}/months/{period}/spend",
    "Show the charges of a month by day and model",
    reads(statementQueries.spend, resource("MonthSpend")),
  ),

  get(
    "/months/{period}",
    "List the totals of a month for each account",
    reads(wholeStatementQueries.months, page("AccountMonth")),
  ),
  get("/code-batches", "List batches of redeem codes", reads(codeQueries.list, all("CodeBatch"))),
  create("/code-batches", "Create redeem codes", operates(codeOperations.create, resource("NewCodes"))),
  get(
    "/code-batches/{batch_id}",
    "Show a batch and the status of each of its codes",
    reads(codeQueries.get, resource("CodeBatchDetail")),
  ),
  act(
    "/code-batches/{batch_id}/disable",
    "Disable the unredeemed codes of a batch permanently",
    operates(codeOperations.disable),
  ),
  create(
    "/accounts/{account_id}/redemptions",
    "Redeem a code, in the current month",
    operates(codeOperations.redeem, resource("Redemption")),
  ),

  get("/keys", "List API keys", reads(keyQueries.list, page("Key"))),
  create("/keys", "Create an API key", operates(keyOperations.create, resource("NewKey"))),
  patch("/keys", "Enable or disable several API keys, all or none", operates(keyOperations.setStatuses)),
  get("/keys/{key_id}", "Show an API key and its spend this month", showKey),
  patch(
    "/keys/{key_id}",
    "Change the settings of an API key; enable or disable it",
    changes([operates(keyOperations.update), operates(keyOperations.setStatus)], ["keyId"], showKey),
  ),
  remove("/keys/{key_id}", "Delete an API key permanently", operates(keyOperations.remove)),
  create(
    "/keys/{key_id}/rotations",
    "Rotate the secret of an API key; everything else stays the same",
    operates(keyOperations.rotate, resource("NewKey")),
  ),
  remove(
    "/keys/{key_id}/old-secret",
    "Revoke the previous secret of a rotated API key immediately",
    operates(keyOperations.retireSecret),
  ),
  create(
    "/keys/{key_id}/duplicates",
    "Create another API key with the same settings",
    operates(keyOperations.duplicate, resource("NewKey")),
  ),
  get(
    "/keys/{key_id}/spend",
    "Show the charges of a key this month by day and model",
    reads(keyQueries.days, all("DaySpend")),
  ),

  ...alertRoutes,
  ...webhookRoutes,
  ...paymentRoutes,

  get("/users", "List operators, or the users of an account", reads(userQueries.list, all("User"))),
  create("/users", "Create a user", operates(userOperations.create, resource("NewUser"))),
  get("/users/{user_id}", "Show a user", showUser),
  patch(
    "/users/{user_id}",
    "Enable or disable a user; change the role",
    changes([operates(userOperations.setStatus), operates(userOperations.setRole)], ["userId"], showUser),
  ),
  remove("/users/{user_id}", "Remove a user", operates(userOperations.remove)),
  act(
    "/users/{user_id}/erasures",
    "Remove a user if there is one, and erase the email from the audit log",
    operates(erasureOperations.erasePerson),
  ),
  create(
    "/users/{user_id}/password-resets",
    "Create a link to set a new password",
    operates(userOperations.resetPassword, resource("Invitation")),
  ),
  remove(
    "/users/{user_id}/second-factor",
    "Turn off two-factor authentication for a user",
    operates(userOperations.resetTotp),
  ),
  remove(
    "/users/{user_id}/provider",
    "Unlink a user from the OpenID Connect provider",
    operates(userOperations.unlink),
  ),
  remove("/users/{user_id}/sessions", "Sign a user out everywhere", operates(userOperations.signOut)),

  ...channelRoutes,

  get(
    "/models",
    "List models and their prices",
    reads(
      modelQueries.list,
      from(all("Model"), ({ models }: Awaited<ReturnType<typeof modelQueries.list.read>>) => models),
    ),
    reads(modelQueries.listOnSale, all("ModelOnSale")),
  ),
  create("/models", "Add a model", operates(modelOperations.create, resource("Model"))),
  get("/models/{id}", "Show a model", showModel),
  patch(
    "/models/{id}",
    "Change a model or its prices",
    changes([operates(modelOperations.update)], ["id"], showModel),
  ),
  get(
    "/models/{id}/traffic",
    "Show latency, throughput and uptime of a model",
    reads(modelQueries.traffic, resource("ModelTraffic")),
  ),
  ...priceRoutes,
  get(
    "/models/{model_id}/routes",
    "Show the channels of a model in the order in which they are tried",
    reads(channelQueries.routes, resource("ModelRoutes")),
  ),

  get(
    "/tasks",
    "List video tasks",
    reads(taskQueries.listAll, page("Task")),
    reads(taskQueries.list, page("Task")),
  ),
  get("/tasks/{task_id}", "Show a video task", reads(taskQueries.get, resource("Task"))),
  act(
    "/tasks/{task_id}/cancellations",
    "Ask the vendor to cancel a video task",
    operates(taskOperations.cancel, resource("Cancellation")),
  ),

  get(
    "/calls",
    "List requests",
    reads(callQueries.listAll, page("Call")),
    reads(callQueries.list, page("Call")),
  ),
  get(
    "/calls/{request_id}",
    "Show a request and how its charge was calculated",
    reads(callQueries.get, resource("CallDetail")),
  ),
  get(
    "/missed-paths",
    "List paths that clients requested but the gateway does not have",
    reads(callQueries.missedPaths, all("MissedPath")),
  ),
  get(
    "/usage",
    "Show usage and spend by model, key or account, compared with the previous period",
    reads(usageQueries.show, resource("Usage")),
  ),
  get(
    "/ledger-entries",
    "List the ledger entries of an account and month",
    reads(statementQueries.entries, page("LedgerEntry")),
  ),
  get("/audit-entries", "List audit log entries", reads(auditQueries.list, page("AuditEntry"))),
];
