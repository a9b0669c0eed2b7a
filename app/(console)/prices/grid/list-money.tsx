import { useLocale } from "use-intl";
import { amountText } from "../../_components/text/amount";

/** A list's price in the list's own currency, with the currency's name if it is not the installation's. */
export function ListMoney({ price, currency, own }: { price: string; currency: string; own: string }) {
  const locale = useLocale();
  const text = amountText(price, { currency, locale });
  return (
    <span className="money">{currency === own ? text : `${currency} ${text.replace(/^[^\d-]+/, "")}`}</span>
  );
}
