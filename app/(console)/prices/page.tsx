import { redirect } from "next/navigation";
import { titled } from "@/app/_i18n/server";
import { addresses } from "@/app/addresses";
import { Prefetch } from "../_components/data/prefetch";
import { requireViewer } from "../require-viewer";
import { PricesScreen } from "./prices-screen";

export const generateMetadata = titled("shell.prices");

/** `?model=` opens the page of that model. */
export default async function PricesPage({ searchParams }: { searchParams: Promise<{ model?: unknown }> }) {
  await requireViewer("staff.read");
  const { model } = await searchParams;
  if (typeof model === "string" && model !== "") {
    redirect(addresses.price(model));
  }
  return (
    <Prefetch ask={(trpc) => [trpc.prices.list.queryOptions(), trpc.prices.scheduled.queryOptions()]}>
      <PricesScreen />
    </Prefetch>
  );
}
