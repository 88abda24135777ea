# syntax=docker/dockerfile:1
# Hupai as an image: `docker build -t hupai .`, see docs/deployment.md.

FROM python:3.13-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/hupai
WORKDIR /src
# The libraries first: their layer is kept while only the program changes.
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY deploy/requirements.py deploy/
RUN python deploy/requirements.py postgres redis s3 > /tmp/requirements.txt \
    && /opt/hupai/bin/pip install -c constraints.txt -r /tmp/requirements.txt
COPY src src
COPY scoring scoring
COPY vision vision
COPY datasets datasets
COPY models models
COPY api api
RUN /opt/hupai/bin/pip install --no-deps . \
    && find /opt/hupai -depth -type d \( -name tests -o -name __pycache__ \) -exec rm -rf {} + \
    && rm -rf /opt/hupai/lib/python3.13/site-packages/pip /opt/hupai/lib/python3.13/site-packages/pip-*

FROM python:3.13-slim-bookworm
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin hupai \
    && install -d -o hupai -g hupai -m 0700 /data
COPY --from=build /opt/hupai /opt/hupai
COPY examples /opt/hupai/examples
ENV PATH=/opt/hupai/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HUPAI_HOST=0.0.0.0 \
    HUPAI_PORT=8000 \
    HUPAI_DATA_DIR=/data \
    HUPAI_EXAMPLES_DIR=/opt/hupai/examples \
    HUPAI_LOG_FORMAT=json
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/readiness', timeout=4)"]
CMD ["hupai", "serve"]
