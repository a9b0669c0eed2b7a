/** The admin API, route by route. Changes and reads are declared in `operations` and `queries`. */
import {
  accountOperations,
  channelOperations,
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
import { paymentRoutes } from "./payment-routes";
import { priceRoutes } from "./price-routes";
import { all, changes, from, operates, page, type Route, reads, resource } from "./route";
import { act, create, get, patch, remove } from "./verbs";
import { webhookRoutes } from "./webhook-routes";

const showAccount = reads(accountQueries.get, resource("AccountDetail"));
const showKey = reads(keyQueries.get, resource("Key"));
const showChannel = reads(channelQueries.get, resource("ChannelDetail"));
const showModel = reads(modelQueries.get, resource("Model"));
const showUser = reads(userQueries.get, resource("User"));

export const routes: readonly Route[] = [
  get("/accounts", "List accounts", reads(accountQueries.list, page("Account"))),
  get(
    "/running-out",
    "List accounts whose money of this month goes before the month does, the soonest first",
    reads(accountQueries.runningOut, all("RunningOut")),
  ),
  create("/accounts", "Open an account", operates(accountOperations.create, resource("NewAccount"))),
  get("/accounts/{account_id}", "Show an account, its months and its users", showAccount),
  patch(
    "/accounts/{account_id}",
    "Rename an account, enable or disable it, set its limits, its quota, its price group, whether its responses are kept or its top-ups carried",
    changes(
      [
        operates(accountOperations.rename),
        operates(accountOperations.setStatus),
        operates(accountOperations.setLimits),
        operates(accountOperations.setQuota),
        operates(accountOperations.setStoresResponses),
        operates(accountOperations.setCarriesTopups),
        operates(priceGroupOperations.assign),
      ],
      ["accountId"],
      showAccount,
    ),
    changes([operates(accountOperations.setStoresResponses)], ["accountId"], showAccount),
  ),
  create(
    "/accounts/{account_id}/top-ups",
    "Add money to the month under way",
    operates(accountOperations.topUp, resource("TopUp")),
  ),
  create(
    "/accounts/{account_id}/adjustments",
    "Credit or debit the month under way",
    operates(accountOperations.adjust, resource("TopUp")),
  ),
  create(
    "/refunds",
    "Give back a charge, or a part of it, into the month under way",
    operates(refundOperations.create, resource("Refund")),
  ),
  act(
    "/accounts/{account_id}/erasures",
    "Forget the personal data of a disabled account, for good; the ledger stays",
    operates(erasureOperations.eraseCustomer),
  ),
  get(
    "/accounts/{account_id}/months/{period}",
    "Show what a month was granted, and what became of it",
    reads(statementQueries.get, resource("Statement")),
  ),
  get(
    "/accounts/{account_id}/months/{period}/statement",
    "Show a month as it is printed: what it had, what it was charged for by model and key, and what was added",
    reads(wholeStatementQueries.get, resource("WholeStatement")),
  ),
  get(
    "/accounts/{account_id}/months/{period}/spend",
    "Show what a month was charged for, by day and model",
    reads(statementQueries.spend, resource("MonthSpend")),
  ),

  get(
    "/months/{period}",
    "List what a month came to for each account",
    reads(wholeStatementQueries.months, page("AccountMonth")),
  ),
  get("/code-batches", "List batches of redeem codes", reads(codeQueries.list, all("CodeBatch"))),
  create("/code-batches", "Make redeem codes", operates(codeOperations.create, resource("NewCodes"))),
  get(
    "/code-batches/{batch_id}",
    "Show a batch and what became of each of its codes",
    reads(codeQueries.get, resource("CodeBatchDetail")),
  ),
  act(
    "/code-batches/{batch_id}/disable",
    "Refuse the codes of a batch that nobody has redeemed yet, for good",
    operates(codeOperations.disable),
  ),
  create(
    "/accounts/{account_id}/redemptions",
    "Redeem a code, in the month under way",
    operates(codeOperations.redeem, resource("Redemption")),
  ),

  get("/keys", "List API keys", reads(keyQueries.list, page("Key"))),
  create("/keys", "Issue an API key", operates(keyOperations.create, resource("NewKey"))),
  patch("/keys", "Enable or disable several API keys, all or none", operates(keyOperations.setStatuses)),
  get("/keys/{key_id}", "Show an API key and what it has spent this month", showKey),
  patch(
    "/keys/{key_id}",
    "Change an API key's terms, enable or disable it",
    changes([operates(keyOperations.update), operates(keyOperations.setStatus)], ["keyId"], showKey),
  ),
  remove("/keys/{key_id}", "Delete an API key for good", operates(keyOperations.remove)),
  create(
    "/keys/{key_id}/rotations",
    "Give an API key a new secret; all else of it stays",
    operates(keyOperations.rotate, resource("NewKey")),
  ),
  remove(
    "/keys/{key_id}/old-secret",
    "Refuse the secret that a rotation has left in force",
    operates(keyOperations.retireSecret),
  ),
  create(
    "/keys/{key_id}/duplicates",
    "Issue another API key on the same terms",
    operates(keyOperations.duplicate, resource("NewKey")),
  ),
  get(
    "/keys/{key_id}/spend",
    "Show what a key was charged for this month, by day and model",
    reads(keyQueries.days, all("DaySpend")),
  ),

  ...alertRoutes,
  ...webhookRoutes,
  ...paymentRoutes,

  get(
    "/users",
    "List those who run the gateway, or an account's people",
    reads(userQueries.list, all("User")),
  ),
  create("/users", "Let somebody in", operates(userOperations.create, resource("NewUser"))),
  get("/users/{user_id}", "Show a user", showUser),
  patch(
    "/users/{user_id}",
    "Enable or disable a user, change the role",
    changes([operates(userOperations.setStatus), operates(userOperations.setRole)], ["userId"], showUser),
  ),
  remove("/users/{user_id}", "Remove a user", operates(userOperations.remove)),
  act(
    "/users/{user_id}/erasures",
    "Remove a user, whether still there or not, and their e-mail from the audit log",
    operates(erasureOperations.erasePerson),
  ),
  create(
    "/users/{user_id}/password-resets",
    "Make a link by which a user sets a new password",
    operates(userOperations.resetPassword, resource("Invitation")),
  ),
  remove(
    "/users/{user_id}/second-factor",
    "Turn off a user's second factor",
    operates(userOperations.resetTotp),
  ),
  remove(
    "/users/{user_id}/provider",
    "Unlink a user from the OpenID Connect provider",
    operates(userOperations.unlink),
  ),
  remove("/users/{user_id}/sessions", "Sign a user out everywhere", operates(userOperations.signOut)),

  get("/channels", "List channels", reads(channelQueries.list, all("Channel"))),
  create("/channels", "Add a channel", operates(channelOperations.create, resource("ChannelDetail"))),
  get("/channels/{channel_id}", "Show a channel and the models it serves", showChannel),
  patch(
    "/channels/{channel_id}",
    "Change a channel, enable or disable it, move its calls to the others or back",
    changes(
      [
        operates(channelOperations.update),
        operates(channelOperations.setEnabled),
        operates(channelOperations.setMovedOff),
      ],
      ["channelId"],
      showChannel,
    ),
  ),
  remove("/channels/{channel_id}", "Remove a channel", operates(channelOperations.remove)),
  get(
    "/channels/{channel_id}/health",
    "Show how a channel did in the last hour, day or week",
    reads(channelQueries.health, resource("ChannelHealth")),
  ),
  act(
    "/channels/{channel_id}/tests",
    "Make one tiny call through a channel",
    reads(channelQueries.test, resource("ChannelTest")),
  ),

  get(
    "/models",
    "List models and their prices",
    reads(
      modelQueries.list,
      from(all("Model"), ({ models }: Awaited<ReturnType<typeof modelQueries.list.read>>) => models),
    ),
    reads(modelQueries.listOnSale, all("ModelOnSale")),
  ),
  create("/models", "Put a model on sale", operates(modelOperations.create, resource("Model"))),
  get("/models/{id}", "Show a model", showModel),
  patch(
    "/models/{id}",
    "Change a model or its prices",
    changes([operates(modelOperations.update)], ["id"], showModel),
  ),
  ...priceRoutes,
  get(
    "/models/{model_id}/routes",
    "Show which channels a call for a model comes to",
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
    "Ask a video task's vendor to stop",
    operates(taskOperations.cancel, resource("Cancellation")),
  ),

  get(
    "/calls",
    "List calls",
    reads(callQueries.listAll, page("Call")),
    reads(callQueries.list, page("Call")),
  ),
  get(
    "/calls/{request_id}",
    "Show a call and why it was charged what it was",
    reads(callQueries.get, resource("CallDetail")),
  ),
  get(
    "/missed-paths",
    "List what clients asked for that no endpoint has",
    reads(callQueries.missedPaths, all("MissedPath")),
  ),
  get(
    "/usage",
    "Show what was used and charged in a span of time, by model, key or account, beside the span before",
    reads(usageQueries.show, resource("Usage")),
  ),
  get(
    "/ledger-entries",
    "List an account's ledger entries of a month",
    reads(statementQueries.entries, page("LedgerEntry")),
  ),
  get("/audit-entries", "List who changed what", reads(auditQueries.list, page("AuditEntry"))),
];
