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
import type { Role } from "@/server/domain/enums";
import { may, sideOf } from "@/server/domain/roles";

type Icon = typeof IconKey;

/** `label` and `group` are keys of the `shell` texts; `needs`: the permission to see the page. */
const owner = [
  {
    href: addresses.overview(),
    label: "overview",
    needs: "account.read",
    group: "groupUse",
    icon: IconGauge,
  },
  { href: addresses.keys(), label: "keys", needs: "account.read", group: "groupUse", icon: IconKey },
  {
    href: addresses.requests(),
    label: "requests",
    needs: "account.read",
    group: "groupUse",
    icon: IconActivity,
  },
  { href: addresses.usage(), label: "usage", needs: "account.read", group: "groupUse", icon: IconChartBar },
  { href: addresses.videos(), label: "videos", needs: "account.read", group: "groupUse", icon: IconMovie },
  {
    href: addresses.billing(),
    label: "billing",
    needs: "account.read",
    group: "groupMoney",
    icon: IconReceipt,
  },
  { href: addresses.models(), label: "models", needs: "account.read", group: "groupBuild", icon: IconBolt },
  {
    href: addresses.playground(),
    label: "playground",
    needs: "calls.make",
    group: "groupBuild",
    icon: IconMessageCircle,
  },
  {
    href: addresses.managementKeys(),
    label: "managementKeys",
    needs: "management_keys.read",
    group: "groupBuild",
    icon: IconApi,
  },
  {
    href: addresses.notifications(),
    label: "notifications",
    needs: "notifications.read",
    group: "groupBuild",
    icon: IconBell,
  },
  {
    href: addresses.people(),
    label: "people",
    needs: "people.read",
    group: "groupBuild",
    icon: IconUserShield,
  },
  {
    href: addresses.security(),
    label: "security",
    needs: "account.read",
    group: "groupYou",
    icon: IconShieldLock,
  },
] as const;

const operator = [
  { href: addresses.overview(), label: "overview", needs: "staff.read", group: "groupRun", icon: IconGauge },
  { href: addresses.accounts(), label: "accounts", needs: "staff.read", group: "groupRun", icon: IconUsers },
  {
    href: addresses.channels(),
    label: "channels",
    needs: "channels.read",
    group: "groupRun",
    icon: IconRoute,
  },
  { href: addresses.prices(), label: "prices", needs: "staff.read", group: "groupRun", icon: IconCoin },
  {
    href: addresses.payments(),
    label: "payments",
    needs: "staff.read",
    group: "groupRun",
    icon: IconCreditCard,
  },
  { href: addresses.codes(), label: "codes", needs: "staff.read", group: "groupRun", icon: IconTicket },
  { href: addresses.users(), label: "users", needs: "people.read", group: "groupRun", icon: IconUserShield },
  {
    href: addresses.managementKeys(),
    label: "managementKeys",
    needs: "management_keys.read",
    group: "groupRun",
    icon: IconApi,
  },
  {
    href: addresses.notifications(),
    label: "notifications",
    needs: "notifications.read",
    group: "groupRun",
    icon: IconBell,
  },
  {
    href: addresses.allUsage(),
    label: "allUsage",
    needs: "staff.read",
    group: "groupWatch",
    icon: IconChartBar,
  },
  { href: addresses.margin(), label: "margin", needs: "costs.read", group: "groupWatch", icon: IconScale },
  {
    href: addresses.allRequests(),
    label: "allRequests",
    needs: "staff.read",
    group: "groupWatch",
    icon: IconActivity,
  },
  {
    href: addresses.allVideos(),
    label: "allVideos",
    needs: "staff.read",
    group: "groupWatch",
    icon: IconMovie,
  },
  { href: addresses.audit(), label: "audit", needs: "audit.read", group: "groupWatch", icon: IconHistory },
  {
    href: addresses.security(),
    label: "security",
    needs: "staff.read",
    group: "groupYou",
    icon: IconShieldLock,
  },
] as const;

type NavigationEntry = (typeof owner)[number] | (typeof operator)[number];
export type NavigationItem = Omit<NavigationEntry, "icon"> & { icon: Icon };

/** The signed-in user, as pages need to know them. */
export type Viewer = { id: string; email: string; role: Role; accountName: string | null };

/** The pages that a role may open, in the order of the menu. `takesPayments`: whether customers can pay online. */
export const placesOf = (role: Viewer["role"], takesPayments: boolean): readonly NavigationItem[] =>
  (sideOf(role) === "owner" ? owner : operator).filter(
    ({ label, needs }) => may(role, needs) && (label !== "payments" || takesPayments),
  );

/** Whether a path belongs to a menu entry: `/accounts/acc_1` is under `/accounts`. */
export const isAt = (href: string, path: string): boolean =>
  href === addresses.overview() ? path === href : path === href || path.startsWith(`${href}/`);
