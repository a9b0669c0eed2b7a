/** For how long a button or a select may take to listen; whoever clicked has gone on by then. */
const PATIENCE_MS = 10_000;

/**
 * A script for the head of every page: a click on a button that does not listen yet would be lost, so the last one is
 * made again when it does; a choice of a select likewise, which would be undone. It looks when an event has passed the
 * document: React may take a part of the page over at that very event, and then answers it itself. React marks what it
 * has taken over with members of the element whose names begin so; were they to change, a click or a choice would be
 * lost as before.
 */
export const earlyClicks = `(() => {
  let last = null;
  const chosen = new Map();
  const listens = (element) => Object.keys(element).some((name) => name.startsWith("__reactProps"));
  addEventListener("click", () => { last = null; }, { capture: true });
  addEventListener("click", ({ target, isTrusted }) => {
    const button = isTrusted && target instanceof Element ? target.closest("button[type=button]") : null;
    if (button === null || listens(button)) return;
    last = button;
    const until = performance.now() + ${PATIENCE_MS};
    const look = () => {
      if (last !== button || !button.isConnected || performance.now() > until) return;
      if (listens(button)) button.click(); else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLSelectElement)) return;
    chosen.delete(target);
    if (listens(target)) return;
    const { value } = target;
    chosen.set(target, value);
    const until = performance.now() + ${PATIENCE_MS};
    const choose = () => {
      if (chosen.get(target) !== value) return;
      chosen.delete(target);
      target.value = value;
      target.dispatchEvent(new Event("change", { bubbles: true }));
    };
    const look = () => {
      if (chosen.get(target) !== value || !target.isConnected || performance.now() > until) return;
      requestAnimationFrame(listens(target) ? choose : look);
    };
    requestAnimationFrame(look);
  });
})();`;
