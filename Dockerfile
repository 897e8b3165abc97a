# docs/container.md. The package is made in the first stage; the second has Node and the package, nothing else.
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run package && mv bourse-*.tgz bourse.tgz

FROM node:24-slim
COPY --from=build /build/bourse.tgz /tmp/bourse.tgz
RUN npm install --global --offline --ignore-scripts --no-audit --no-fund /tmp/bourse.tgz \
  && rm -rf /tmp/bourse.tgz /root/.npm \
  && install -d -o node -g node -m 700 /data
ENV NODE_ENV=production \
  BOURSE_HOST=0.0.0.0 \
  BOURSE_DEMO_REACH=container \
  BOURSE_OPERATOR_HOST=0.0.0.0 \
  BOURSE_OPERATOR_TOKEN_FILE=/data/operator.token
# The data directory is ./data unless --memory is asked for, with which it must not be named.
WORKDIR /
VOLUME /data
EXPOSE 8787 8788
USER node
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.BOURSE_PORT ?? 8787}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["bourse"]
