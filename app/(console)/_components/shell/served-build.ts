import { BUILD_HEADER } from "@/server/domain/enums";

const followers = new Set<() => void>();
let latest: string | null = null;

/** The console build of the server's last answer; null: unknown. */
export const servedBuild = {
  latest: () => latest,
  note: ({ headers }: Response) => {
    const build = headers.get(BUILD_HEADER) || null;
    if (build !== null && build !== latest) {
      latest = build;
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
