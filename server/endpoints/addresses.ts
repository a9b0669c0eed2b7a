/** The addresses of calls: the declared path that a client's path stands for, also in Azure's and Google's forms. */
import { endpoints } from "./list";

const paths = [...new Set(endpoints.map(({ path }) => path).filter((path) => path.startsWith("/v1/")))];

/** Below Azure's addresses. Clients may send the slashes of a model's name as they are, or encoded. */
const OPERATIONS = endpoints
  .filter(({ isAtDeployments }) => isAtDeployments)
  .map(({ path }) => path.slice("/v1/".length));
const DEPLOYMENT = new RegExp(
  `^/openai/deployments/(?!chat/completions/?$)(.+?)/(${OPERATIONS.join("|")})/?$`,
);

/**
 * The path of the models below `/v1`. Google's clients also use other versions, and Google's resource names before
 * `models`.
 */
const MODELS =
  /^\/v1(?:alpha|beta1?)?\/(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/[^/]+\/)?models(?:\/(.+?))?\/?$/;

/** Decodes a part of a path. Returns it as it is if it is encoded wrongly. */
function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * The decoded text after `models/` in a path: a model, or a model and an operation. "": nothing. null: another path.
 */
export function behindModels(path: string): string | null {
  const match = MODELS.exec(path);
  return match && decodedPart(match[1] ?? "");
}

/** Reads a path of Azure's form. null: another form. */
export function deploymentIn(path: string): { model: string; operation: string } | null {
  const [, model, operation] = DEPLOYMENT.exec(path) ?? [];
  return model === undefined || operation === undefined ? null : { model: decodedPart(model), operation };
}

const PARAMETER = /\{\w+\}/;

/** A path with parameters as an expression: a parameter is one segment, but none that another path has in its place. */
function patternOf(path: string): RegExp {
  const [before = ""] = path.split(PARAMETER, 1);
  const taken = paths
    .filter((other) => other.startsWith(before) && other[before.length] !== "{")
    .map((other) => other.slice(before.length).split("/", 1)[0]);
  const first = taken.length > 0 ? `(?!(?:${taken.join("|")})(?:/|$))` : "";
  return new RegExp(`^${path.replace(PARAMETER, `${first}[^/]+`).replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}

const fixed = new Set(paths.filter((path) => !PARAMETER.test(path)));
const patterns = paths
  .filter((path) => PARAMETER.test(path) && path !== "/v1/models/{model}")
  .map((path) => ({ path, pattern: patternOf(path) }));

/** `path`: as declared; null: no call has it. `deployment`: an address of Azure, which names the model. */
type Location = { path: string | null; place: "path" | "deployment" };

/** Finds the call of a client's path, without a slash at its end. */
export function locate(path: string): Location {
  if (fixed.has(path)) {
    return { path, place: "path" };
  }
  const deployment = deploymentIn(path);
  if (deployment !== null) {
    return { path: `/v1/${deployment.operation}`, place: "deployment" };
  }
  const modelId = behindModels(path);
  const found =
    modelId === null
      ? patterns.find(({ pattern }) => pattern.test(path))?.path
      : `/v1/models${modelId === "" ? "" : "/{model}"}`;
  return { path: found ?? null, place: "path" };
}

/** The beginnings of identifiers, by the parameter; those of others are unknown. */
const ID_PREFIXES = { response_id: "resp_", conversation_id: "conv_", video_id: "task_" };

/** The ends of the paths that clients call, below any base URL. */
const ENDINGS = paths
  .filter((path) => !endpoints.some((endpoint) => endpoint.path === path && endpoint.isCommonWord))
  .map((path) =>
    path
      .slice("/v1/".length)
      .replace("{model}", "[^/]+")
      .replaceAll(/\{(\w+)\}/g, (_, name) => `${ID_PREFIXES[name as keyof typeof ID_PREFIXES] ?? ""}[\\w-]+`),
  );
const ENDING = new RegExp(`/(${ENDINGS.join("|")})/?$`);

/**
 * The right path for one that ends like an endpoint, below a base URL without `/v1` or with two. null: there is none.
 */
export function rightPath(path: string): string | null {
  const [, name] = ENDING.exec(path) ?? [];
  const right = name === undefined ? null : `/v1/${name}`;
  return right === path ? null : right;
}
