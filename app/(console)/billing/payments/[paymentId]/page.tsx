import { titled } from "@/app/_i18n/server";
import { Prefetch } from "../../../_components/data/prefetch";
import { requireViewer } from "../../../require-viewer";
import { PaymentScreen } from "./payment-screen";

export const generateMetadata = titled("payments.payment");

export default async function PaymentPage({ params }: { params: Promise<{ paymentId: string }> }) {
  await requireViewer("account.read");
  const { paymentId } = await params;
  return (
    <Prefetch ask={(trpc) => [trpc.payments.get.queryOptions({ paymentId })]}>
      <PaymentScreen paymentId={paymentId} />
    </Prefetch>
  );
}
