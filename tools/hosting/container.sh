#!/bin/sh
# Start or update a club's server: one container with SQLite in the volume `cartagena` (docs/deploy.md, section 1).
# A running container is backed up first, and replaced only once the new image is built.
set -eu
cd "$(dirname "$0")/../.."

if [ ! -e .env ]; then
    install -m 600 .env.example .env
    sed -i "s/^CARTAGENA_SECRET=.*/CARTAGENA_SECRET=$(openssl rand -hex 32)/" .env
    echo "Wrote .env with a new secret. Set CARTAGENA_PUBLIC_URL in it, and run this again." >&2
    exit 1
fi
if [ -n "${PUBLISH:-}" ]; then # kept for the next update
    sed -i -e '/^PUBLISH=/d' -e '$a\' .env
    echo "PUBLISH=$PUBLISH" >> .env
fi
publish=$(sed -n 's/^PUBLISH=//p' .env | tail -n 1)
if docker exec cartagena true 2> /dev/null; then
    docker exec cartagena cartagena admin backup
fi
if [ "${1:-}" = update ]; then
    git pull --ff-only
fi
docker build --pull --tag cartagena .
if docker container inspect cartagena > /dev/null 2>&1; then
    docker stop -t 20 cartagena
    docker rm cartagena
fi
docker run --detach --name cartagena --restart unless-stopped --publish "${publish:-8000:8000}" \
    --env-file .env --volume cartagena:/data --log-opt max-size=10m --log-opt max-file=5 cartagena
docker image prune --force
