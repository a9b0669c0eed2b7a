import { TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { inferRouterOutputs } from "@trpc/server";
import { useTranslations } from "use-intl";
import type { AppRouter } from "@/server/console";
import { useTRPC } from "../_components/data/trpc";
import { FormDialog } from "../_forms/form-dialog";
import { useFields } from "../_forms/use-fields";

type Buyer = Pick<
  inferRouterOutputs<AppRouter>["account"]["get"],
  "buyerName" | "buyerAddress" | "buyerTaxNumber"
>;

/** Name, address and tax ID for invoices. Invoices omit empty fields. */
export function BuyerDialog({ buyer, onClose }: { buyer: Buyer; onClose: () => void }) {
  const t = useTranslations("billing.buyer");
  const common = useTranslations("common");
  const { buyerName, buyerAddress, buyerTaxNumber } = buyer;
  const change = useMutation(
    useTRPC().account.setBuyer.mutationOptions({ meta: { showsFailure: true }, onSuccess: onClose }),
  );
  const { form, field } = useFields(
    { buyerName: buyerName ?? "", buyerAddress: buyerAddress ?? "", buyerTaxNumber: buyerTaxNumber ?? "" },
    { checks: {}, send: (typed) => change.mutate(typed) },
  );
  return (
    <FormDialog {...form} title={t("title")} action={common("save")} change={change} onClose={onClose}>
      <TextInput
        data-autofocus
        label={t("name")}
        description={t("nameHint")}
        maxLength={200}
        autoComplete="organization"
        {...field("buyerName")}
      />
      <TextInput
        label={t("address")}
        maxLength={500}
        autoComplete="street-address"
        {...field("buyerAddress")}
      />
      <TextInput label={t("taxId")} maxLength={100} autoComplete="off" {...field("buyerTaxNumber")} />
    </FormDialog>
  );
}
