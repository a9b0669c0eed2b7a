import type { z } from "zod";

/**
 * All reasons to refuse a change, with the values that fill the console's text (`refusals` in app/_messages, which has
 * each in both languages). The list is closed, so that every reader gets a refusal in their language.
 */
export const reasons = {
  accountActive: [],
  accountBusy: [],
  accountDisabled: [],
  accountNameTaken: ["name"],
  accountUnknown: [],
  adjustmentTooLarge: ["left"],
  adjustmentZero: [],
  baseUrlInvalid: [],
  bookedAlready: [],
  callUnknown: [],
  channelChanged: [],
  channelNameTaken: ["name"],
  channelServesNoSuchModel: [],
  channelUnknown: [],
  chargeArchived: [],
  chargeUnknown: [],
  deliveryUnknown: [],
  codeBatchUnknown: [],
  codeDisabled: [],
  codeExpired: [],
  codeSpent: [],
  codeUnknown: [],
  codeWorthless: [],
  codeWrong: [],
  conditionalPricesTooMany: ["model", "max"],
  credentialForAnotherHost: [],
  credentialPair: [],
  effortWithoutLevels: ["model"],
  emailTaken: [],
  freeWithPrice: [],
  invalid: [],
  identityElsewhere: [],
  factorTooHigh: [],
  identityNone: [],
  identityNotLinked: [],
  identityOnlyWay: [],
  identityUnknown: [],
  keySecretTaken: [],
  keyUnknown: [],
  lastOperator: [],
  lastOwner: [],
  linkInvalid: [],
  managementKeyUnknown: [],
  modelExists: ["name"],
  modelKindFixed: [],
  modelUnknown: [],
  pageUnknown: [],
  passwordChangeNeeded: [],
  passwordTooLong: ["max"],
  passwordTooShort: ["min"],
  passwordUnchanged: [],
  passwordWrong: [],
  paymentAmountBounds: ["min", "max"],
  paymentAmountUneven: ["step"],
  paymentProviderAway: [],
  paymentUnknown: [],
  paymentsOff: [],
  paymentsTooMany: [],
  periodUnknown: [],
  priceBegun: [],
  priceChanged: ["model", "name", "seen", "is"],
  priceNameOfOtherKind: ["model", "name"],
  priceGroupInUse: ["name"],
  priceGroupNameTaken: ["name"],
  priceGroupUnknown: ["name"],
  priceGroupsTooMany: ["max"],
  priceToComeUnknown: [],
  priceUnchanged: [],
  priceFileInvalid: ["count", "line"],
  priceListCurrency: ["list", "own"],
  priceListNone: ["name"],
  pricesToComeTooMany: ["name", "max"],
  proofTooOld: [],
  quotaNegative: [],
  refundNothingLeft: [],
  refundNotPositive: [],
  refundTooLarge: ["left"],
  roleElsewhere: [],
  ruleInvalid: ["rule"],
  sessionUnknown: [],
  signedOut: [],
  taskUnknown: [],
  tooManyPeople: ["limit"],
  topUpNotPositive: [],
  topUpTooLarge: [],
  totpNotBegun: [],
  totpOff: [],
  totpOn: [],
  unsubscribeInvalid: [],
  userDisabled: [],
  userIsOwner: [],
  userIsStaff: [],
  userIsYou: [],
  userUnknown: [],
  vendorUnknown: [],
  alertsNotChosen: [],
  mailNotSetUp: [],
  webhookUnknown: [],
  webhookUrlInvalid: [],
  webhookUrlPrivate: [],
  webhooksTooMany: ["max"],
  eventsOfOperators: ["events"],
} as const satisfies Record<string, readonly string[]>;

export type Reason = keyof typeof reasons;

type RefusalValues = Record<string, string | number>;

/** The values that a reason requires: none if its text has no placeholders. */
type Filling<R extends Reason | null> = R extends Reason
  ? (typeof reasons)[R] extends readonly []
    ? []
    : [values: Record<(typeof reasons)[R][number], string | number>]
  : [];

/**
 * A change that the present state does not permit. `message` is in English, for users of commands; `reason` selects the
 * console's text. null: only commands can cause it.
 */
export class Refusal<R extends Reason | null = Reason | null> extends Error {
  override readonly name = "Refusal";
  readonly values: RefusalValues;

  constructor(
    message: string,
    readonly reason: R,
    ...filling: Filling<R>
  ) {
    super(message);
    this.values = filling[0] ?? {};
  }
}

/** A refusal after which the same change may succeed later. Commands that programs run again say so by their exit code. */
export class TemporaryRefusal extends Refusal<null> {
  constructor(message: string) {
    super(message, null);
  }
}

/** Returns the parsed value. Throws Refusal that names the first fault. */
export function parseOrRefuse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    return parsed.data;
  }
  const [issue] = parsed.error.issues;
  throw new Refusal([issue?.path.join("."), issue?.message].filter(Boolean).join(": "), "invalid");
}
