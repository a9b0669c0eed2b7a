import { accountsRouter } from "./routers/accounts";
import { alertsRouter, installationAlertsRouter } from "./routers/alerts";
import { auditRouter } from "./routers/audit";
import { billingRouter } from "./routers/billing";
import { allCallsRouter, callsRouter } from "./routers/calls";
import { channelsRouter } from "./routers/channels";
import { codesRouter } from "./routers/codes";
import { keysRouter } from "./routers/keys";
import { linksRouter } from "./routers/links";
import { installationKeysRouter, managementKeysRouter } from "./routers/management-keys";
import { modelsRouter } from "./routers/models";
import { overviewRouter } from "./routers/overview";
import { ownAccountRouter } from "./routers/own-account";
import { allPaymentsRouter, paymentsRouter } from "./routers/payments";
import { playgroundRouter } from "./routers/playground";
import { pricesRouter } from "./routers/prices";
import { securityRouter } from "./routers/security";
import { allUsageRouter, usageRouter } from "./routers/usage";
import { peopleRouter, usersRouter } from "./routers/users";
import { allVideosRouter, videosRouter } from "./routers/videos";
import { installationWebhooksRouter, webhooksRouter } from "./routers/webhooks";
import { router } from "./trpc";

/** All procedures of the console, by screen. */
export const appRouter = router({
  allCalls: allCallsRouter,
  allPayments: allPaymentsRouter,
  allUsage: allUsageRouter,
  allVideos: allVideosRouter,
  billing: billingRouter,
  payments: paymentsRouter,
  calls: callsRouter,
  videos: videosRouter,
  accounts: accountsRouter,
  audit: auditRouter,
  channels: channelsRouter,
  codes: codesRouter,
  keys: keysRouter,
  installationKeys: installationKeysRouter,
  links: linksRouter,
  account: ownAccountRouter,
  managementKeys: managementKeysRouter,
  models: modelsRouter,
  overview: overviewRouter,
  playground: playgroundRouter,
  prices: pricesRouter,
  security: securityRouter,
  usage: usageRouter,
  people: peopleRouter,
  users: usersRouter,
  alerts: alertsRouter,
  installationAlerts: installationAlertsRouter,
  webhooks: webhooksRouter,
  installationWebhooks: installationWebhooksRouter,
});

export type AppRouter = typeof appRouter;
