import dynamic from "next/dynamic";
import { type ComponentType, type ReactNode, useEffect } from "react";
import { useUpgradeNotice } from "../shell/use-upgrade-notice";

/** Renders nothing in place of a part that could not be fetched, and shows a notice. */
function Missing() {
  const show = useUpgradeNotice();
  useEffect(show, [show]);
  return null;
}

/**
 * Fetches a part of the console on demand. An upgrade may have removed its file: then the page and the user's input
 * stay, and a notice offers to reload.
 */
export const piece =
  <Props,>(load: () => Promise<ComponentType<Props>>): (() => Promise<ComponentType<Props>>) =>
  () =>
    load().catch((): ComponentType<Props> => Missing);

/** In place of a part that has no placeholder, such as a dialog: it says that something is still to come. */
const Coming = () => <span hidden aria-busy />;

/** A part of the console that is fetched when it is first shown, and never rendered on the server. */
export const onDemand = <Props,>(
  load: () => Promise<ComponentType<Props>>,
  loading: () => ReactNode = Coming,
): ComponentType<Props> => dynamic(piece(load), { ssr: false, loading });
