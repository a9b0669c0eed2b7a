import type { z } from "zod";

/**
 * Why a change can be refused, and what fills the console's text for it (`refusals` in app/_messages, which has each
 * in both languages). The list is closed: nobody reads a refusal in a language that is not theirs.
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
  credentialForAnotherHost: [],
  credentialPair: [],
  effortWithoutLevels: ["model"],
  emailTaken: [],
  freeWithPrice: [],
  invalid: [],
  identityElsewhere: [],
  identityNone: [],
  identityNotLinked: [],
  identityOnlyWay: [],
  identityUnknown: [],
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

type Values = Record<string, string | number>;

/** What has to be given with a reason: nothing where nothing fills its text. */
type Filling<R extends Reason | null> = R extends Reason
  ? (typeof reasons)[R] extends readonly []
    ? []
    : [values: Record<(typeof reasons)[R][number], string | number>]
  : [];

/**
 * A change that the state of things does not allow. `message` is in English, for who runs a command; `reason` names
 * the console's own text. null: only a command can be refused so.
 */
export class Refusal<R extends Reason | null = Reason | null> extends Error {
  override readonly name = "Refusal";
  readonly values: Values;

  constructor(
    message: string,
    readonly reason: R,
    ...filling: Filling<R>
  ) {
    super(message);
    this.values = filling[0] ?? {};
  }
}

/** The value as the schema has it. Throws Refusal that names the first thing that is wrong with it. */
export function parseOrRefuse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    return parsed.data;
  }
  const [issue] = parsed.error.issues;
  throw new Refusal([issue?.path.join("."), issue?.message].filter(Boolean).join(": "), "invalid");
}
