import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { Card } from "../_components/cards/card";
import { onDemand } from "../_components/data/on-demand";
import { useTRPC } from "../_components/data/trpc";
import { Permitted } from "../_components/shell/viewer";

const BuyerDialog = onDemand(() => import("./buyer-dialog").then((module) => module.BuyerDialog));

/** The buyer on the account's invoices. */
export function BuyerCard() {
  const t = useTranslations("billing.buyer");
  const common = useTranslations("common");
  const account = useQuery(useTRPC().account.get.queryOptions()).data;
  const [isEditing, setEditing] = useState(false);
  if (!account) {
    return null;
  }
  const { buyerName, buyerAddress, buyerTaxNumber } = account;
  const lines = [buyerName, buyerAddress, buyerTaxNumber].filter((line) => line !== null);
  return (
    <Card
      title={t("title")}
      text={t("text")}
      aside={
        <Permitted to="money.pay">
          <Button variant="default" size="xs" onClick={() => setEditing(true)}>
            {common("edit")}
          </Button>
        </Permitted>
      }
    >
      <Text size="sm" className="wrap-anywhere">
        {lines.length === 0 ? t("none") : lines.join(" · ")}
      </Text>
      {isEditing && <BuyerDialog buyer={account} onClose={() => setEditing(false)} />}
    </Card>
  );
}
