import { placesOf } from "@/app/(console)/_components/navigation";
import type { People, Role } from "./people";

/** A page as somebody sees it. `name` is the picture's in docs/screenshots, too. */
export type Screen = { name: string; role: Role; path: (people: People) => string };

/** Both have one. */
const shared = ["overview", "security"];

const menu = (role: "owner" | "operator"): Screen[] =>
  placesOf(role).map(({ href }) => {
    const name = href.slice(1) || "overview";
    return {
      name: role === "operator" && shared.includes(name) ? `operator-${name}` : name,
      role,
      path: () => href,
    };
  });

const page = (name: string, role: Role, path: Screen["path"]): Screen => ({ name, role, path });

/** Every screen: what the menus lead to, what those lead to, and what opens over them. */
export const screens: Screen[] = [
  page("sign-in", "nobody", () => "/sign-in"),
  ...menu("owner"),
  page("key", "owner", ({ keyId }) => `/keys/${keyId}`),
  page("key-create", "owner", () => "/keys?create=true"),
  page("video", "owner", ({ taskId }) => `/videos?task=${taskId}`),
  ...menu("operator"),
  page("account", "operator", ({ accountId }) => `/accounts/${accountId}`),
];
