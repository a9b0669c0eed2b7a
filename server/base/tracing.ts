/** Traces by OTLP, if the environment configures them. Otherwise none of it is loaded. */
import { randomUUID } from "node:crypto";
import type { Attributes, Context, DiagLogFunction } from "@opentelemetry/api";
import type { Sampler } from "@opentelemetry/sdk-trace";
import packageJson from "@/package.json";
import type { Config } from "./config";
import { withinMs } from "./deadline";
import type { Log } from "./log";
import type { TraceContext } from "./trace-context";

type TracingSettings = Pick<
  Config,
  | "OTEL_SDK_DISABLED"
  | "OTEL_TRACES_EXPORTER"
  | "OTEL_EXPORTER_OTLP_ENDPOINT"
  | "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
  | "OTEL_TRACES_SAMPLER"
  | "OTEL_TRACES_SAMPLER_ARG"
>;

/**
 * The end of a span. `error`: its kind; null: success. `isClients`: the client made the error, and the span itself did
 * not fail (the HTTP conventions, for a server's answers from 400 to 499).
 */
type SpanEnd = { attributes: Attributes; error: string | null; isClients?: boolean };

/** The span of a request that is being answered. */
type ServerSpan = {
  /** The context for upstreams. */
  context: TraceContext;
  /** Adds a span for a finished request to another server. Times in milliseconds since the epoch. */
  child: (name: string, at: { beganAt: number; endedAt: number }, end: SpanEnd) => void;
  end: (end: SpanEnd) => void;
};

export type Tracing = {
  /**
   * Begins a span. `remote`: the client's. From a trusted peer it is the parent; otherwise only a link, because a
   * client that chooses the parent also chooses what is recorded.
   */
  begin: (name: string, from: { remote: TraceContext | null; isTrusted: boolean }) => ServerSpan;
  /** Sends the waiting spans, within a time limit. */
  close: () => Promise<void>;
};

/** How long a process that ends waits for a silent collector. */
const CLOSE_MS = 3_000;
/** Minimum time between two log lines about it. */
const SAY_EVERY_MS = 600_000;

/** The URL for spans; null: none. The general address is a base to which each signal adds its path. */
function collectorOf(settings: TracingSettings): string | null {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: general } = settings;
  if (settings.OTEL_SDK_DISABLED || settings.OTEL_TRACES_EXPORTER === "none") {
    return null;
  }
  return own ?? (general === undefined ? null : `${general.replace(/\/+$/, "")}/v1/traces`);
}

type Sdk = typeof import("@opentelemetry/sdk-trace");

function samplerOf(
  sdk: Sdk,
  { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: TracingSettings,
): Sampler {
  const roots: Record<string, () => Sampler> = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(share),
  };
  const root = roots[name.replace("parentbased_", "")]?.() ?? new sdk.AlwaysOnSampler();
  return name.startsWith("parentbased_") ? new sdk.ParentBasedSampler({ root }) : root;
}

/**
 * Logs that the tracing libraries report errors, without their text, and rarely, because a collector may be away for
 * days.
 */
function complaints(log: Log): DiagLogFunction {
  let saidAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - saidAt > SAY_EVERY_MS) {
      saidAt = performance.now();
      log.warn("traces are not delivered: the collector of OTEL_EXPORTER_OTLP_ENDPOINT does not take them");
    }
  };
}

/**
 * Opens the connection to the configured collector, or returns null. The libraries read headers, time-outs, compression
 * and certificates (`OTEL_EXPORTER_OTLP_*`), and the service's name and attributes (`OTEL_SERVICE_NAME`,
 * `OTEL_RESOURCE_ATTRIBUTES`) themselves; what those name replaces ours. Each process of a server is an instance.
 */
export async function openTracing(settings: TracingSettings, log: Log): Promise<Tracing | null> {
  const url = collectorOf(settings);
  if (url === null) {
    return null;
  }
  const [api, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  const quiet = () => {};
  const report = complaints(log);
  api.diag.setLogger(
    { error: report, warn: report, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const detectors = [resources.resourceAttributesEnvDetector, resources.serviceNameEnvDetector];
  const provider = new sdk.TracerProvider({
    sampler: samplerOf(sdk, settings),
    resource: resources
      .resourceFromAttributes({
        "service.name": "tollgate",
        "service.version": packageJson.version,
        "service.instance.id": randomUUID(),
      })
      .merge(resources.detectResources({ detectors })),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  });
  const tracer = provider.getTracer("tollgate");

  const spanContext = ({ traceId, parentId, isSampled }: TraceContext) => ({
    ...{ traceId, spanId: parentId, isRemote: true },
    traceFlags: isSampled ? api.TraceFlags.SAMPLED : api.TraceFlags.NONE,
  });
  const finish = (
    span: ReturnType<typeof tracer.startSpan>,
    { attributes, error, isClients = false }: SpanEnd,
    at?: number,
  ) => {
    span.setAttributes(attributes);
    if (error !== null) {
      span.setAttribute("error.type", error);
    }
    if (error !== null && !isClients) {
      span.setStatus({ code: api.SpanStatusCode.ERROR });
    }
    span.end(at);
  };
  const begin: Tracing["begin"] = (name, { remote, isTrusted }) => {
    const parent: Context =
      remote && isTrusted
        ? api.trace.setSpanContext(api.ROOT_CONTEXT, spanContext(remote))
        : api.ROOT_CONTEXT;
    const links = remote && !isTrusted ? [{ context: spanContext(remote) }] : [];
    const span = tracer.startSpan(name, { kind: api.SpanKind.SERVER, links }, parent);
    const { traceId, spanId, traceFlags } = span.spanContext();
    const within = api.trace.setSpan(parent, span);
    return {
      context: { traceId, parentId: spanId, isSampled: (traceFlags & api.TraceFlags.SAMPLED) !== 0 },
      child: (childName, { beganAt, endedAt }, end) =>
        finish(
          tracer.startSpan(childName, { kind: api.SpanKind.CLIENT, startTime: beganAt }, within),
          end,
          endedAt,
        ),
      end: (end) => finish(span, end),
    };
  };
  return { begin, close: async () => void (await withinMs(provider.shutdown(), CLOSE_MS)) };
}
