import { setImmediate as nextTurn } from "node:timers/promises";
import type { ClientRequest } from "@/server/base/client-request";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import { type Eventual, whenOver } from "@/server/base/eventual";
import { inTurns } from "@/server/base/turns";
import type { Endpoint } from "@/server/endpoints";
import { withoutLoneSurrogates } from "@/server/protocol/json/lone-surrogates";
import { readJsonInSteps } from "@/server/protocol/json/text";
import { boundaryOf, type Form, isForm, parseForm } from "@/server/protocol/multipart/form";
import type { AuthedCall } from "../pipeline/call";
import { parseNamed, withModel } from "../pipeline/path-model";
import type { RequestKind } from "../pipeline/request-kinds";
import { checkInThread } from "./parse-worker";
import { MAX_INLINE_BYTES, readError, readRaw } from "./raw-body";

/** Throws the 400 for a body of another type than JSON. */
function checkType({ headers }: ClientRequest): void {
  const [type = ""] = (headers.get("content-type") ?? "").split(";", 1);
  if (!/^application\/(?:[\w.+-]{1,64}\+)?json$/i.test(type.trim())) {
    throw new GatewayError("invalidContentType", "application/json");
  }
}

/** A call whose body is read. The reader sets `readyAt` at the end, so the time of a slow client does not count. */
type SendingCall = Pick<AuthedCall, "request" | "bytes" | "readyAt">;

/**
 * Reads a JSON body, as text if it is small, and continues with it. `isOptional`: a missing body stands for `{}`. Throws
 * the 400s for a wrong type and for a body that is too large, 429 and 503.
 */
function readBody<T>(
  call: SendingCall,
  next: (body: string | Buffer) => Eventual<T>,
  isOptional = false,
): Eventual<T> {
  const { request, bytes } = call;
  if (!isOptional) {
    checkType(request);
  }
  return whenOver(
    () => readRaw(request, bytes, (small) => small.text()),
    (body) => {
      call.readyAt = performance.now();
      if (isOptional) {
        if (body.length === 0) {
          return next("{}");
        }
        checkType(request);
      }
      return next(
        typeof body === "string" || body.byteLength > MAX_INLINE_BYTES ? body : body.toString("utf8"),
      );
    },
    (error) => {
      throw readError(error, request, (cause) => new GatewayError("invalidJson", "", { cause }));
    },
  );
}

/** Reads a form. Throws the 400s for a body that is no form or is too large, 429 and 503. */
export async function readForm(call: SendingCall): Promise<Form> {
  const { request, bytes } = call;
  const boundary = boundaryOf(request.headers.get("content-type") ?? "");
  try {
    const form = parseForm(
      await readRaw(request, bytes, async (small) => Buffer.from(await small.arrayBuffer())),
      boundary,
    );
    call.readyAt = performance.now();
    return form;
  } catch (error) {
    throw readError(
      error,
      request,
      (cause) => new GatewayError("invalidParameters", errorMessages.notForm(), { cause }),
    );
  }
}

/**
 * Whether an endpoint's calls come as forms. `maybe`: at the client's choice. `optional`: as JSON, or without a body.
 */
export type Forms = "never" | "always" | "maybe" | "optional";

export const formsOf = ({ json, form, isBodyOptional }: Endpoint): Forms => {
  if (form) {
    return json ? "maybe" : "always";
  }
  return isBodyOptional ? "optional" : "never";
};

/** Reads a call's body, in the form that its endpoint takes. Throws as `readBody` and `readForm` do. */
export async function readSent(call: SendingCall, forms: Forms): Promise<Pick<AuthedCall, "body" | "form">> {
  const type = call.request.headers.get("content-type") ?? "";
  return forms === "always" || (forms === "maybe" && isForm(type))
    ? { form: await readForm(call) }
    : await readBody<Pick<AuthedCall, "body">>(call, (body) => ({ body }), forms === "optional");
}

/** The facts that are needed before a call is paid for, and the parsed call itself, for afterwards. */
export type ReadCall<Known, Parsed> = { facts: Known; open: () => Eventual<Parsed> };

/** Parses a large body in a thread, before it is paid for, and here when it is opened. */
async function readLarge<Known, Parsed extends Known>(
  body: Buffer,
  kind: RequestKind<Known, Parsed>,
  pathModel: string | null,
): Promise<ReadCall<Known, Parsed>> {
  // An address with a model may stand for a body without one.
  const large = kind.readLarge && pathModel === null ? await inTurns(kind.readLarge(body)) : null;
  if (large !== null) {
    return { facts: large, open: async () => large };
  }
  const checked = await checkInThread<Known>(kind.name, body, pathModel);
  return {
    facts: checked.facts,
    open: async () => {
      const text = checked.body.toString("utf8");
      const raw =
        checked.isNamed && pathModel !== null
          ? withModel(await inTurns(readJsonInSteps(text)), pathModel)
          : text;
      await nextTurn();
      const source = kind.isReadAgain ? await inTurns(readJsonInSteps(raw)) : raw;
      await nextTurn();
      const parsed = kind.parse(source, checked.facts);
      // The call's next step, such as translating all of it, runs in another turn.
      await nextTurn();
      return parsed;
    },
  };
}

type CallToRead = Pick<AuthedCall, "request" | "bytes" | "pathModel" | "body" | "readyAt">;

/**
 * Parses a call's body as this kind, and continues with it. `pathModel`: the address's model, for a body without one.
 * Throws the 400s of spec section 7, and 429 and 503 if too many bytes of bodies are in memory.
 */
export function whenRead<Known, Parsed extends Known, T>(
  call: CallToRead,
  kind: RequestKind<Known, Parsed>,
  next: (read: ReadCall<Known, Parsed>) => Eventual<T>,
): Eventual<T> {
  const { pathModel = null } = call;
  const read = (body: string | Buffer): Eventual<T> => {
    if (typeof body !== "string") {
      return readLarge(body, kind, pathModel).then(next);
    }
    const { parsed } = parseNamed(withoutLoneSurrogates(body), pathModel, (text) => kind.parse(text));
    return next({ facts: parsed, open: () => parsed });
  };
  return call.body === undefined ? readBody(call, read) : read(call.body);
}

/** As `whenRead`, for a caller that waits for the body. */
export const readCall = <Known, Parsed extends Known>(
  call: CallToRead,
  kind: RequestKind<Known, Parsed>,
): Eventual<ReadCall<Known, Parsed>> => whenRead(call, kind, (read) => read);
