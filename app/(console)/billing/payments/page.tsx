import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../../_components/data/prefetch";
import { ownPaymentList } from "../../payments/payment";
import { requireViewer } from "../../require-viewer";
import { OwnPaymentsScreen } from "./own-payments-screen";

export const generateMetadata = titled("payments.ownTitle");

export default async function OwnPaymentsPage() {
  await requireViewer("account.read");
  return (
    <Prefetch ask={(trpc) => [ownPaymentList(trpc)]}>
      <OwnPaymentsScreen />
    </Prefetch>
  );
}
