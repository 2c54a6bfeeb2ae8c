# Cartagena online as a small container: built in one stage, run as an unprivileged user in the next.
FROM python:3.13-slim-trixie AS build
WORKDIR /src
# Build tools stay in this stage: the shipped environment has no pip.
RUN python -m venv --without-pip /opt/cartagena
COPY constraints.txt ./
RUN pip install --no-cache-dir --only-binary :all: --constraint constraints.txt hatchling
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY app app
COPY static static
COPY templates templates
COPY migrations migrations
RUN pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /opt/wheel .
RUN pip --python /opt/cartagena/bin/python install \
    --no-cache-dir --only-binary :all: --constraint constraints.txt "$(echo /opt/wheel/cartagena-*.whl)[pictures]"
# Remove what the server never reads: tests and sources of packages, and Babel data of unsupported languages. British
# English inherits from en_001 and Bokmål from no.
RUN find /opt/cartagena -type d '(' -name tests -o -path '*/sqlalchemy/testing' -o -path '*/alembic/testing' ')' \
    -prune -exec rm -rf {} + \
    && find /opt/cartagena -type f '(' -name '*.pyi' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.[ch]' ')' -delete \
    && find /opt/cartagena -path '*/babel/locale-data/*.dat' ! -name root.dat ! -name en.dat \
    ! -name en_001.dat ! -name en_GB.dat ! -name sv.dat ! -name no.dat ! -name nb.dat ! -name nl.dat ! -name de.dat ! -name fr.dat ! -name es.dat ! -name it.dat -delete

FROM python:3.13-slim-trixie
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
# /healthz checks the process only; /readyz, which also queries the database, is for the proxy.
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen('http://127.0.0.1:' + os.environ['CARTAGENA_PORT'] + '/healthz', timeout=4)"]
STOPSIGNAL SIGTERM
CMD ["cartagena", "serve"]
