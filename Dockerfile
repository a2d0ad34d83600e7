# The service as an image: `qwirkle serve` by default, `qwirkle worker` as another command.
#
# Base images are pinned by tag. Whoever can ask a registry should pin the digest too, in both
# lines that begin with FROM: python:3.11-slim-bookworm@sha256:...

# The build stage has a C compiler, for the compiled core.
FROM python:3.11-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src
RUN python -m venv /opt/qwirkle
# What changes seldom comes first, so that a new release rebuilds only what follows.
COPY requirements.lock ./
RUN /opt/qwirkle/bin/pip install --require-hashes -r requirements.lock
COPY pyproject.toml hatch_build.py README.md LICENSE openapi.yaml ./
COPY service ./service
COPY clients/python/src ./clients/python/src
COPY clients/typescript/src ./clients/typescript/src
RUN /opt/qwirkle/bin/pip install --no-deps . && /opt/qwirkle/bin/pip check

FROM python:3.11-slim-bookworm
COPY --from=build /opt/qwirkle /opt/qwirkle
# For the embedded store and the secret. With an outside store and QWIRKLE_SECRET it stays empty.
RUN install -d -m 0700 -o 10001 -g 10001 /data
# Nothing else is ever written to, so the root file system may be read-only.
ENV PATH=/opt/qwirkle/bin:/usr/local/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 QWIRKLE_HOST=0.0.0.0 QWIRKLE_PORT=8000 QWIRKLE_DATA_DIR=/data
USER 10001:10001
VOLUME /data
EXPOSE 8000
# Running requests finish, then the store is closed: 30 seconds and a little more.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as web; web.urlopen('http://127.0.0.1:' + os.environ['QWIRKLE_PORT'] + '/livez', timeout=4)"]
ENTRYPOINT ["qwirkle"]
CMD ["serve"]
