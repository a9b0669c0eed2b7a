import dynamic from "next/dynamic";
import { type ComponentType, type ReactNode, useEffect } from "react";
import { useUpgradeNotice } from "./use-upgrade-notice";

/** In the place of what could not be fetched: nothing, and a notice that says so. */
function Missing() {
  const show = useUpgradeNotice();
  useEffect(show, [show]);
  return null;
}

/**
 * Fetches a part of the console that comes when it is asked for. Its file may be gone since an upgrade: then the page
 * stays as it is, with all that was typed into it, and offers to be loaded anew.
 */
export const piece =
  <Props,>(load: () => Promise<ComponentType<Props>>): (() => Promise<ComponentType<Props>>) =>
  () =>
    load().catch((): ComponentType<Props> => Missing);

/** A part of the console that is fetched when it is first shown, and never rendered on the server. */
export const onDemand = <Props,>(
  load: () => Promise<ComponentType<Props>>,
  loading: () => ReactNode = () => null,
): ComponentType<Props> => dynamic(piece(load), { ssr: false, loading });
