import { type ComponentType, createElement, useEffect, useSyncExternalStore } from "react";
import { useUpgradeNotice } from "../shell/use-upgrade-notice";

/** Renders nothing in place of a part that could not be fetched, and shows a notice. */
function Missing() {
  const show = useUpgradeNotice();
  useEffect(show, [show]);
  return null;
}

/** In place of a part that has no placeholder, such as a dialog: it says that something is still to come. */
const Coming = () => <span hidden aria-busy />;

const notOnServer = () => null;

/**
 * A part of the console that is fetched when it is first shown, and never rendered on the server. `Loading` has its
 * place, and its props, until then. An upgrade may have removed the part's file: then the page and the user's input
 * stay, and a notice offers to reload.
 *
 * It has no `Suspense`, so neither `lazy` nor Next's `dynamic`: React shows what replaces a placeholder of `Suspense` no
 * sooner than 300 ms after the placeholder, and most parts are there within 30.
 */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Loading: ComponentType<Props> = Coming,
): ComponentType<Props> {
  let part: ComponentType<Props> | null = null;
  let isAsked = false;
  const followers = new Set<() => void>();
  const settle = (loaded: ComponentType<Props>) => {
    part = loaded;
    for (const follow of followers) {
      follow();
    }
  };
  const ask = () => {
    if (!isAsked) {
      isAsked = true;
      void load().then(settle, () => settle(Missing));
    }
  };
  const follow = (onChange: () => void) => {
    followers.add(onChange);
    return () => followers.delete(onChange);
  };
  return function OnDemand(props) {
    // While rendering, not in an effect: the file arrives while React hydrates the rest of the page.
    if (typeof window !== "undefined") {
      ask();
    }
    return createElement(useSyncExternalStore(follow, () => part, notOnServer) ?? Loading, props);
  };
}
