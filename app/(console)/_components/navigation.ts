import {
  IconActivity,
  IconBolt,
  IconCoin,
  IconGauge,
  IconHistory,
  IconKey,
  IconMessageCircle,
  IconMovie,
  IconReceipt,
  IconRoute,
  IconShieldLock,
  IconUserShield,
  IconUsers,
} from "@tabler/icons-react";

type Icon = typeof IconKey;

/** `label` and `group` are keys of the `shell` texts. */
const owner = [
  { href: "/", label: "overview", group: "groupUse", icon: IconGauge },
  { href: "/keys", label: "keys", group: "groupUse", icon: IconKey },
  { href: "/requests", label: "requests", group: "groupUse", icon: IconActivity },
  { href: "/videos", label: "videos", group: "groupUse", icon: IconMovie },
  { href: "/billing", label: "billing", group: "groupMoney", icon: IconReceipt },
  { href: "/models", label: "models", group: "groupBuild", icon: IconBolt },
  { href: "/playground", label: "playground", group: "groupBuild", icon: IconMessageCircle },
  { href: "/security", label: "security", group: "groupYou", icon: IconShieldLock },
] as const;

const operator = [
  { href: "/", label: "overview", group: "groupRun", icon: IconGauge },
  { href: "/accounts", label: "accounts", group: "groupRun", icon: IconUsers },
  { href: "/channels", label: "channels", group: "groupRun", icon: IconRoute },
  { href: "/prices", label: "prices", group: "groupRun", icon: IconCoin },
  { href: "/users", label: "users", group: "groupRun", icon: IconUserShield },
  { href: "/all-requests", label: "allRequests", group: "groupWatch", icon: IconActivity },
  { href: "/all-videos", label: "allVideos", group: "groupWatch", icon: IconMovie },
  { href: "/audit", label: "audit", group: "groupWatch", icon: IconHistory },
  { href: "/security", label: "security", group: "groupYou", icon: IconShieldLock },
] as const;

type Entry = (typeof owner)[number] | (typeof operator)[number];
export type Place = Omit<Entry, "icon"> & { icon: Icon };

/** Somebody who has signed in, as pages need to know them. */
export type Viewer = { id: string; email: string; role: "owner" | "operator" | "viewer" };

/** Where somebody may go, in the order of the menu. */
export const placesOf = (role: Viewer["role"]): readonly Place[] => (role === "owner" ? owner : operator);

/** The menu's entry for a path: `/accounts/acc_1` is under `/accounts`. */
export const isAt = (href: string, path: string): boolean =>
  href === "/" ? path === "/" : path === href || path.startsWith(`${href}/`);
