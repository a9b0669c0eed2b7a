import { Group, Stack, Text, Title } from "@mantine/core";
import { useTranslations } from "use-intl";
import { SumRow } from "../_components/tables/sum-row";
import { SumTable } from "../_components/tables/sum-table";
import { termOf, type WholeStatement } from "./billing";

type InvoiceFigures = NonNullable<WholeStatement["invoice"]>;

type PartyProps = {
  title: string | null;
  name: string;
  address: string | null;
  taxId: string | null;
  more?: string;
};

/** The seller or the buyer. */
function Party({ title, name, address, taxId, more }: PartyProps) {
  const t = useTranslations("billing.sheet");
  return (
    <div>
      {title !== null && (
        <Text size="xs" c="dimmed">
          {title}
        </Text>
      )}
      <Text fw={600} className="wrap-anywhere">
        {name}
      </Text>
      {[address, taxId && t("taxId", { id: taxId }), more].filter(Boolean).map((text) => (
        <Text key={text} size="sm" className="wrap-anywhere">
          {text}
        </Text>
      ))}
    </div>
  );
}

/** The seller, the customer, the invoice's number and its currency. */
export function Parties({ statement }: { statement: WholeStatement }) {
  const t = useTranslations("billing.sheet");
  const { number, account, buyer, invoice, currency } = statement;
  const seller = invoice?.seller;
  return (
    <Group align="flex-start" justify="space-between" gap="xl" className="parties">
      {seller && <Party title={t("seller")} {...seller} />}
      <Party
        title={seller ? t("buyer") : null}
        {...{ ...buyer, name: buyer.name ?? account.name }}
        more={
          buyer.name !== null && buyer.name !== account.name
            ? t("accountNamed", { name: account.name, id: account.id })
            : t("accountId", { id: account.id })
        }
      />
      <div>
        <Text size="sm">{seller ? t("invoice.number", { number }) : t("number", { number })}</Text>
        <Text size="sm">{t("currency", { currency })}</Text>
      </div>
    </Group>
  );
}

type Line = {
  term: "charges" | "fromQuota" | "net" | "tax" | "total" | "paid" | "due";
  amount: string;
  sign?: string;
};

/**
 * The lines that a bookkeeper adds up. Lines without meaning for this invoice are left out: an unused quota, and tax
 * without a rate.
 */
function linesOf({ charges, fromQuota, net, tax, taxRate, total, paid, due }: InvoiceFigures): Line[] {
  return [
    { term: "charges", amount: charges },
    ...(fromQuota === "0" ? [] : [{ term: "fromQuota" as const, ...termOf(fromQuota, true) }]),
    ...(taxRate === null
      ? []
      : [
          { term: "net" as const, amount: net },
          { term: "tax" as const, amount: tax },
        ]),
    { term: "total", amount: total },
    { term: "paid", ...termOf(paid, true) },
    { term: "due", amount: due },
  ];
}

/** The charges of the month, their tax, and the paid and the due amount. */
export function Invoice({ invoice }: { invoice: InvoiceFigures }) {
  const t = useTranslations("billing");
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {t("sheet.invoice.figures")}
      </Title>
      <SumTable label={t("sheet.invoice.figures")}>
        {linesOf(invoice).map(({ term, ...line }) => (
          <SumRow
            key={term}
            name={t(`sheet.invoice.terms.${term}`, { rate: invoice.taxRate ?? "" })}
            {...line}
            isSum={term === "total" || term === "due"}
          />
        ))}
      </SumTable>
    </Stack>
  );
}
