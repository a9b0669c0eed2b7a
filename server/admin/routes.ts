/** The admin API, route by route: what is done and read is declared in `operations` and `queries`. */
import {
  accountOperations,
  channelOperations,
  keyOperations,
  modelOperations,
  taskOperations,
  userOperations,
} from "@/server/operations";
import {
  accountQueries,
  auditQueries,
  callQueries,
  channelQueries,
  keyQueries,
  modelQueries,
  statementQueries,
  taskQueries,
  userQueries,
} from "@/server/queries";
import * as resources from "./resources";
import {
  type Answers,
  all,
  changes,
  from,
  one,
  operates,
  page,
  type Route,
  reads,
  route,
  step,
} from "./route";

const get = route({ method: "GET", status: 200, isKept: false });
/** Makes something. */
const create = route({ method: "POST", status: 201, isKept: true });
/** Does something that is harmless to do twice. */
const act = route({ method: "POST", status: 200, isKept: false });
const patch = route({ method: "PATCH", status: 200, isKept: false });
const remove = route({ method: "DELETE", status: 200, isKept: false });

const account = from(
  one("AccountDetail", resources.AccountDetail),
  ({ monthlyQuota: quota, ...rest }: Awaited<ReturnType<typeof accountQueries.get.read>>) => ({
    ...rest,
    quota,
  }),
);
const accountList = from(
  page("Account", resources.Account),
  ({ rows, nextCursor }: Awaited<ReturnType<typeof accountQueries.list.read>>) => ({
    rows: rows.map(({ monthlyQuota: quota, ...rest }) => ({ ...rest, quota })),
    nextCursor,
  }),
);

type Behind = { account: { id: string; name: string }; channel: { id: string; name: string } | null };
type Seen = { behind: Behind | null };

/** Operators see whose it is, and which channel served it, beside what an owner sees. */
const flat = <Row extends Seen>({ behind, ...row }: Row) => ({ ...row, ...behind });
const withBehind = <Row extends Seen>(row: Row | undefined) => row && flat(row);
const listBehind = <Row extends Seen>({ rows, nextCursor }: { rows: Row[]; nextCursor: string | null }) => ({
  rows: rows.map((row) => flat(row)),
  nextCursor,
});

const calls = page("Call", resources.Call);
const call = one("CallDetail", resources.CallDetail);
const tasks = page("Task", resources.Task);
const task = one("Task", resources.Task);
const key = one("Key", resources.Key);

/** Of what leaves nothing to show. */
const done = (): Answers<unknown> => ({ name: "Done", schema: resources.Done, of: () => ({ done: true }) });

const showAccount = reads(accountQueries.get, account);
const showKey = reads(keyQueries.get, key);
const showChannel = reads(channelQueries.get, one("ChannelDetail", resources.ChannelDetail));
const showModel = reads(modelQueries.get, one("Model", resources.Model));
const showUser = reads(userQueries.get, one("User", resources.User));

const accountRoutes = [
  get("/accounts", "List accounts", reads(accountQueries.list, accountList)),
  create(
    "/accounts",
    "Open an account",
    operates(accountOperations.create, one("NewAccount", resources.NewAccount)),
  ),
  get("/accounts/{account_id}", "Show an account, its months and its users", showAccount),
  patch(
    "/accounts/{account_id}",
    "Rename an account, enable or disable it, set its limits or its quota",
    changes(
      [
        step(accountOperations.rename),
        step(accountOperations.setStatus),
        step(accountOperations.setLimits),
        step(accountOperations.setQuota),
      ],
      ["accountId"],
      showAccount,
    ),
  ),
  create(
    "/accounts/{account_id}/top-ups",
    "Add money to the month under way",
    operates(accountOperations.topUp, one("TopUp", resources.TopUp)),
  ),
  get(
    "/accounts/{account_id}/months/{period}",
    "Show what a month was granted, and what became of it",
    reads(statementQueries.get, one("Statement", resources.Statement)),
  ),
  get(
    "/accounts/{account_id}/months/{period}/spend",
    "Show what a month was charged for, by day and model",
    reads(statementQueries.spend, one("MonthSpend", resources.MonthSpend)),
  ),
];

const keyRoutes = [
  get("/keys", "List API keys", reads(keyQueries.list, page("Key", resources.Key))),
  create("/keys", "Issue an API key", operates(keyOperations.create, one("NewKey", resources.NewKey))),
  get("/keys/{key_id}", "Show an API key and what it has spent this month", showKey),
  patch(
    "/keys/{key_id}",
    "Change an API key's terms, enable or disable it",
    changes([step(keyOperations.update), step(keyOperations.setStatus)], ["keyId"], showKey),
  ),
  remove("/keys/{key_id}", "Delete an API key for good", operates(keyOperations.remove, done())),
  get(
    "/keys/{key_id}/spend",
    "Show what a key was charged for this month, by day and model",
    reads(keyQueries.days, all("DaySpend", resources.DaySpend)),
  ),
];

