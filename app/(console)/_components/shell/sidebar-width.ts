import { keepCookie } from "@/app/keep-cookie";

/** The sidebar's two widths: names with icons, or a rail of icons. The choice is a cookie, so that the server renders it. */
export const SIDEBAR_COOKIE = "sidebar";

const RAIL = "rail";

export const isRail = (cookie: string | undefined): boolean => cookie === RAIL;

export const keepSidebar = (asRail: boolean): void => keepCookie(SIDEBAR_COOKIE, asRail ? RAIL : "full");
