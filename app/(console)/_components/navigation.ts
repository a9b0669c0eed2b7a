import {
  IconActivity,
  IconApi,
  IconBell,
  IconBolt,
  IconChartBar,
  IconCoin,
  IconCreditCard,
  IconGauge,
  IconHistory,
  IconKey,
  IconMessageCircle,
  IconMovie,
  IconReceipt,
  IconRoute,
  IconScale,
  IconShieldLock,
  IconTicket,
  IconUserShield,
  IconUsers,
} from "@tabler/icons-react";
import { addresses } from "@/app/addresses";
import type { Role } from "@/server/base/facts";

type Icon = typeof IconKey;

/** `label` and `group` are keys of the `shell` texts. */
const owner = [
  { href: addresses.overview(), label: "overview", group: "groupUse", icon: IconGauge },
  { href: addresses.keys(), label: "keys", group: "groupUse", icon: IconKey },
  { href: addresses.requests(), label: "requests", group: "groupUse", icon: IconActivity },
  { href: addresses.usage(), label: "usage", group: "groupUse", icon: IconChartBar },
  { href: addresses.videos(), label: "videos", group: "groupUse", icon: IconMovie },
  { href: addresses.billing(), label: "billing", group: "groupMoney", icon: IconReceipt },
  { href: addresses.models(), label: "models", group: "groupBuild", icon: IconBolt },
  { href: addresses.playground(), label: "playground", group: "groupBuild", icon: IconMessageCircle },
  { href: addresses.managementKeys(), label: "managementKeys", group: "groupBuild", icon: IconApi },
  { href: addresses.notifications(), label: "notifications", group: "groupBuild", icon: IconBell },
  { href: addresses.security(), label: "security", group: "groupYou", icon: IconShieldLock },
] as const;

const operator = [
  { href: addresses.overview(), label: "overview", group: "groupRun", icon: IconGauge },
  { href: addresses.accounts(), label: "accounts", group: "groupRun", icon: IconUsers },
  { href: addresses.channels(), label: "channels", group: "groupRun", icon: IconRoute },
  { href: addresses.prices(), label: "prices", group: "groupRun", icon: IconCoin },
  { href: addresses.payments(), label: "payments", group: "groupRun", icon: IconCreditCard },
  { href: addresses.codes(), label: "codes", group: "groupRun", icon: IconTicket },
  { href: addresses.users(), label: "users", group: "groupRun", icon: IconUserShield },
  { href: addresses.managementKeys(), label: "managementKeys", group: "groupRun", icon: IconApi },
  { href: addresses.notifications(), label: "notifications", group: "groupRun", icon: IconBell },
  { href: addresses.allUsage(), label: "allUsage", group: "groupWatch", icon: IconChartBar },
  { href: addresses.margin(), label: "margin", group: "groupWatch", icon: IconScale },
  { href: addresses.allRequests(), label: "allRequests", group: "groupWatch", icon: IconActivity },
  { href: addresses.allVideos(), label: "allVideos", group: "groupWatch", icon: IconMovie },
  { href: addresses.audit(), label: "audit", group: "groupWatch", icon: IconHistory },
  { href: addresses.security(), label: "security", group: "groupYou", icon: IconShieldLock },
] as const;

type Entry = (typeof owner)[number] | (typeof operator)[number];
export type Place = Omit<Entry, "icon"> & { icon: Icon };

/** Somebody who has signed in, as pages need to know them. */
export type Viewer = { id: string; email: string; role: Role };

/** Where somebody may go, in the order of the menu. `takesPayments`: whether customers can pay by themselves. */
export function placesOf(role: Viewer["role"], takesPayments: boolean): readonly Place[] {
  const places: readonly Place[] = role === "owner" ? owner : operator;
  return takesPayments ? places : places.filter(({ label }) => label !== "payments");
}

/** The menu's entry for a path: `/accounts/acc_1` is under `/accounts`. */
export const isAt = (href: string, path: string): boolean =>
  href === addresses.overview() ? path === href : path === href || path.startsWith(`${href}/`);
