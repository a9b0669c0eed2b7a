import {
  IconAlertTriangle,
  IconCheck,
  IconClock,
  IconClockOff,
  IconHourglass,
  IconX,
} from "@tabler/icons-react";
import type { inferRouterOutputs } from "@trpc/server";
import { type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { AppRouter } from "@/server/console";
import { paymentStates } from "@/server/domain/enums";
import type { Trpc } from "../_components/data/prefetch";
import { paged } from "../_components/tables/pages-of";
import type { StatusLook } from "../_components/tables/status-badge";

export type Payment = inferRouterOutputs<AppRouter>["payments"]["list"]["rows"][number];

export const looks: Record<Payment["state"], StatusLook> = {
  open: { tone: "quiet", icon: IconClock },
  processing: { tone: "busy", icon: IconHourglass },
  paid: { tone: "good", icon: IconCheck },
  failed: { tone: "bad", icon: IconX },
  expired: { tone: "quiet", icon: IconClockOff },
  review: { tone: "warn", icon: IconAlertTriangle },
};

/** The parameters in the address of the operators' list. */
export const paymentParsers = { account: parseAsString, state: parseAsStringLiteral(paymentStates) };

type Filter = inferParserType<typeof paymentParsers>;

export const paymentList = (trpc: Trpc, { account, state }: Filter) =>
  trpc.allPayments.list.infiniteQueryOptions(
    { ...(account && { accountId: account }), ...(state && { state }) },
    paged,
  );

export const ownPaymentList = (trpc: Trpc) => trpc.payments.list.infiniteQueryOptions({}, paged);
