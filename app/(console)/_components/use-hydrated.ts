import { useSyncExternalStore } from "react";

const never = () => () => {};

/** Whether the page listens already. Not on the server, nor in the first look at what the server has rendered. */
export const useHydrated = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
