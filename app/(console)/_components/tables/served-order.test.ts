import { expect, test } from "vitest";
import { servedOrder } from "./served-order";

const sorts = ["-time", "time", "-cost"] as const;
const chosen: string[] = [];
const order = (sort: (typeof sorts)[number]) => servedOrder(sorts, sort, (next) => void chosen.push(next));

test("the columns of all orders can be chosen, and a column with one direction returns to the usual order", () => {
  const { by, order: current, onOrder } = order("-cost");
  expect(by).toEqual(["time", "cost"]);
  expect(current).toEqual({ by: "cost", isDescending: true });
  onOrder({ by: "cost", isDescending: false });
  onOrder({ by: "time", isDescending: false });
  order("-time").onOrder({ by: "cost", isDescending: true });
  expect(chosen).toEqual(["-time", "time", "-cost"]);
});
