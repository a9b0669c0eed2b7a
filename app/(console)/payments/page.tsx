import { createLoader, type SearchParams } from "nuqs/server";
import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../_components/data/prefetch";
import { requireViewer } from "../require-viewer";
import { paymentList, paymentParsers } from "./payment";
import { PaymentsScreen } from "./payments-screen";

export const generateMetadata = titled("shell.payments");

const load = createLoader(paymentParsers);

export default async function PaymentsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  await requireViewer("staff.read");
  const filter = await load(searchParams);
  return (
    <Prefetch ask={(trpc) => [paymentList(trpc, filter)]}>
      <PaymentsScreen />
    </Prefetch>
  );
}
