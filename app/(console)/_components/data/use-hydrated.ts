import { useSyncExternalStore } from "react";

const never = () => () => {};

/** Whether the page handles events yet. False on the server and in the first render of the server's page. */
export const useHydrated = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
