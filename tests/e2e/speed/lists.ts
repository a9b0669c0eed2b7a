import type { People } from "../support/people";
import type { Session } from "../support/session";

type List = {
  name: string;
  role: "owner" | "operator";
  read: (session: Session, people: People) => Promise<unknown>;
};

/** The JSON that pages ask for: lists, and the figures that stand with them. */
export const lists: List[] = [
  { name: "calls.list", role: "owner", read: ({ calls }) => calls.list.query({}) },
  { name: "calls.list failed", role: "owner", read: ({ calls }) => calls.list.query({ status: "failed" }) },
  {
    name: "calls.sums of a key",
    role: "owner",
    read: ({ calls }, { keyId }) => calls.sums.query({ keyId } as Parameters<typeof calls.sums.query>[0]),
  },
  { name: "calls.list by cost", role: "owner", read: ({ calls }) => calls.list.query({ sort: "-cost" }) },
  { name: "keys.list", role: "owner", read: ({ keys }) => keys.list.query({}) },
  { name: "usage.show", role: "owner", read: ({ usage }) => usage.show.query({}) },
  {
    name: "usage.show by key and model",
    role: "owner",
    read: ({ usage }) => usage.show.query({ by: "key_model" }),
  },
  { name: "usage.unusualDay", role: "owner", read: ({ usage }) => usage.unusualDay.query({}) },
  { name: "billing.entries", role: "owner", read: ({ billing }) => billing.entries.query({}) },
  { name: "billing.periods", role: "owner", read: ({ billing }) => billing.periods.query() },
  { name: "videos.list", role: "owner", read: ({ videos }) => videos.list.query({}) },
  { name: "overview.month", role: "owner", read: ({ overview }) => overview.month.query() },
  { name: "overview.days", role: "owner", read: ({ overview }) => overview.days.query() },
  { name: "overview.firstSteps", role: "owner", read: ({ overview }) => overview.firstSteps.query() },
  { name: "allCalls.list", role: "operator", read: ({ allCalls }) => allCalls.list.query({}) },
  {
    name: "allCalls.list failed",
    role: "operator",
    read: ({ allCalls }) => allCalls.list.query({ status: "failed" }),
  },
  {
    name: "allCalls.sums of failed",
    role: "operator",
    read: ({ allCalls }) => allCalls.sums.query({ status: "failed" }),
  },
  {
    name: "allCalls.list by cost",
    role: "operator",
    read: ({ allCalls }) => allCalls.list.query({ sort: "-cost" }),
  },
  { name: "accounts.list", role: "operator", read: ({ accounts }) => accounts.list.query({}) },
  {
    name: "accounts.list by end of money",
    role: "operator",
    read: ({ accounts }) => accounts.list.query({ sort: "lastsUntil" }),
  },
  {
    name: "accounts.get",
    role: "operator",
    read: ({ accounts }, { accountId }) =>
      accounts.get.query({ accountId } as Parameters<typeof accounts.get.query>[0]),
  },
  { name: "allUsage.show", role: "operator", read: ({ allUsage }) => allUsage.show.query({}) },
  {
    name: "allUsage.show by account",
    role: "operator",
    read: ({ allUsage }) => allUsage.show.query({ by: "account" }),
  },
  {
    name: "allUsage.show of a day",
    role: "operator",
    read: ({ allUsage }) => allUsage.show.query({ range: "day" }),
  },
  { name: "prices.margin", role: "operator", read: ({ prices }) => prices.margin.query({}) },
  { name: "overview.business", role: "operator", read: ({ overview }) => overview.business.query() },
  { name: "overview.earnings", role: "operator", read: ({ overview }) => overview.earnings.query({}) },
  { name: "overview.traffic", role: "operator", read: ({ overview }) => overview.traffic.query() },
  { name: "overview.attention", role: "operator", read: ({ overview }) => overview.attention.query() },
  { name: "channels.list", role: "operator", read: ({ channels }) => channels.list.query({}) },
  {
    name: "channels.health of a day",
    role: "operator",
    read: ({ channels }, { channelId }) =>
      channels.health.query({ channelId } as Parameters<typeof channels.health.query>[0]),
  },
  { name: "audit.list", role: "operator", read: ({ audit }) => audit.list.query({}) },
  { name: "allVideos.list", role: "operator", read: ({ allVideos }) => allVideos.list.query({}) },
];
