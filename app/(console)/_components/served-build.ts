import { BUILD_HEADER } from "@/server/base/enums";

const followers = new Set<() => void>();
let latest: string | null = null;

/** The console build of the server's last answer; null: unknown. */
export const servedBuild = {
  latest: () => latest,
  note: ({ headers }: Response) => {
    const said = headers.get(BUILD_HEADER) || null;
    if (said !== null && said !== latest) {
      latest = said;
      for (const follow of followers) {
        follow();
      }
    }
  },
  subscribe: (follow: () => void) => {
    followers.add(follow);
    return () => followers.delete(follow);
  },
};
