/** For how long a button may take to listen; whoever clicked has gone on by then. */
const PATIENCE_MS = 10_000;

/**
 * A script for the head of every page: a click on a button that does not listen yet would be lost, so the last one is
 * made again when it does. React marks what it has taken over with members of the element whose names begin so; were
 * they to change, a click would be lost as before.
 */
export const earlyClicks = `(() => {
  let last = null;
  const listens = (button) => Object.keys(button).some((name) => name.startsWith("__reactProps"));
  addEventListener("click", ({ target, isTrusted }) => {
    const button = isTrusted && target instanceof Element ? target.closest("button[type=button]") : null;
    last = button;
    if (button === null || listens(button)) return;
    const until = performance.now() + ${PATIENCE_MS};
    const look = () => {
      if (last !== button || !button.isConnected || performance.now() > until) return;
      if (listens(button)) button.click(); else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, { capture: true });
})();`;
