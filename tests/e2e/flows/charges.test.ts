import { answerWith, refuseWith, usage } from "@/tests/support/upstream";
import { uniqueName } from "../support/customer";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";
import { newestRequest } from "../support/people";
import { openSession } from "../support/session";
import { sellOn } from "../support/sold";
import type { Texts } from "../support/texts";

/** A text's own words, around the amounts in it. */
const wordsOf = (t: Texts, name: "heldText" | "heldLessText" | "returnedText" | "refusedText") =>
  t(`requests.${name}`, { held: "@", cost: "@", amount: "@" })
    .split("@")
    .map((words) => words.trim())
    .reduce((longest, words) => (words.length > longest.length ? words : longest));

test("a charge says whether it was above or below what was frozen, and money that came back is told as such", async ({
  page,
  t,
  operator,
  customer,
  upstream,
}) => {
  const model = uniqueName("model");
  const { channelId } = await sellOn(operator, { model, upstream, price: "1000" });
  const { chat } = callerWith(await customer.newKey("app"));
  const session = await customer.session();
  const requests = new Map<string, string>();
  for (const [what, status, answer] of [
    ["above", 200, answerWith("More than was asked for.", usage(10, 5_000))],
    ["below", 200, answerWith("All is well.", usage(1, 1))],
    ["returned", 502, refuseWith(500, "out of order")],
  ] as const) {
    upstream.answer(answer);
    await expect.poll(() => chat(model)).toBe(status);
    const known = [...requests.values()];
    await expect.poll(() => newestRequest(session).then((id) => known.includes(id))).toBe(false);
    requests.set(what, await newestRequest(session));
  }
  await operator.channels.remove.mutate({ channelId });

  await openSession(page.request, customer.owner);
  const drawer = page.getByRole("dialog");
  const open = async (what: string) => {
    await page.goto(`/requests?request=${requests.get(what)}`);
    await expect(drawer).toContainText(requests.get(what) ?? "");
  };
  await open("above");
  await expect(drawer).toContainText(wordsOf(t, "heldLessText"));
  await expect(drawer).not.toContainText(wordsOf(t, "heldText"));
  await open("below");
  await expect(drawer).toContainText(wordsOf(t, "heldText"));
  await expect(drawer).not.toContainText(wordsOf(t, "heldLessText"));
  await open("returned");
  await expect(drawer).toContainText(wordsOf(t, "returnedText"));
  await expect(drawer).not.toContainText(wordsOf(t, "refusedText"));
});
