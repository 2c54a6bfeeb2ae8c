# Cartagena online in a small container: built in one stage, run as nobody in the next.
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
RUN python -m venv /opt/cartagena
ENV PATH=/opt/cartagena/bin:$PATH
COPY constraints.txt ./
RUN pip install --no-cache-dir --constraint constraints.txt hatchling
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY app app
COPY static static
COPY templates templates
COPY migrations migrations
RUN pip install --no-cache-dir --no-build-isolation --constraint constraints.txt . \
    && pip uninstall --yes hatchling

FROM python:3.11-slim-bookworm
LABEL org.opencontainers.image.title="Cartagena online" \
      org.opencontainers.image.licenses="MIT"
RUN groupadd --system --gid 10001 cartagena \
    && useradd --system --uid 10001 --gid cartagena --home-dir /data --shell /usr/sbin/nologin cartagena \
    && install --directory --owner cartagena --group cartagena /data
COPY --from=build /opt/cartagena /opt/cartagena
ENV PATH=/opt/cartagena/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    CARTAGENA_HOST=0.0.0.0 \
    CARTAGENA_PORT=8000 \
    CARTAGENA_DATABASE=sqlite:////data/cartagena.db \
    CARTAGENA_LOG_FORMAT=json
WORKDIR /data
VOLUME /data
EXPOSE 8000
USER cartagena
# The process lives as long as /healthz answers; /readyz, which also asks the database, is for the proxy.
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen('http://127.0.0.1:' + os.environ['CARTAGENA_PORT'] + '/healthz', timeout=4)"]
STOPSIGNAL SIGTERM
CMD ["cartagena", "serve"]