const userRoutes = [
  get("/users", "List those who run the gateway", reads(userQueries.list, all("User", resources.User))),
  create("/users", "Let somebody in", operates(userOperations.create, one("NewUser", resources.NewUser))),
  get("/users/{user_id}", "Show a user", showUser),
  patch(
    "/users/{user_id}",
    "Enable or disable a user, make an operator a viewer",
    changes([step(userOperations.setStatus), step(userOperations.setReadOnly)], ["userId"], showUser),
  ),
  remove("/users/{user_id}", "Remove a user", operates(userOperations.remove, done())),
  create(
    "/users/{user_id}/password-resets",
    "Make a link by which a user sets a new password",
    operates(userOperations.resetPassword, one("Invitation", resources.Invitation)),
  ),
  remove(
    "/users/{user_id}/second-factor",
    "Turn off a user's second factor",
    operates(userOperations.resetTotp, done()),
  ),
  remove("/users/{user_id}/sessions", "Sign a user out everywhere", operates(userOperations.signOut, done())),
];

const channelRoutes = [
  get("/channels", "List channels", reads(channelQueries.list, all("Channel", resources.Channel))),
  create(
    "/channels",
    "Add a channel",
    operates(channelOperations.create, one("SavedChannel", resources.SavedChannel)),
  ),
  get("/channels/{channel_id}", "Show a channel and the models it serves", showChannel),
  patch(
    "/channels/{channel_id}",
    "Change a channel, enable or disable it",
    changes([step(channelOperations.update), step(channelOperations.setEnabled)], ["channelId"], showChannel),
  ),
  remove("/channels/{channel_id}", "Remove a channel", operates(channelOperations.remove, done())),
  act(
    "/channels/{channel_id}/tests",
    "Make one tiny call through a channel",
    reads(channelQueries.test, one("ChannelTest", resources.ChannelTest)),
  ),
];

const modelRoutes = [
  get(
    "/models",
    "List models and their prices",
    reads(
      modelQueries.list,
      from(
        all("Model", resources.Model),
        ({ models }: Awaited<ReturnType<typeof modelQueries.list.read>>) => models,
      ),
    ),
    reads(modelQueries.listOnSale, all("ModelOnSale", resources.ModelOnSale)),
  ),
  create("/models", "Put a model on sale", operates(modelOperations.create, one("Model", resources.Model))),
  get("/models/{id}", "Show a model", showModel),
  patch(
    "/models/{id}",
    "Change a model or its prices",
    changes([step(modelOperations.update)], ["id"], showModel),
  ),
  get(
    "/models/{model_id}/routes",
    "Show which channels a call for a model comes to",
    reads(channelQueries.routes, one("ModelRoutes", resources.ModelRoutes)),
  ),
];

const taskRoutes = [
  get(
    "/tasks",
    "List video tasks",
    reads(taskQueries.listAll, from(tasks, listBehind)),
    reads(taskQueries.list, tasks),
  ),
  get(
    "/tasks/{task_id}",
    "Show a video task",
    reads(taskQueries.getAny, from(task, withBehind)),
    reads(taskQueries.get, task),
  ),
  act(
    "/tasks/{task_id}/cancellations",
    "Ask a video task's vendor to stop",
    operates(taskOperations.cancel, one("Cancellation", resources.Cancellation)),
  ),
];

const recordRoutes = [
  get(
    "/calls",
    "List calls",
    reads(callQueries.listAll, from(calls, listBehind)),
    reads(callQueries.list, calls),
  ),
  get(
    "/calls/{request_id}",
    "Show a call and why it was charged what it was",
    reads(callQueries.getAny, from(call, withBehind)),
    reads(callQueries.get, call),
  ),
  get(
    "/ledger-entries",
    "List an account's ledger entries of a month",
    reads(statementQueries.entries, page("LedgerEntry", resources.LedgerEntry)),
  ),
  get(
    "/audit-entries",
    "List who changed what",
    reads(auditQueries.list, page("AuditEntry", resources.AuditEntry)),
  ),
];

export const routes: readonly Route[] = [
  ...accountRoutes,
  ...keyRoutes,
  ...userRoutes,
  ...channelRoutes,
  ...modelRoutes,
  ...taskRoutes,
  ...recordRoutes,
];
