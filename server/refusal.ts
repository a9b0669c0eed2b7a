/** A change that the state of things does not allow; the message is for the operator or owner who asked. */
export class Refusal extends Error {}
